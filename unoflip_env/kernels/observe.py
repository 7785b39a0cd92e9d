"""Writes what a seat may know into its observation (INFO-1 to INFO-5); the fields are those of observation.py."""

from __future__ import annotations

import numpy as np

from unoflip_env.deck import LIGHT, NUM_FACES, SLOT_FACE
from unoflip_env.game import DECK_CLASSIC, NOBODY
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
from unoflip_env.kernels.entries import put, put_backs, put_counts, put_flags, put_held_backs, put_rules
from unoflip_env.kernels.jit import hot_kernel, inner_kernel, part_of_kernel
from unoflip_env.kernels.legal import DRAWN, held_slots


@inner_kernel
def seat_relative(g, seat, observer):
    """Seats on from the observer, 0 to num_seats - 1."""
    distance = np.int64(seat) - observer
    return distance if distance >= 0 else distance + np.int64(g.num_seats)


@inner_kernel
def seat_on(g, observer, place):
    """The seat so many places on from the observer, less than num_seats."""
    seat = observer + place
    return seat if seat < np.int64(g.num_seats) else seat - np.int64(g.num_seats)


@part_of_kernel
def write_own_hand(g, sees_own_backs, seat, at, out):
    hand = g.hand[g.side, seat]
    w0, w1 = held_slots(hand[0], hand[1])
    put_flags(w0, w1, out, at.own_hand)
    if sees_own_backs:
        put_held_backs(hand[0], hand[1], g.backs[g.side], out, at.own_backs)


@hot_kernel
def write_other_hand(g, at, other, observer, start, sees_backs, out):
    """INFO-2, INFO-3: the backs of another hand, and the fronts known for certain."""
    if sees_backs:
        put_counts(g.hand[1 - g.side, other, 0], g.hand[1 - g.side, other, 1], out, at.other_backs + start)
    w0, w1 = g.hand[g.side, other, 0], g.hand[g.side, other, 1]
    if not at.is_open:
        known = g.known if sees_backs else g.shown
        w0 &= known[g.side, observer, 0]
        w1 &= known[g.side, observer, 1]
    put_counts(w0, w1, out, at.other_known + start)


@part_of_kernel
def write_discards(g, at, sees_backs, out):
    put_counts(g.lying[g.side, 0], g.lying[g.side, 1], out, at.discards)
    if sees_backs:
        put_backs(g.seen[g.side, 0], g.seen[g.side, 1], g.backs[g.side], out, at.seen_backs)


@part_of_kernel
def write_piles(g, at, sees_backs, out):
    put(SLOT_FACE[front_of(g, top_card(g))], out, at.top_face)
    put(g.color, out, at.color)
    put(draw_size(g), out, at.draw_size)
    if sees_backs:
        put(1 + SLOT_FACE[back_of(g, bottom_card(g))], out, at.flip_face)
        put(1 + SLOT_FACE[back_of(g, draw_pile_top(g))] if draw_size(g) > 0 else 0, out, at.draw_back)


@inner_kernel
def seat_number(g, seat, observer):
    """1 + seats on from the observer; 0 for NOBODY."""
    return 1 + seat_relative(g, seat, observer) if seat != NOBODY else 0


@part_of_kernel
def write_decision(g, r, at, observer, out):
    put(side_in_play(g, r), out, at.side)
    put(g.direction > 0, out, at.is_forward)
    put(g.num_seats, out, at.num_seats)
    put(g.phase, out, at.phase)
    put(seat_number(g, g.actor, observer), out, at.actor)
    put(seat_relative(g, g.turn_seat, observer), out, at.turn_seat)
    put(g.pending_draws, out, at.pending_draws)
    put(g.pair_size, out, at.pair_size)
    put(g.proposal, out, at.proposal)
    put(seat_number(g, g.silent_seat, observer), out, at.silent_seat)
    put(seat_number(g, g.cutter, observer), out, at.cutter)
    put(1 + SLOT_FACE[front_of(g, g.cut_card)] if g.cutter != NOBODY else 0, out, at.cut_face)
    put(g.challenged_color, out, at.challenged_color)
    is_own_draw = g.phase == DRAWN and g.actor == observer
    put(1 + held_slot(g, observer, g.drawn_card) if is_own_draw else 0, out, at.drawn_slot)
    turns_left = max(0, np.int64(r.max_turns) - np.int64(g.num_turns)) if r.max_turns > 0 else 0
    put(min(255, turns_left), out, at.turns_left)


@part_of_kernel
def write_seats(g, r, at, observer, out):
    for place in range(g.num_seats):
        seat = seat_on(g, observer, place)
        score = np.int64(g.scores[seat])
        put(g.hand_size[seat], out, at.hand_sizes + place)
        put((np.int64(g.said_uno) >> seat) & 1, out, at.said_uno + place)
        put(min(255, score * 100 // np.int64(r.target)) if score > 0 else 0, out, at.scores + place)


@part_of_kernel
def write_draw_pile(g, at, out):
    """Only under `open` information."""
    for i in range(draw_size(g)):
        place = np.int64(g.draw_end) - 1 - i if g.side == LIGHT else np.int64(g.draw_start) + i
        put(1 + SLOT_FACE[front_of(g, g.draw_pile[place])], out, at.draw_pile + i)


@inner_kernel
def write_observation(g, r, at, observer, out):
    """One seat's observation into `out`, shape (at.length,) uint8."""
    sees_backs = at.sees_backs != 0 and r.deck != DECK_CLASSIC
    sees_own_backs = sees_backs and r.sees_own_backs != 0
    if at.is_open or not sees_own_backs or g.num_seats < at.max_players:  # some entries are not told of
        for i in range(at.length):
            put(0, out, i)
    write_own_hand(g, sees_own_backs, observer, at, out)
    for place in range(1, g.num_seats):
        write_other_hand(g, at, seat_on(g, observer, place), observer, (place - 1) * NUM_FACES, sees_backs, out)
    write_discards(g, at, sees_backs, out)
    write_piles(g, at, sees_backs, out)
    write_decision(g, r, at, observer, out)
    write_seats(g, r, at, observer, out)
    put_rules(r.observed, g.rules, out, at.rules)
    if at.is_open:
        write_draw_pile(g, at, out)
