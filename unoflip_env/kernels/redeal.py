"""Re-deals all that a seat does not know, and nothing that it does (INFO-5): what search is allowed to look into.

Every card lies at a *position*: in a hand, in the draw pile or in the discard pile. Its front and back are slots on the side
in play and the other. What the observer knows fixes some of them; the rest is drawn uniformly from what could be.
"""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import DARK, LIGHT, NO_COLOR, NUM_CARDS, SLOT_FACE
from unoflip_env.game import NO_CARD, RING, RULE_WILD_DRAW, WILD_DRAW_BLUFF
from unoflip_env.kernels.bits import ONE, ZERO, below, bit, has, lowest, mix
from unoflip_env.kernels.cards import back_of, front_of, mark, mark_for, name_backs
from unoflip_env.kernels.jit import inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import holds_color

DRAW_PILE, DISCARD_PILE = 10, 11  # places after the seats 0-9

POSITION = np.dtype(
    [
        ("place", np.uint8),  # a seat, DRAW_PILE or DISCARD_PILE
        ("index", np.uint8),  # where in the pile
        ("front", np.uint8),
        ("back", np.uint8),
        ("is_seen", np.uint8),  # lay face up this round
        ("is_paired", np.uint8),  # the observer knows which back belongs to this front
        ("is_front_known", np.uint8),
        ("is_back_visible", np.uint8),
        ("is_drawn", np.uint8),  # it is the card just drawn
        ("is_cutting", np.uint8),  # it has cut in and is yet to land
        ("known", np.uint16),  # which seats know it, as bits
        ("shown", np.uint16),
    ]
)


@inner_kernel
def knowers(sets, card, num_seats):
    """Which seats' sets hold this card, as bits."""
    seats = 0
    for seat in range(num_seats):
        if has(sets[seat], card):
            seats |= 1 << seat
    return seats


@inner_kernel
def lay_out(g, r, observer, p, place, index, card):
    """Describe the position of one card."""
    p.place = place
    p.index = index
    p.front = front_of(g, card)
    p.back = back_of(g, card)
    p.is_seen = has(g.seen[LIGHT], card)
    p.is_drawn = card == g.drawn_card
    p.is_cutting = card == g.cut_card
    p.known = knowers(g.known[LIGHT], card, np.int64(g.num_seats))
    p.shown = knowers(g.shown[LIGHT], card, np.int64(g.num_seats))
    is_own, is_other = place == observer, place < DRAW_PILE and place != observer
    shown, known = (np.int64(p.shown) >> observer) & 1, (np.int64(p.known) >> observer) & 1
    p.is_front_known = r.sees_all or is_own or place == DISCARD_PILE or (is_other and known)
    p.is_back_visible = r.sees_backs and (is_other or place == DISCARD_PILE or (is_own and r.sees_own_backs))
    sees_both = p.is_seen or (is_own and r.sees_own_backs) or (is_other and shown)
    p.is_paired = r.sees_all or not r.is_pairing_drawn or (r.sees_backs and sees_both)


@part_of_kernel
def lay_out_all(g, r, observer, positions):
    n = 0
    for seat in range(g.num_seats):
        for half in range(2):
            word = g.hand[LIGHT, seat, half]
            while word != ZERO:
                lay_out(g, r, observer, positions[n], seat, 0, 64 * half + lowest(word))
                word &= word - ONE
                n += 1
    for i in range(np.int64(g.draw_start), np.int64(g.draw_end)):
        lay_out(g, r, observer, positions[n], DRAW_PILE, i, np.int64(g.draw_pile[i]))
        is_top = i == (np.int64(g.draw_end) - 1 if g.side == LIGHT else np.int64(g.draw_start))
        positions[n].is_back_visible = r.sees_backs and is_top
        n += 1
    for i in range(g.discard_size):
        place = (np.int64(g.discard_start) + i) & (RING - 1)
        lay_out(g, r, observer, positions[n], DISCARD_PILE, place, np.int64(g.discard_pile[place]))
        n += 1
    return n


@inner_kernel
def swap_cards(p, q):
    """Exchange two cards: both faces, and what belongs to the card rather than to its place."""
    p.front, q.front = q.front, p.front
    p.back, q.back = q.back, p.back
    p.is_seen, q.is_seen = q.is_seen, p.is_seen
    p.is_paired, q.is_paired = q.is_paired, p.is_paired


@inner_kernel
def pick(g, mask):
    """A random index where `mask` is True, or -1."""
    count = 0
    for i in range(mask.size):
        count += mask[i]
    if count == 0:
        return -1
    left = below(g, count)
    for i in range(mask.size):
        if mask[i]:
            if left == 0:
                return i
            left -= 1
    return -1


