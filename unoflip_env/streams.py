"""Counter-based random numbers: word n of a stream, whatever was drawn before it, alone or in a batch."""

from __future__ import annotations

import numpy as np

from unoflip_env.kernels.bits import GAMMA, mix

_S11 = np.uint64(11)


def random_words(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Word `numbers[i]` of stream `keys[i]`; all arrays of shape (n,) uint64."""
    words: np.ndarray = mix(mix(keys) + numbers * GAMMA)
    return words


def random_uniforms(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The same as float64 in [0, 1)."""
    uniforms: np.ndarray = (random_words(keys, numbers) >> _S11) * 2.0**-53
    return uniforms
