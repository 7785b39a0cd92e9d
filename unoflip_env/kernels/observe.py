"""Writes what a seat may know into its observation (INFO-1 to INFO-5); the fields are those of observation.py."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import LIGHT, NUM_CARDS, NUM_FACES, SLOT_FACE
from unoflip_env.game import DECK_CLASSIC, NOBODY
from unoflip_env.kernels.bits import popcount
from unoflip_env.kernels.cards import (
    back_of,
    bottom_card,
    draw_pile_top,
    draw_size,
    front_of,
    held_slot,
    side_in_play,
    top_card,
)
from unoflip_env.kernels.jit import kernel, part_of_kernel
from unoflip_env.kernels.legal import DRAWN, held_slots

NUM_COLORED = NUM_FACES - 2
BYTE = np.uint64(255)


@kernel
def seat_relative(g, seat, observer):
    """Seats on from the observer, 0 to num_seats - 1."""
    distance = np.int64(seat) - observer
    return distance if distance >= 0 else distance + np.int64(g.num_seats)


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each byte of a set of slots: its 8 flags, the same as masks, and its 4 pairs of slots counted; a byte an entry."""
    flags = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    pairs = flags[:, 0::2] + flags[:, 1::2]
    return (
        flags.view(np.uint64)[:, 0],
        (flags * np.uint8(255)).view(np.uint64)[:, 0],
        pairs.view(np.uint32)[:, 0].astype(np.uint64),
    )


FLAGS, MASKS, PAIRS = _tables()


# A set of slots is written a byte of it at a time, from a table: eight entries, which the compiler stores in one move.
@kernel
def byte_of(w0, w1, i):
    """Byte `i` of two words, 0 to 15."""
    word = w0 if i < 8 else w1
    return np.int64((word >> np.uint64(8 * (i & 7))) & BYTE)


@kernel
def store(word, out):
    """The eight bytes of a word."""
    for k in range(8):
        out[k] = (word >> np.uint64(8 * k)) & BYTE


