"""The C version, built and called through ctypes, on the buffers of an engine that it is compared with."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.kernels.batch import episode_seed

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
FOLDER = Path(__file__).parent


class NoCompilerError(RuntimeError):
    """There is no C compiler on this machine."""


def compiler() -> str:
    """The C compiler's path; raises NoCompilerError without one."""
    path = shutil.which("cc")
    if path is None:
        raise NoCompilerError("no C compiler: expected `cc` on the path")
    return path


@lru_cache
def build() -> ctypes.CDLL:
    """Compile and load the library; raises NoCompilerError, or CalledProcessError with the compiler's words."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "yardstick.so"
        subprocess.run([compiler(), *FLAGS, "-o", library, FOLDER / "yardstick.c"], check=True)
        loaded = ctypes.CDLL(str(library))
    loaded.game_size.restype = ctypes.c_int64
    return loaded


class Yardstick:
    """A batch of games in C that go as those of `Engine("official", num_games, seed, num_players=...)` do.

    `counts` adds up (rounds ended, cards drawn by choice, Flips played, wins by seat).
    """

    def __init__(self, num_games: int, seed: int = 0, *, num_players: int = 2) -> None:
        self._library = build()
        engine = Engine("official", 1, num_players=num_players)
        self.num_games, self.num_players = num_games, num_players
        self.bytes_per_game = int(self._library.game_size())
        self._rules = np.ascontiguousarray(engine.observe()[0, engine.layout["rules"]])
        self._games = _aligned(num_games * self.bytes_per_game)
        self.masks = np.zeros((num_games, NUM_ACTIONS), np.uint8)
        self.observations = np.zeros((num_games, engine.layout.size), np.uint8)
        self.rewards = np.zeros((num_games, num_players), np.float32)
        self.counts = np.zeros(3 + num_players, np.int64)
        numbers = np.arange(num_games, dtype=np.uint64)
        seeds = episode_seed(np.uint64(seed), numbers, np.zeros(num_games, np.uint64))
        self._library.start(_pointer(self._games), _int(num_games), _int(num_players), _pointer(seeds))

    def stand_as(self, other: Yardstick) -> None:
        """Take over the games of another batch, again from its first where it has too few."""
        self._games[:] = np.resize(other._games, self._games.size)

    def play(self, seed: int, num_decisions: int, what: int, start: int = 0, stop: int | None = None) -> None:
        """What `random_play.play_randomly` does with the same seed; `what` is one of its kinds."""
        self._library.play(
            _pointer(self._games),
            _int(start),
            _int(self.num_games if stop is None else stop),
            ctypes.c_uint64(seed),
            _int(num_decisions),
            _int(what),
            _pointer(self._rules),
            _int(self._rules.size),
            _pointer(self.masks),
            _pointer(self.observations),
            _int(self.observations.shape[1]),
            _pointer(self.rewards),
            _pointer(self.counts),
        )


_int = ctypes.c_int64


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _aligned(size: int) -> np.ndarray:
    """Zeroed memory that starts at a multiple of 64 bytes, as the sets of 16 ask for."""
    memory = np.zeros(size + 64, np.uint8)
    return memory[-memory.ctypes.data % 64 :][:size]
