"""What an observation says about the table, as counts: whose cards are known, what is still hidden, who could play what."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from unoflip_env.deck import CLASSIC, FACE_COLOR, FACE_COPIES, FACE_SYMBOL, NOUGHT, NUM_CARDS, NUM_FACES, SLOT_FACE, WILD
from unoflip_env.kernels.jit import kernel

FRONTS, BACKS = 0, 1

Reading = namedtuple("Reading", "num_seats step side sizes hands hidden num_hidden")
"""Seats count from the observer, 0.

`step`: +1 or -1, the direction of play; `sizes[seat]`: cards in each hand; `hands[FRONTS or BACKS, seat, face]`: the cards
known on either side; `hidden[face]`: cards whose front is not known, on the side in play, and `num_hidden` their sum.
"""


@kernel
def copies_of(face, side):
    """DECK-1, DECK-2: the classic deck has one 0 of each colour."""
    return np.int64(FACE_COPIES[face]) - (side == CLASSIC and FACE_SYMBOL[face] == NOUGHT)


@kernel
def read(observation, at):
    """The Reading of an observation laid out as `at` says."""
    num_seats, side = np.int64(observation[at.num_seats]), np.int64(observation[at.side])
    sizes = np.zeros(num_seats, np.int64)
    hands = np.zeros((2, num_seats, NUM_FACES), np.int64)
    for seat in range(num_seats):
        sizes[seat] = observation[at.hand_sizes + seat]
    for slot in range(NUM_CARDS):
        if observation[at.own_hand + slot]:
            move_own(observation, at, hands, slot, 1)
    for other in range(num_seats - 1):
        for face in range(NUM_FACES):
            hands[FRONTS, other + 1, face] = observation[at.other_known + other * NUM_FACES + face]
            hands[BACKS, other + 1, face] = observation[at.other_backs + other * NUM_FACES + face]
    hidden = np.zeros(NUM_FACES, np.int64)
    for face in range(NUM_FACES):
        lying_open = np.int64(observation[at.discards + face]) + hands[FRONTS, :, face].sum()
        hidden[face] = copies_of(face, side) - lying_open
    step = 1 if observation[at.is_forward] else -1
    return Reading(num_seats, step, side, sizes, hands, hidden, hidden.sum())


@kernel
def move_own(observation, at, hands, slot, count):
    """Put the own card in a held slot into the counts (+1), or take it out of them (-1)."""
    hands[FRONTS, 0, SLOT_FACE[slot]] += count
    back = np.int64(observation[at.own_backs + slot])
    if back > 0:
        hands[BACKS, 0, back - 1] += count


@kernel
def seat_on(t, places):
    """The seat so many places on, in the direction of play."""
    return (places * t.step) % t.num_seats


@kernel
def matches(face, color, symbol):
    """TURN-1."""
    return FACE_SYMBOL[face] >= WILD or FACE_COLOR[face] == color or FACE_SYMBOL[face] == symbol


@kernel
def count_matches(t, layer, seat, color, symbol):
    """Cards known in a hand that could go onto this colour and symbol."""
    count = 0
    for face in range(NUM_FACES):
        if matches(face, color, symbol):
            count += t.hands[layer, seat, face]
    return count


@kernel
def chance_of_any(t, layer, seat, fraction):
    """The chance that a hand holds one of the cards that make up this fraction of the hidden ones."""
    num_unknown = t.sizes[seat] - t.hands[layer, seat].sum()
    return 1.0 - (1.0 - fraction) ** max(num_unknown, 0)


@kernel
def chance_to_play(t, layer, seat, color, symbol):
    """The chance that another seat could play a card onto this colour and symbol."""
    if count_matches(t, layer, seat, color, symbol) > 0:
        return 1.0
    fitting = 0
    for face in range(NUM_FACES):
        if matches(face, color, symbol):
            fitting += t.hidden[face]
    return chance_of_any(t, layer, seat, fitting / max(t.num_hidden, 1))


@kernel
def chance_to_hold(t, seat, color):
    """The chance that another seat holds a card of this colour."""
    fitting = 0
    for face in range(NUM_FACES):
        if FACE_COLOR[face] == color:
            if t.hands[FRONTS, seat, face] > 0:
                return 1.0
            fitting += t.hidden[face]
    return chance_of_any(t, FRONTS, seat, fitting / max(t.num_hidden, 1))
