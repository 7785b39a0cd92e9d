"""Counter-based random numbers: words as they are defined, and keys that don't give the seed away."""

import numpy as np

from unoflip_env.kernels.bits import GAMMA, mix
from unoflip_env.streams import closed_keys, random_uniforms, random_words

SEEDS = np.arange(5, dtype=np.uint64) + np.uint64(2**63)
NUMBERS = np.arange(5, dtype=np.uint64)


def test_words_depend_on_their_own_key_and_number_alone() -> None:
    words = random_words(SEEDS, NUMBERS)
    np.testing.assert_array_equal(words, mix(mix(SEEDS) + NUMBERS * GAMMA))
    np.testing.assert_array_equal(random_words(SEEDS[3:], NUMBERS[3:]), words[3:])
    assert ((random_uniforms(SEEDS, NUMBERS) >= 0) & (random_uniforms(SEEDS, NUMBERS) < 1)).all()


def test_keys_are_those_of_a_cryptographic_hash() -> None:
    """What `hashlib.blake2b` gives for seed and number, eight bytes each, the lowest first."""
    assert [hex(key) for key in closed_keys(SEEDS[:2], NUMBERS[:2])] == ["0x140dd0b98e16d648", "0x4cdc9364c130fe9b"]
    assert np.unique(closed_keys(SEEDS, NUMBERS)).size == 5
    assert closed_keys(SEEDS[:0], NUMBERS[:0]).shape == (0,)
