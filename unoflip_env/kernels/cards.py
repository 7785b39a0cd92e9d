"""Cards move: hands, draw pile, discard pile (DEAL, TURN-6, FLIP-2), and who knows which (INFO-3)."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import CLASSIC, COLOR_WORDS, DARK, FACE_START, LIGHT, NO_COLOR, NUM_CARDS, SLOT_COLOR, SLOT_FACE
from unoflip_env.game import DECK_CLASSIC, NO_CARD, RING, UNO_LAST_CARD
from unoflip_env.kernels.bits import ONE, ZERO, bit, lowest, popcount, seek, shuffle
from unoflip_env.kernels.jit import hot_kernel, inner_kernel


@inner_kernel
def seat_after(g, seat):
    """The next seat in the direction of play."""
    after = seat + np.int64(g.direction)
    if after < 0:
        return after + np.int64(g.num_seats)
    if after >= np.int64(g.num_seats):
        return after - np.int64(g.num_seats)
    return after


@inner_kernel
def num_teams(g, r):
    """TEAM-1: without teams each seat is one of its own."""
    return np.int64(r.teams) if r.teams > 0 else np.int64(g.num_seats)


@inner_kernel
def is_opponent(g, r, seat, other):
    """TEAM-3."""
    return (seat - other) % num_teams(g, r) != 0


@inner_kernel
def side_in_play(g, r):
    """LIGHT, DARK or CLASSIC: by which names and points the faces go."""
    return CLASSIC if r.deck == DECK_CLASSIC else np.int64(g.side)


@inner_kernel
def forget_play(g):
    """Nothing of a play outlives its turn or its round."""
    g.challenged_color = NO_COLOR
    g.is_guilty = 0
    g.pending_draws = 0
    g.pair_size = 0


@inner_kernel
def front_of(g, card):
    """The slot of a card on the side in play."""
    return np.int64(card) if g.side == LIGHT else np.int64(g.partner[LIGHT, card])


@inner_kernel
def card_of(g, slot):
    """The card whose slot on the side in play this is."""
    return np.int64(slot) if g.side == LIGHT else np.int64(g.partner[DARK, slot])


@inner_kernel
def back_of(g, card):
    """The slot of a card on the side not in play."""
    return np.int64(g.partner[LIGHT, card]) if g.side == LIGHT else np.int64(card)


@inner_kernel
def toggle_in_hand(g, seat, card):
    """Put a card into a hand, or take it out (on both sides at once)."""
    dark = np.int64(g.partner[LIGHT, card])
    g.hand[LIGHT, seat, card >> 6] ^= bit(card)
    g.hand[DARK, seat, dark >> 6] ^= bit(dark)


@inner_kernel
def mark(g, words, card):
    """Put a card into a set kept by its slots on both sides, shape (2, 2)."""
    dark = np.int64(g.partner[LIGHT, card])
    words[LIGHT, card >> 6] |= bit(card)
    words[DARK, dark >> 6] |= bit(dark)


@inner_kernel
def mark_for(g, sets, seat, card):
    """The same in the sets of seats, shape (2, seats, 2)."""
    dark = np.int64(g.partner[LIGHT, card])
    sets[LIGHT, seat, card >> 6] |= bit(card)
    sets[DARK, seat, dark >> 6] |= bit(dark)


@inner_kernel
def name_backs(g):
    """Write `backs` down from the pairing."""
    for side in range(2):
        for slot in range(NUM_CARDS):
            g.backs[side, slot] = 1 + SLOT_FACE[g.partner[side, slot]]


@inner_kernel
def take_from_hand(g, seat, card):
    toggle_in_hand(g, seat, card)
    g.hand_size[seat] -= 1
    if g.hand_size[seat] == 0:  # END-1
        g.num_out += 1
        g.went_out[seat] = g.num_out


@inner_kernel
def put_into_hand(g, seat, card):
    toggle_in_hand(g, seat, card)
    g.hand_size[seat] += 1


@hot_kernel
def held_slot(g, seat, card):
    """The action that plays this card: its face's first slot + its rank among the copies held (see actions.py)."""
    slot = front_of(g, card)
    start = FACE_START[SLOT_FACE[slot]]
    # The copies of a face never straddle two words.
    lower = (bit(slot) - ONE) & ~(bit(start) - ONE)
    return start + popcount(g.hand[g.side, seat, slot >> 6] & lower)


