"""Writes what a seat may know into its observation (INFO-1 to INFO-5); the fields are those of observation.py."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import FACE_START, LIGHT, NUM_FACES, SLOT_FACE
from unoflip_env.game import DECK_CLASSIC, NOBODY, RING
from unoflip_env.kernels.bits import ONE, ZERO, lowest
from unoflip_env.kernels.cards import (
    back_of,
    bottom_card,
    draw_pile_top,
    draw_size,
    front_of,
    held_card,
    held_slot,
    side_in_play,
    top_card,
)
from unoflip_env.kernels.jit import kernel, part_of_kernel
from unoflip_env.kernels.legal import DRAWN


@kernel
def seat_relative(g, seat, observer):
    """Seats on from the observer, 0 to num_seats - 1."""
    distance = np.int64(seat) - observer
    return distance if distance >= 0 else distance + np.int64(g.num_seats)


@part_of_kernel
def write_own_hand(g, sees_own_backs, seat, at, out):
    """Own cards as held slots: a face's copies fill its places in rising order (see actions.py)."""
    last_face, place = -1, 0
    for half in range(2):
        word = g.hand[g.side, seat, half]
        while word != ZERO:
            slot = 64 * half + lowest(word)
            word &= word - ONE
            face = SLOT_FACE[slot]
            place = place + 1 if face == last_face else FACE_START[face]
            last_face = face
            out[at.own_hand + place] = 1
            if sees_own_backs:
                out[at.own_backs + place] = 1 + SLOT_FACE[g.partner[g.side, slot]]


@kernel
def write_other_hand(g, at, other, observer, start, sees_backs, out):
    """INFO-2, INFO-3: the backs of another hand, and the fronts known for certain."""
    if sees_backs:
        for half in range(2):
            word = g.hand[1 - g.side, other, half]
            while word != ZERO:
                out[at.other_backs + start + SLOT_FACE[64 * half + lowest(word)]] += 1
                word &= word - ONE
    for half in range(2):
        word = g.hand[LIGHT, other, half]
        if not at.is_open:
            word &= g.known[observer, half] if sees_backs else g.shown[observer, half]
        while word != ZERO:
            card = 64 * half + lowest(word)
            out[at.other_known + start + SLOT_FACE[front_of(g, card)]] += 1
            word &= word - ONE


@part_of_kernel
def write_discards(g, at, sees_backs, out):
    for i in range(g.discard_size):
        card = g.discard_pile[(np.int64(g.discard_start) + i) & (RING - 1)]
        out[at.discards + SLOT_FACE[front_of(g, card)]] += 1
    if not sees_backs:
        return
    for half in range(2):
        word = g.seen[half]
        while word != ZERO:
            card = 64 * half + lowest(word)
            word &= word - ONE
            place = at.seen_backs + FACE_START[SLOT_FACE[front_of(g, card)]]
            while out[place] != 0:
                place += 1
            out[place] = 1 + SLOT_FACE[back_of(g, card)]


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
        card = held_card(g, np.int64(g.cutter), np.int64(g.cut_slot))
        out[at.cut_face] = 1 + SLOT_FACE[front_of(g, card)]
    out[at.challenged_color] = g.challenged_color
    if g.phase == DRAWN and g.actor == observer:
        out[at.drawn_slot] = 1 + held_slot(g, observer, g.drawn_card)
    if r.max_turns > 0:
        out[at.turns_left] = min(255, max(0, np.int64(r.max_turns) - np.int64(g.num_turns)))


@part_of_kernel
def write_rules(g, r, at, out):
    """The rules in force: those that a vote can change come first."""
    for i in range(r.observed.size):
        out[at.rules + i] = g.rules[i] if i < g.rules.size else r.observed[i]


@part_of_kernel
def write_seats(g, r, at, observer, out):
    for seat in range(g.num_seats):
        place = seat_relative(g, seat, observer)
        out[at.hand_sizes + place] = g.hand_size[seat]
        out[at.said_uno + place] = (np.int64(g.said_uno) >> seat) & 1
        out[at.scores + place] = min(255, np.int64(g.scores[seat]) * 100 // np.int64(r.target))


@part_of_kernel
def write_draw_pile(g, at, out):
    """Only under `open` information."""
    for i in range(draw_size(g)):
        place = np.int64(g.draw_end) - 1 - i if g.side == LIGHT else np.int64(g.draw_start) + i
        out[at.draw_pile + i] = 1 + SLOT_FACE[front_of(g, g.draw_pile[place])]


@part_of_kernel
def write_observation(g, r, at, observer, out):
    """One seat's observation into `out`, shape (at.size,) uint8."""
    for i in range(at.size):
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
