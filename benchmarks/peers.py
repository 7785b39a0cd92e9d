"""The engine beside other libraries and beside a version of it in C: all in one run, taking turns, the best of the repeats.

python -m benchmarks.peers [--seconds 0.5] [--repeats 5] [--json] [--markdown docs/performance.md]

The others are installed into a virtual environment of their own, .venv-peers, as benchmarks/peers.txt pins them. One that
is missing, or a missing C compiler, is listed as missing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import numba
import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks import interfaces, performance_page, whole_games
from benchmarks.yardstick.binding import NoCompilerError, Yardstick
from unoflip_env import bench
from unoflip_env.bench_command import in_words
from unoflip_env.kernels import random_play
from unoflip_env.kernels.bits import mix

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venv-peers"
REQUIREMENTS = Path(__file__).with_name("peers.txt")
NUM_PLAYERS = 4
BATCHES = (1024, 65_536)  # their records, masks and observations: 3 MB, and more than any cache holds
PEERS = {
    "open_spiel": "OpenSpiel {}, crazy_eights(players=4), whole games in C++ by evaluate_bots",
    "rlcard": "RLCard {}, UNO with 4 players, env.step alone",
    "rlcard_2": "RLCard {}, UNO with 2 players (its default), env.step alone",
    "pgx": "Pgx {}, sparrow_mahjong, 1,024 games, jitted",
}


class MissingError(RuntimeError):
    """Something cannot be measured on this machine; the message says why."""


@dataclass
class Contestant:
    """Something that is measured: work a second, given the seconds to spend on it."""

    name: str
    rate: Callable[[float], float] | None
    missing: str = ""
    samples: list[float] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        """The fastest sample, for whatever else the machine does only slows it down; None if it is missing."""
        return max(self.samples, default=None)

    @property
    def typical(self) -> float | None:
        """The median sample: of one thread the best would be a moment when the machine gave it more than it has for two."""
        return median(self.samples) if self.samples else None


class Worker:
    """A process in the peers' virtual environment that measures one library (peer.py)."""

    def __init__(self, peer: str) -> None:
        command = [str(peers_python()), str(Path(__file__).with_name("peer.py")), peer]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 `close` closes it; a pipe that nobody reads fills up
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        self.version = self._answer("ready ")

    def rate(self, seconds: float) -> float:
        """Decisions a second."""
        assert self._process.stdin is not None
        print(seconds, file=self._process.stdin, flush=True)
        return float(self._answer(""))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        self._errors.close()

    def _answer(self, prefix: str) -> str:
        """The rest of the next line that begins so; raises MissingError with the process's last words if it ends."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(prefix):
                return line[len(prefix) :].strip()
        self._process.communicate()
        self._errors.seek(0)
        raise MissingError((self._errors.read().strip().splitlines() or ["it ended without a word"])[-1])


def peers_python() -> Path:
    """The Python of the peers' virtual environment, made if need be; raises MissingError if it cannot be."""
    stamp = VENV / "installed.txt"
    python = VENV / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == REQUIREMENTS.read_text(encoding="utf-8"):
        return python
    print(f"installing the peers into {VENV.name} ...", file=sys.stderr, flush=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS)], check=True)
    except subprocess.CalledProcessError as error:
        raise MissingError(f"{VENV.name} could not be installed (exit status {error.returncode})") from error
    stamp.write_text(REQUIREMENTS.read_text(encoding="utf-8"), encoding="utf-8")
    return python


def engine_contestants() -> list[Contestant]:
    """The engine: game after game, also at tables of two, in lockstep, and in two threads."""
    play, pairs = bench.RandomPlay(num_players=NUM_PLAYERS), bench.RandomPlay(num_players=2)
    found = [_contestant(f"engine, {name}", partial(play.run, kind)) for name, kind in bench.KINDS.items()]
    found.append(_contestant("engine, 2 players", partial(pairs.run, random_play.OBSERVATION)))
    for size in BATCHES:
        batch = bench.RandomPlay(num_players=NUM_PLAYERS, num_games=size)
        found.append(_contestant(f"engine, {size} games", partial(batch.run, random_play.OBSERVATION, num_decisions=1)))
        found.append(_contestant(f"calls, {size} games", batch.run_engine))
    for num_threads in (1, 2):
        shared, pool = bench.RandomPlay(num_players=NUM_PLAYERS, num_games=2 * bench.NUM_GAMES), ThreadPoolExecutor(num_threads)
        run = partial(shared.run_in, pool, num_threads, random_play.OBSERVATION)
        found.append(_contestant(f"engine, threads={num_threads}", run))
    return found


def c_contestants() -> list[Contestant]:
    """The version in C, if there is a compiler: game after game, and in lockstep."""
    kinds = [(f"C, {name}", bench.NUM_GAMES, kind, bench.DECISIONS) for name, kind in bench.KINDS.items()]
    batches = [(f"C, {size} games", size, random_play.OBSERVATION, 1) for size in BATCHES]
    try:
        midway = Yardstick(bench.NUM_GAMES, num_players=NUM_PLAYERS)
    except (NoCompilerError, subprocess.CalledProcessError) as error:
        return [Contestant(name, None, missing=str(error)) for name, *_ in (*kinds, *batches)]
    midway.play(0, bench.DECISIONS_BEFORE, random_play.BARE)
    found = []
    for name, size, kind, num_decisions in (*kinds, *batches):
        games = Yardstick(size, num_players=NUM_PLAYERS)
        games.stand_as(midway)
        found.append(_contestant(name, partial(run_c, games, kind, num_decisions)))
    return found