@hot_kernel
def held_card(g, seat, slot):
    """The card that a held slot stands for; NO_CARD if the hand has no such copy. Inverse of `held_slot`."""
    start = FACE_START[SLOT_FACE[slot]]
    copies = ONE + ONE if SLOT_COLOR[slot] != NO_COLOR else ONE << np.uint64(2)
    face_bits = ((ONE << copies) - ONE) << np.uint64(start & 63)
    word = g.hand[g.side, seat, slot >> 6] & face_bits
    if popcount(word) <= slot - start:
        return np.int64(NO_CARD)
    for _ in range(slot - start):
        word &= word - ONE
    return card_of(g, (start & ~63) + lowest(word))


@inner_kernel
def top_card(g):
    if g.side == LIGHT:
        return np.int64(g.discard_pile[(np.int64(g.discard_start) + np.int64(g.discard_size) - 1) & (RING - 1)])
    return np.int64(g.discard_pile[g.discard_start])


@inner_kernel
def bottom_card(g):
    if g.side == LIGHT:
        return np.int64(g.discard_pile[g.discard_start])
    return np.int64(g.discard_pile[(np.int64(g.discard_start) + np.int64(g.discard_size) - 1) & (RING - 1)])


@hot_kernel
def put_on_discard(g, card):
    """A card goes on top of the discard pile, where everybody has seen it from both sides."""
    if g.side == LIGHT:
        end = (np.int64(g.discard_start) + np.int64(g.discard_size)) & (RING - 1)
        g.discard_pile[end] = card
    else:
        g.discard_start = (np.int64(g.discard_start) - 1) & (RING - 1)
        g.discard_pile[g.discard_start] = card
    g.discard_size += 1
    mark(g, g.seen, card)
    mark(g, g.lying, card)


@inner_kernel
def draw_size(g):
    return np.int64(g.draw_end) - np.int64(g.draw_start)


@inner_kernel
def draw_pile_top(g):
    """The top card of the draw pile, which must not be empty."""
    return np.int64(g.draw_pile[np.int64(g.draw_end) - 1]) if g.side == LIGHT else np.int64(g.draw_pile[g.draw_start])


@inner_kernel
def take_from_draw_pile(g):
    card = draw_pile_top(g)
    if g.side == LIGHT:
        g.draw_end -= 1
    else:
        g.draw_start += 1
    return card


@inner_kernel
def reshuffle(g):
    """TURN-6: all discards but the top card become the draw pile."""
    top = top_card(g)
    size = np.int64(g.discard_size) - 1
    start = np.int64(g.discard_start)
    for i in range(size):
        place = start + i if g.side == LIGHT else start + size - i
        g.draw_pile[i] = g.discard_pile[place & (RING - 1)]
    g.draw_start = 0
    g.draw_end = size
    g.discard_start = 0
    g.discard_size = 1
    g.discard_pile[0] = top
    g.lying[:] = ZERO
    mark(g, g.lying, top)
    g.num_reshuffles += 1
    seek(g, g.num_reshuffles)
    shuffle(g, g.draw_pile, size)
    forget_discards(g)


@inner_kernel
def all_held(g, side, word):
    """The cards in all hands."""
    held = ZERO
    for seat in range(g.num_seats):
        held |= g.hand[side, seat, word]
    return held


@inner_kernel
def forget_discards(g):
    """Only cards in a hand can be known there: those now in the draw pile no longer are."""
    for side in range(2):
        for word in range(2):
            held = all_held(g, side, word)
            for seat in range(g.num_seats):
                g.known[side, seat, word] &= held
                g.shown[side, seat, word] &= held