@inner_kernel
def move_cards(g, positions):
    """Deal the hidden cards anew: a position with a visible back gets one with the same face there."""
    free = np.zeros(positions.size, np.bool_)
    for i in range(positions.size):
        free[i] = not positions[i].is_front_known
    fits = np.zeros(positions.size, np.bool_)
    for turn in range(2):  # the visible ones choose first
        for i in range(positions.size):
            if positions[i].is_front_known or (positions[i].is_back_visible != 0) != (turn == 0):
                continue
            face = SLOT_FACE[positions[i].back]
            for j in range(positions.size):
                fits[j] = free[j] and (turn == 1 or SLOT_FACE[positions[j].back] == face)
            swap_cards(positions[i], positions[pick(g, fits)])
            free[i] = False


@inner_kernel
def move_own_copies(g, observer, positions):
    """Own backs unseen: which copy of a face the observer holds is open, as far as the others may lie in the draw pile.

    The copies of the card just drawn stay: its place among them is its action.
    """
    drawn_face = -1
    for i in range(positions.size):
        if positions[i].is_drawn and positions[i].place == observer:
            drawn_face = SLOT_FACE[positions[i].front]
    fits = np.zeros(positions.size, np.bool_)
    for i in range(positions.size):
        p = positions[i]
        if p.place != observer or p.is_back_visible or p.is_cutting or SLOT_FACE[p.front] == drawn_face:
            continue
        for j in range(positions.size):
            q = positions[j]
            is_open = q.place == DRAW_PILE and not q.is_back_visible
            fits[j] = i == j or (is_open and SLOT_FACE[q.front] == SLOT_FACE[p.front])
        swap_cards(p, positions[pick(g, fits)])


@inner_kernel
def shuffle_faces(g, positions, among, fronts):
    """Shuffle the fronts (or the backs) among some of the positions."""
    last = -1
    chosen = np.empty(NUM_CARDS, np.int64)
    for i in range(positions.size):
        if among[i]:
            last += 1
            chosen[last] = i
    for i in range(last, 0, -1):
        p, q = positions[chosen[i]], positions[chosen[below(g, i + 1)]]
        if fronts:
            p.front, q.front = q.front, p.front
        else:
            p.back, q.back = q.back, p.back


@part_of_kernel
def pair_anew(g, positions, observer):
    """Where the pairing of this round is not known: any front with any back that is as free."""
    among = np.zeros(positions.size, np.bool_)
    for i in range(positions.size):
        among[i] = not positions[i].is_paired and not positions[i].is_front_known
    shuffle_faces(g, positions, among, True)
    for i in range(positions.size):
        among[i] = not positions[i].is_paired and not positions[i].is_back_visible
    shuffle_faces(g, positions, among, False)
    for seat in range(g.num_seats):  # fronts and backs of a hand both seen, but not which belong together
        for i in range(positions.size):
            p = positions[i]
            among[i] = p.place == seat and seat != observer and not p.is_paired and p.is_front_known and p.is_back_visible
        shuffle_faces(g, positions, among, False)


@part_of_kernel
def pick_up(g, positions):
    """Write the positions back into the record."""
    g.hand[:] = ZERO
    g.known[:] = ZERO
    g.shown[:] = ZERO
    g.seen[:] = ZERO
    g.lying[:] = ZERO
    g.drawn_card = NO_CARD
    g.cut_card = NO_CARD
    for i in range(positions.size):
        p = positions[i]
        front, back = np.int64(p.front), np.int64(p.back)
        light, dark = (front, back) if g.side == LIGHT else (back, front)
        g.partner[LIGHT, light] = dark
        g.partner[DARK, dark] = light
        place_card(g, p, light, dark)
    name_backs(g)


@inner_kernel
def place_card(g, p, light, dark):
    if p.place == DRAW_PILE:
        g.draw_pile[p.index] = light
    elif p.place == DISCARD_PILE:
        g.discard_pile[p.index] = light
        mark(g, g.lying, light)
    else:
        g.hand[LIGHT, p.place, light >> 6] |= bit(light)
        g.hand[DARK, p.place, dark >> 6] |= bit(dark)
    if p.is_drawn:
        g.drawn_card = light
    if p.is_cutting:
        g.cut_card = light
    if p.is_seen:
        mark(g, g.seen, light)
    for seat in range(g.num_seats):
        if (np.int64(p.known) >> seat) & 1:
            mark_for(g, g.known, seat, light)
        if (np.int64(p.shown) >> seat) & 1:
            mark_for(g, g.shown, seat, light)


@part_of_kernel
def redeal(g, r, observer, seed, positions):
    """Change a record into a random one that `observer` could not tell from it; `positions` is scratch, (112,) POSITION.

    Its random numbers from here on are new too. Whether a wild draw still to be challenged is a bluff is judged by the new
    hand; cards drawn for a forgotten UNO since then count too.
    """
    g.rng_key = mix(seed)
    positions = positions[: lay_out_all(g, r, observer, positions)]
    move_cards(g, positions)
    if not r.sees_own_backs:
        move_own_copies(g, observer, positions)
    if r.is_pairing_drawn:
        pair_anew(g, positions, observer)
    pick_up(g, positions)
    if observer != g.turn_seat and g.challenged_color != NO_COLOR and g.rules[RULE_WILD_DRAW] == WILD_DRAW_BLUFF:
        g.is_guilty = holds_color(g, np.int64(g.turn_seat), g.challenged_color)
