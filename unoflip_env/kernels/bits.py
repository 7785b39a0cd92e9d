"""Sets of slots as two 64-bit words, and the generator of a game's random numbers (both in plain integer arithmetic)."""

from __future__ import annotations

import numpy as np

from unoflip_env.kernels.jit import inner_kernel, kernel

ONE = np.uint64(1)
ZERO = np.uint64(0)
BYTE = np.uint64(255)
_M1, _M2, _M4 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@inner_kernel
def popcount(x):
    """Number of bits set (the compiler knows this idiom and emits one instruction)."""
    x = x - ((x >> _S1) & _M1)
    x = (x & _M2) + ((x >> _S2) & _M2)
    x = (x + (x >> _S4)) & _M4
    return np.int64((x * _H01) >> _S56)


@inner_kernel
def lowest(x):
    """Index of the lowest bit set; 64 if there is none."""
    return popcount(~x & (x - ONE))


@inner_kernel
def bit(slot):
    """The word with the bit of `slot` set (within its own word)."""
    return ONE << np.uint64(slot & 63)


@inner_kernel
def has(words, slot):
    return (words[slot >> 6] & bit(slot)) != ZERO


@kernel
def mix(z):
    """SplitMix64's finaliser (Steele, Lea and Flood 2014): a bijection of 64 bits that scatters them."""
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@inner_kernel
def draw_number(g):
    """The next 64 random bits of a game: number `rng_count` of its stream."""
    z = mix(g.rng_key + g.rng_count * GAMMA)
    g.rng_count += ONE
    return z


@inner_kernel
def below(g, n):
    """A random integer from 0 to n - 1."""
    return np.int64(((draw_number(g) >> _S32) * np.uint64(n)) >> _S32)


@inner_kernel
def shuffle(g, items, size):
    """Shuffle the first `size` items (Fisher and Yates, from the end)."""
    for i in range(size - 1, 0, -1):
        j = below(g, i + 1)
        items[i], items[j] = items[j], items[i]


@inner_kernel
def seek(g, block):
    """Jump to the start of a block of random numbers of this round: 0 for the deal, k for the k-th reshuffle.

    So the same seed gives the same deals and the same k-th reshuffle, whatever was decided in between.
    """
    g.rng_count = (np.uint64(g.num_rounds) << _S32) | (np.uint64(block) << np.uint64(16))