@inner_kernel
def is_nothing_left(g):
    """TURN-6, TURN-7: no card could be drawn."""
    return draw_size(g) == 0 and g.discard_size <= 1


@hot_kernel
def draw_card(g, r, seat):
    """A seat draws one card; NO_CARD if nothing is left (TURN-6)."""
    if is_nothing_left(g):
        return np.int64(NO_CARD)
    if draw_size(g) == 0:
        reshuffle(g)
    card = take_from_draw_pile(g)
    put_into_hand(g, seat, card)
    g.idle_turns = 0
    if r.uno_window == UNO_LAST_CARD:  # UNO-2: said for as long as the seat draws nothing
        g.said_uno = np.int64(g.said_uno) & ~(1 << seat)
    return card


@inner_kernel
def draw_cards(g, r, seat, count):
    for _ in range(count):
        if draw_card(g, r, seat) == NO_CARD:
            return


@inner_kernel
def draw_until_color(g, r, seat, color):
    """ACT-7: until a card of the colour comes, or nothing is left."""
    for _ in range(NUM_CARDS):
        card = draw_card(g, r, seat)
        if card == NO_CARD or SLOT_COLOR[front_of(g, card)] == color:
            return


@inner_kernel
def turn_table_over(g, r):
    """FLIP-2. A pile's top is at its end on the light side and at its start on the dark side: nothing has to move.

    INFO-2, INFO-3: the fronts of all hands are now the backs that everybody else saw.
    """
    g.side = DARK if g.side == LIGHT else LIGHT
    for side in range(2):
        for word in range(2):
            held = all_held(g, side, word) if r.sees_backs else ZERO
            for seat in range(g.num_seats):
                g.known[side, seat, word] = held
                g.shown[side, seat, word] &= held


@inner_kernel
def show_hand(g, seat, viewer):
    """CHAL-2."""
    for side in range(2):
        for word in range(2):
            g.known[side, viewer, word] |= g.hand[side, seat, word]
            g.shown[side, viewer, word] |= g.hand[side, seat, word]


@inner_kernel
def show_card(g, card):
    """A card of a hand lay face up to all before it was taken back (TURN-5, INFO-3)."""
    mark(g, g.seen, card)
    for seat in range(g.num_seats):
        mark_for(g, g.known, seat, card)
        mark_for(g, g.shown, seat, card)


@inner_kernel
def forget_hand(g, seat, other):
    for side in range(2):
        for word in range(2):
            g.known[side, seat, word] &= ~g.hand[side, other, word]
            g.shown[side, seat, word] &= ~g.hand[side, other, word]


@inner_kernel
def give_card(g, giver, receiver, card):
    """A card changes hands; the two seats know which. A third seat forgets all it knew of the giver's hand, gift included."""
    for seat in range(g.num_seats):
        if seat != giver and seat != receiver:
            forget_hand(g, seat, giver)
    take_from_hand(g, giver, card)
    put_into_hand(g, receiver, card)
    mark_for(g, g.known, giver, card)
    mark_for(g, g.shown, giver, card)


@inner_kernel
def swap_hands(g, seat, other):
    """ACT-9 `swap`: both know what they gave away; the rest of the table still knows what it knew of either hand."""
    show_hand(g, seat, seat)
    show_hand(g, other, other)
    for side in range(2):
        for half in range(2):
            word = g.hand[side, seat, half]
            g.hand[side, seat, half] = g.hand[side, other, half]
            g.hand[side, other, half] = word
    size = g.hand_size[seat]
    g.hand_size[seat] = g.hand_size[other]
    g.hand_size[other] = size


@inner_kernel
def dump_color(g, seat, color):
    """ACT-9 `dump`: every card of a colour goes under the top card, in rising order of the slots (classic deck)."""
    top = top_card(g)
    g.discard_size -= 1
    for half in range(2):
        word = g.hand[LIGHT, seat, half] & COLOR_WORDS[color, half]
        while word != ZERO:
            card = 64 * half + lowest(word)
            word &= word - ONE
            take_from_hand(g, seat, card)
            put_on_discard(g, card)
    put_on_discard(g, top)
