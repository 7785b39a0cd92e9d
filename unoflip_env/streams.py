"""Counter-based random numbers: word n of a stream, whatever was drawn before it, alone or in a batch."""

from __future__ import annotations

import struct
from hashlib import blake2b

import numpy as np

from unoflip_env.kernels.bits import GAMMA, mix

_S11 = np.uint64(11)


def random_words(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Word `numbers[i]` of stream `keys[i]`; all arrays of shape (n,) uint64."""
    words: np.ndarray = mix(mix(keys) + numbers * GAMMA)
    return words


def closed_keys(seeds: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Keys of streams, one for each seed and number, from whose words nobody finds the way back to the seed.

    Words of a stream give its key away (`mix` can be undone), and agents are told words: had a key come from the seed of the
    deal by `random_words`, they could work out all cards. All arrays of shape (n,) uint64.
    """
    pairs = zip(seeds.tolist(), numbers.tolist(), strict=True)
    digests = b"".join(blake2b(struct.pack("<QQ", *pair), digest_size=8).digest() for pair in pairs)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def random_uniforms(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The same as float64 in [0, 1)."""
    uniforms: np.ndarray = (random_words(keys, numbers) >> _S11) * 2.0**-53
    return uniforms