@kernel
def write_flags(w0, w1, out):
    """A set of slots, one entry each."""
    for i in range(NUM_CARDS // 8):
        store(FLAGS[byte_of(w0, w1, i)], out[8 * i : 8 * i + 8])


@kernel
def write_backs(w0, w1, backs, out):
    """The backs of a set of slots, each at its slot; 0 elsewhere."""
    for i in range(NUM_CARDS // 8):
        store(backs[i] & MASKS[byte_of(w0, w1, i)], out[8 * i : 8 * i + 8])


@kernel
def write_counts(w0, w1, out):
    """A set of slots counted by face: two slots a coloured face, four a wild."""
    for i in range(NUM_COLORED // 4):
        pairs, part = PAIRS[byte_of(w0, w1, i)], out[4 * i : 4 * i + 4]
        for k in range(4):
            part[k] = (pairs >> np.uint64(8 * k)) & BYTE
    wilds = byte_of(w0, w1, NUM_COLORED // 4)
    out[NUM_COLORED] = popcount(np.uint64(wilds & 15))
    out[NUM_COLORED + 1] = popcount(np.uint64(wilds >> 4))


@kernel
def close_ranks(out):
    """Backs by slot become backs by held slot: a face's copies fill its places from the first on (see actions.py)."""
    for i in range(NUM_COLORED):
        lower, upper = out[2 * i], out[2 * i + 1]
        out[2 * i] = lower if lower != 0 else upper
        out[2 * i + 1] = upper if lower != 0 else 0
    for first in range(2 * NUM_COLORED, NUM_CARDS, 4):
        place = first
        for slot in range(first, first + 4):
            back = out[slot]
            out[slot] = 0
            if back != 0:
                out[place] = back
                place += 1


@part_of_kernel
def write_own_hand(g, sees_own_backs, seat, at, out):
    hand = g.hand[g.side, seat]
    w0, w1 = held_slots(hand[0], hand[1])
    write_flags(w0, w1, out[at.own_hand :])
    if sees_own_backs:
        write_backs(hand[0], hand[1], g.backs[g.side], out[at.own_backs :])
        close_ranks(out[at.own_backs :])


@kernel
def write_other_hand(g, at, other, observer, start, sees_backs, out):
    """INFO-2, INFO-3: the backs of another hand, and the fronts known for certain."""
    if sees_backs:
        write_counts(g.hand[1 - g.side, other, 0], g.hand[1 - g.side, other, 1], out[at.other_backs + start :])
    w0, w1 = g.hand[g.side, other, 0], g.hand[g.side, other, 1]
    if not at.is_open:
        known = g.known if sees_backs else g.shown
        w0 &= known[g.side, observer, 0]
        w1 &= known[g.side, observer, 1]
    write_counts(w0, w1, out[at.other_known + start :])


@part_of_kernel
def write_discards(g, at, sees_backs, out):
    write_counts(g.lying[g.side, 0], g.lying[g.side, 1], out[at.discards :])
    if sees_backs:
        write_backs(g.seen[g.side, 0], g.seen[g.side, 1], g.backs[g.side], out[at.seen_backs :])


@part_of_kernel
def write_piles(g, at, sees_backs, out):
    out[at.top_face] = SLOT_FACE[front_of(g, top_card(g))]
    out[at.color] = g.color
    out[at.draw_size] = draw_size(g)
    if sees_backs:
        out[at.flip_face] = 1 + SLOT_FACE[back_of(g, bottom_card(g))]
        if draw_size(g) > 0:
            out[at.draw_back] = 1 + SLOT_FACE[back_of(g, draw_pile_top(g))]


@part_of_kernel
def write_decision(g, r, at, observer, out):
    out[at.side] = side_in_play(g, r)
    out[at.is_forward] = g.direction > 0
    out[at.num_seats] = g.num_seats
    out[at.phase] = g.phase
    if g.actor != NOBODY:
        out[at.actor] = 1 + seat_relative(g, g.actor, observer)
    out[at.turn_seat] = seat_relative(g, g.turn_seat, observer)
    out[at.pending_draws] = g.pending_draws
    out[at.pair_size] = g.pair_size
    out[at.proposal] = g.proposal
    if g.silent_seat != NOBODY:
        out[at.silent_seat] = 1 + seat_relative(g, g.silent_seat, observer)
    if g.cutter != NOBODY:
        out[at.cutter] = 1 + seat_relative(g, g.cutter, observer)
        out[at.cut_face] = 1 + SLOT_FACE[front_of(g, g.cut_card)]
    out[at.challenged_color] = g.challenged_color
    if g.phase == DRAWN and g.actor == observer:
        out[at.drawn_slot] = 1 + held_slot(g, observer, g.drawn_card)
    if r.max_turns > 0:
        out[at.turns_left] = min(255, max(0, np.int64(r.max_turns) - np.int64(g.num_turns)))


@part_of_kernel
def write_rules(g, r, at, out):
    """The rules in force: those that a vote can change come first."""
    part = out[at.rules : at.rules + r.observed.size]
    for i in range(part.size):
        part[i] = r.observed[i]
    for i in range(g.rules.size):
        part[i] = g.rules[i]


@part_of_kernel
def write_seats(g, r, at, observer, out):
    for seat in range(g.num_seats):
        place = seat_relative(g, seat, observer)
        out[at.hand_sizes + place] = g.hand_size[seat]
        out[at.said_uno + place] = (np.int64(g.said_uno) >> seat) & 1
        if g.scores[seat] > 0:
            out[at.scores + place] = min(255, np.int64(g.scores[seat]) * 100 // np.int64(r.target))


@part_of_kernel
def write_draw_pile(g, at, out):
    """Only under `open` information."""
    for i in range(draw_size(g)):
        place = np.int64(g.draw_end) - 1 - i if g.side == LIGHT else np.int64(g.draw_start) + i
        out[at.draw_pile + i] = 1 + SLOT_FACE[front_of(g, g.draw_pile[place])]


@part_of_kernel
def write_observation(g, r, at, observer, out):
    """One seat's observation into `out`, shape (at.length,) uint8."""
    for i in range(at.length):
        out[i] = 0
    sees_backs = at.sees_backs != 0 and r.deck != DECK_CLASSIC
    write_own_hand(g, sees_backs and r.sees_own_backs != 0, observer, at, out)
    for k in range(np.int64(g.num_seats) - 1):
        other = (observer + k + 1) % np.int64(g.num_seats)
        write_other_hand(g, at, other, observer, k * NUM_FACES, sees_backs, out)
    write_discards(g, at, sees_backs, out)
    write_piles(g, at, sees_backs, out)
    write_decision(g, r, at, observer, out)
    write_seats(g, r, at, observer, out)
    write_rules(g, r, at, out)
    if at.is_open:
        write_draw_pile(g, at, out)
