"""What is said twice, in LLVM's words and in Python, is the same; and it writes where it should."""

import numpy as np
import pytest

from unoflip_env.kernels import vectors
from unoflip_env.kernels.jit import kernel
from unoflip_env.kernels.vectors import NO_BIT, byte_writer

PLANES = ([0, 63, 64, 100, NO_BIT, 5, 127], [1, NO_BIT, 65, 100, NO_BIT, 6, 0])
_write = byte_writer(*PLANES)


@kernel
def write(words, source, out, start):
    _write((words[0], words[1]), source, out, start)


@pytest.mark.parametrize("has_source", [True, False])
def test_bits_are_written_as_the_interpreted_function_does(has_source: bool) -> None:
    rng = np.random.default_rng(1)
    for words in rng.integers(0, 2**64, (50, 2), dtype=np.uint64):
        source = rng.integers(0, 100, 8).astype(np.uint8) if has_source else None
        written, expected = np.full((2, 20), 200, np.uint8)
        write(words, source, written, 5)
        vectors._interpreted(PLANES)(tuple(words), source, expected, 5)
        assert written.tolist() == expected.tolist()
        assert (written[:5] == 200).all()
        assert (written[12:] == 200).all()


def test_sets_of_bits_are_added_up_over_the_planes() -> None:
    out = np.zeros(7, np.uint8)
    write(np.array([0b11, 1 << 36], np.uint64), None, out, 0)
    assert out.tolist() == [2, 0, 0, 2, 0, 0, 1]