def run_c(games: Yardstick, kind: int, num_decisions: int) -> tuple[int, float]:
    """What `RandomPlay.run` does."""
    begin = time.process_time()
    games.play(int(games.counts[1]), num_decisions, kind)
    return games.num_games * num_decisions, time.process_time() - begin


@numba.njit(nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def mix_numbers(count: int) -> np.uint64:
    """Arithmetic that touches no memory and keeps a core as busy as can be: so many numbers, none waiting for another."""
    total: np.uint64 = np.uint64(0)
    for number in range(count):
        total ^= mix(np.uint64(number))
    return total


def arithmetic_contestants(count: int = 5_000_000) -> list[Contestant]:
    """What a second thread can gain at best on this machine, at this time."""
    found = []
    for num_threads in (1, 2):
        run = partial(mix_in_threads, ThreadPoolExecutor(num_threads), num_threads, count)
        run()  # compiles
        found.append(_contestant(f"arithmetic, threads={num_threads}", run))
    return found


def mix_in_threads(pool: ThreadPoolExecutor, num_threads: int, count: int) -> tuple[int, float]:
    """Numbers mixed by all threads, by the clock."""
    begin = time.perf_counter()
    list(pool.map(mix_numbers, [count] * num_threads))
    return num_threads * count, time.perf_counter() - begin


def memory_contestants() -> list[Contestant]:
    """Bytes read and written a second where as much memory is copied as a batch of games takes."""
    found = []
    for size in BATCHES:
        source = np.ones(size * bytes_per_decision() // 2, np.uint8)
        found.append(_contestant(f"memory of {size} games", partial(copy, source, np.empty_like(source))))
    return found


def copy(source: np.ndarray, target: np.ndarray) -> tuple[int, float]:
    """Copy one array to the other; the bytes read and written."""
    begin = time.process_time()
    np.copyto(target, source)
    return 2 * source.nbytes, time.process_time() - begin


def bytes_per_decision() -> int:
    """The least that a decision moves: the game's record is read, the mask and the observation are written."""
    game = bench.RandomPlay(num_players=NUM_PLAYERS, num_games=1)
    return game.engine.games.nbytes + game.masks.nbytes + game.observations.nbytes


def peer_contestants() -> tuple[list[Contestant], list[Worker]]:
    """The other libraries, and the processes that measure them."""
    found, workers = [], []
    for peer, words in PEERS.items():
        try:
            worker = Worker(peer)
        except (MissingError, OSError) as error:
            found.append(Contestant(words.format(""), None, missing=str(error)))
            continue
        workers.append(worker)
        found.append(Contestant(words.format(worker.version), worker.rate))
    return found, workers


def _contestant(name: str, run: bench.Run) -> Contestant:
    return Contestant(name, partial(bench.rate, run))


def measure(options: Namespace) -> dict[str, Contestant]:
    """All contestants by a short name, measured in turn, so many times."""
    peers, workers = peer_contestants()
    ours = [*engine_contestants(), *c_contestants(), *arithmetic_contestants(), *memory_contestants()]
    found = {**dict(zip(PEERS, peers, strict=True)), **{c.name: c for c in ours}}
    console = Console(stderr=True)
    turns = [c for _ in range(options.repeats) for c in found.values() if c.rate is not None]
    for contestant in track(turns, "measuring", console=console, transient=True):
        assert contestant.rate is not None
        contestant.samples.append(contestant.rate(options.seconds))
    for worker in workers:
        worker.close()
    return found


def interfaces_table(seconds: float) -> performance_page.Rows:
    """What `python benchmarks/interfaces.py` prints: what a learner's step takes by each interface."""
    columns = {n: interfaces.figures(n, BATCHES[0], seconds) for n in (2, 4)}
    rows = [["learner steps a second, the learner being greedy", *(f"{n} players" for n in columns)]]
    return rows + [[name, *(in_words(column[name], "steps/s") for column in columns.values())] for name in columns[2]]


def main() -> int:
    """Measure, print, and write the page if asked to; returns the exit status."""
    parser = ArgumentParser("python -m benchmarks.peers", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="a turn (0.5)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each (5)")
    parser.add_argument("--json", action="store_true", help="the samples as JSON")
    parser.add_argument("--markdown", type=Path, metavar="PAGE", help="also measure the machine, and write all into this page")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: expected 1 or more")
    found = measure(options)
    if options.json:
        print(json.dumps({name: {"name": c.name, "samples": c.samples, "missing": c.missing} for name, c in found.items()}))
        return 0
    compared = [performance_page.comparison(found), performance_page.floor(found, BATCHES, bytes_per_decision())]
    for table in compared:
        performance_page.show(table)
    if options.markdown:
        performance_page.write(options.markdown, {"comparison": compared})
        alone = [*performance_page.machine_tables(0.1).values(), interfaces_table(0.1), whole_games.table(10_000)]
        performance_page.write(options.markdown, {"machine": alone})
    return 0


if __name__ == "__main__":
    sys.exit(main())
