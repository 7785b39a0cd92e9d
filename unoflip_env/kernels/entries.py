"""Sets of slots and of actions, and what goes with them, as the entries of an array of bytes."""

from __future__ import annotations

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.deck import NUM_CARDS, NUM_FACES
from unoflip_env.kernels.bits import BYTE, ZERO, byte_of_two, popcount
from unoflip_env.kernels.jit import inner_kernel

NUM_COLORED = NUM_FACES - 2


def _tables() -> tuple[np.ndarray, ...]:
    """For each byte of a set of slots, in bytes: its flags, its masks, its pairs counted, its lone upper slots.

    The last are masks over the lower slots of those pairs whose upper slot alone is in the set.
    """
    flags = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    lower, upper = flags[:, 0::2], flags[:, 1::2]
    lone = np.zeros_like(flags)
    lone[:, 0::2] = upper > lower
    return (
        flags.view(np.uint64)[:, 0],
        (flags * np.uint8(255)).view(np.uint64)[:, 0],
        (lower + upper).view(np.uint32)[:, 0].astype(np.uint64),
        (lone * np.uint8(255)).view(np.uint64)[:, 0],
    )


FLAGS, MASKS, PAIRS, LONE_UPPERS = _tables()


# A set of slots is written a byte of it at a time, from a table: eight entries, which the compiler stores in one move. It
# does so for unsigned places alone: of any other it asks each time whether it counts from the end.
@inner_kernel
def put(value, out, place):
    """One entry."""
    out[np.uint64(place)] = value


@inner_kernel
def put_eight(word, out, start):
    """The eight bytes of a word."""
    for k in range(8):
        out[np.uint64(start) + np.uint64(k)] = (word >> np.uint64(8 * k)) & BYTE


@inner_kernel
def put_four(word, out, start):
    """The low four bytes of a word."""
    for k in range(4):
        out[np.uint64(start) + np.uint64(k)] = (word >> np.uint64(8 * k)) & BYTE


@inner_kernel
def put_flags(w0, w1, out, start):
    """A set of slots, one entry each."""
    for i in range(NUM_CARDS // 8):
        put_eight(FLAGS[byte_of_two(w0, w1, i)], out, start + 8 * i)


@inner_kernel
def put_actions(w0, w1, w2, out):
    """A set of actions, one entry each."""
    for i in range(8):
        put_eight(FLAGS[byte_of_two(w0, w1, i)], out, 8 * i)
        put_eight(FLAGS[byte_of_two(w0, w1, 8 + i)], out, 64 + 8 * i)
    for i in range(NUM_ACTIONS // 8 - 16):
        put_eight(FLAGS[byte_of_two(w2, ZERO, i)], out, 128 + 8 * i)
    put_four(FLAGS[byte_of_two(w2, ZERO, NUM_ACTIONS // 8 - 16)], out, NUM_ACTIONS - 4)


@inner_kernel
def put_backs(w0, w1, backs, out, start):
    """The backs of a set of slots, each at its slot; 0 elsewhere."""
    for i in range(NUM_CARDS // 8):
        put_eight(backs[i] & MASKS[byte_of_two(w0, w1, i)], out, start + 8 * i)


@inner_kernel
def put_counts(w0, w1, out, start):
    """A set of slots counted by face: two slots a coloured face, four a wild."""
    for i in range(0, NUM_COLORED // 4 - 1, 2):
        upper = PAIRS[byte_of_two(w0, w1, i + 1)] << np.uint64(32)
        put_eight(PAIRS[byte_of_two(w0, w1, i)] | upper, out, start + 4 * i)
    put_four(PAIRS[byte_of_two(w0, w1, NUM_COLORED // 4 - 1)], out, start + NUM_COLORED - 4)
    wilds = byte_of_two(w0, w1, NUM_COLORED // 4)
    put(popcount(wilds & np.uint64(15)), out, start + NUM_COLORED)
    put(popcount(wilds >> np.uint64(4)), out, start + NUM_COLORED + 1)


@inner_kernel
def close_four(backs):
    """The backs of a wild's four slots, a byte each, moved down to its first places."""
    word, place = ZERO, ZERO
    for k in range(4):
        back = (backs >> np.uint64(8 * k)) & BYTE
        word |= back << place
        place += np.uint64(8 * (back != ZERO))
    return word


@inner_kernel
def put_held_backs(w0, w1, backs, out, start):
    """The same by held slots: a face's copies fill its places from the first on (see actions.py)."""
    for i in range(NUM_COLORED // 4):
        held = byte_of_two(w0, w1, i)
        word = backs[i] & MASKS[held]
        # Moves a byte down: it is added below and taken away above. With or and shifts it would not be stored in one move.
        put_eight(word - BYTE * ((word >> np.uint64(8)) & LONE_UPPERS[held]), out, start + 8 * i)
    wilds = backs[NUM_COLORED // 4] & MASKS[byte_of_two(w0, w1, NUM_COLORED // 4)]
    put_four(close_four(wilds), out, start + 2 * NUM_COLORED)
    put_four(close_four(wilds >> np.uint64(32)), out, start + 2 * NUM_COLORED + 4)
