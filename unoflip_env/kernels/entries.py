"""Sets of slots and of actions, and what goes with them, as the entries of an array of bytes."""

from __future__ import annotations

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import FACE_COPIES, FACE_START, NUM_CARDS
from unoflip_env.game import OBSERVED, VOTABLE
from unoflip_env.kernels.bits import BYTE, ONE
from unoflip_env.kernels.jit import inner_kernel
from unoflip_env.kernels.vectors import NO_BIT, byte_writer

_FIRST_WILD = int(FACE_START[-2])
_WILDS_AT = np.uint64(_FIRST_WILD - 64)
_COLORED = (ONE << _WILDS_AT) - ONE
_LOWER = np.uint64(0x5555555555555555)
"""The lower of a coloured face's two slots."""
_S8, _S16 = np.uint64(8), np.uint64(16)


def _moves() -> np.ndarray:
    """For each set of the wilds' eight slots, byte d: the places that get what lies d slots above (see actions.py)."""
    table = np.zeros(256, np.uint64)
    for held in range(256):
        for first in (0, 4):
            slots = [slot for slot in range(first, first + 4) if held >> slot & 1]
            for place, slot in enumerate(slots, start=first):
                table[held] |= np.uint64(1 << (8 * (slot - place) + place))
    return table


MOVES = _moves()
_NOT_WILD = [NO_BIT] * _FIRST_WILD
_write_slots = byte_writer(range(NUM_CARDS))
_write_actions = byte_writer(range(NUM_ACTIONS))
_write_counts = byte_writer(
    *[np.where(copy < FACE_COPIES, FACE_START + copy, NO_BIT).tolist() for copy in range(FACE_COPIES.max())]
)
_write_moved = byte_writer(
    range(NUM_CARDS), range(128, 128 + NUM_CARDS), [*_NOT_WILD, *range(256, 264)], [*_NOT_WILD, *range(264, 272)]
)
_write_observed, _write_votable = byte_writer([0] * len(OBSERVED)), byte_writer([0] * len(VOTABLE))


@inner_kernel
def put(value, out, place):
    """One entry; for an unsigned place nobody asks whether it counts from the end."""
    out[np.uint64(place)] = value


@inner_kernel
def put_flags(w0, w1, out, start):
    """A set of slots, one entry each."""
    _write_slots((w0, w1), None, out, start)


@inner_kernel
def put_actions(w0, w1, w2, out):
    """A set of actions, one entry each."""
    _write_actions((w0, w1, w2), None, out, 0)


@inner_kernel
def put_backs(w0, w1, backs, out, start):
    """The backs of a set of slots, each at its slot; 0 elsewhere."""
    _write_slots((w0, w1), backs, out, start)


@inner_kernel
def put_counts(w0, w1, out, start):
    """A set of slots counted by face."""
    _write_counts((w0, w1), None, out, start)


@inner_kernel
def put_held_backs(w0, w1, backs, out, start):
    """The backs of a hand by held slots: a face's copies fill its places from the first on (see actions.py)."""
    up0, up1 = (w0 >> ONE) & ~w0 & _LOWER, (w1 >> ONE) & ~w1 & _LOWER & _COLORED  # lone upper copies move one down
    moves = MOVES[w1 >> _WILDS_AT]
    w0 &= ~(up0 << ONE)
    w1 = (w1 & _COLORED & ~(up1 << ONE)) | ((moves & BYTE) << _WILDS_AT)
    _write_moved((w0, w1, up0, up1 | (((moves >> _S8) & BYTE) << _WILDS_AT), moves >> _S16), backs, out, start)


@inner_kernel
def put_rules(observed, votable, out, start):
    """The codes of the options: those that a vote can change come first, and from the game."""
    _write_observed((ONE,), observed, out, start)
    _write_votable((ONE,), votable, out, start)
