"""How fast this machine plays: the figures that `python -m unoflip_env bench` prints.

Play is uniformly random over the legal actions. Games are in the midst of their rounds when the measuring begins, since
hands grow: random players draw a card in a third of their decisions.

What one thread does is measured by the processor time it takes, which other work on the machine hardly changes; what
several threads or another process do, by the clock. Each figure is the best of three; but what a second thread gives is
the median of several turns, for the best of either would be its luckiest moment.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import median
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from unoflip_env import unoflip_v0
from unoflip_env.actions import MAX_SEATS, NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.kernels import random_play
from unoflip_env.learners import choose_uniformly
from unoflip_env.rules import PRESETS

REPEATS = 3
TURNS = 7
NUM_GAMES = 256  # their records fit into a processor's own cache
DECISIONS_BEFORE = 2000  # about a round
DECISIONS = 200  # in each game, a call
DECISIONS_OF_THREADS = 1000  # the same; threads then take far longer than waking them does
BATCHES = (1, 16, 256, 1024, 4096, 16_384, 65_536)
KINDS = {"bare": random_play.BARE, "mask": random_play.MASK, "mask and observation": random_play.OBSERVATION}
PER_SECOND = "decisions/s"

Run = Callable[[], tuple[int, float]]
"""Does a piece of work; returns how much and the seconds it took."""


@dataclass(frozen=True)
class Job:
    """One figure: its place in the tables, its unit, and how to get it, given the seconds to spend on it."""

    table: str
    row: str
    column: str
    unit: str
    measure: Callable[[float], float]


def best_rate(run: Run, seconds: float) -> float:
    """Work a second: the best of three times that take at least so many seconds each."""
    return max(rate(run, seconds) for _ in range(REPEATS))


def rate(run: Run, seconds: float) -> float:
    """Work a second, over at least so many seconds of it."""
    total, spent = 0, 0.0
    while spent < seconds:
        done, took = run()
        total, spent = total + done, spent + took
    return total / spent


class RandomPlay:
    """A batch of games in the midst of random play, and the buffers that masks and observations are written into."""

    def __init__(self, rules: str = "official", num_players: int = 4, num_games: int = NUM_GAMES) -> None:
        self.engine = Engine(rules, num_games, seed=1, num_players=num_players, auto_reset=True)
        self.masks = np.zeros((num_games, NUM_ACTIONS), np.bool_)
        self.observations = np.zeros((num_games, self.engine.layout.size), np.uint8)
        self.num_episodes = self.num_draws = self.num_decisions = 0
        self._num_calls = 0
        self._generator = np.random.default_rng(1)
        first = min(num_games, NUM_GAMES)
        self._play(0, first, random_play.BARE, DECISIONS_BEFORE)
        self.engine.games[:] = np.resize(self.engine.games[:first], num_games)

    def run(self, kind: int, num_decisions: int = DECISIONS) -> tuple[int, float]:
        """So many decisions in each game, in one thread."""
        begin = time.process_time()
        self._play(0, self.engine.num_games, kind, num_decisions)
        return self.engine.num_games * num_decisions, time.process_time() - begin

    def run_in(self, pool: ThreadPoolExecutor, num_threads: int, kind: int) -> tuple[int, float]:
        """More decisions, in several threads and by the clock."""
        num_games, each = self.engine.num_games, DECISIONS_OF_THREADS
        cuts = [num_games * i // num_threads for i in range(num_threads + 1)]
        begin = time.perf_counter()
        list(pool.map(self._play, cuts[:-1], cuts[1:], [kind] * num_threads, [each] * num_threads))
        return num_games * each, time.perf_counter() - begin

    def run_engine(self) -> tuple[int, float]:
        """One decision in each game by `Engine.step`, which writes what comes next too. Choosing is not timed."""
        uniforms = self._generator.random(self.engine.num_games)
        actions = choose_uniformly(self.observations, self.engine.legal_mask(out=self.masks), uniforms)
        begin = time.process_time()
        self.engine.step(actions, mask=self.masks, observation=self.observations)
        return self.engine.num_games, time.process_time() - begin

    def _play(self, start: int, stop: int, kind: int, num_decisions: int) -> None:
        self._num_calls += 1
        buffers = self.engine.layout.as_bytes, self.masks.view(np.uint8), self.observations, self.engine.rewards
        games, seed = (start, stop, *self.engine._records), np.uint64(self._num_calls)
        episodes, draws = random_play.play_randomly(*games, seed, num_decisions, kind, *buffers)
        self.num_episodes += episodes
        self.num_draws += draws
        self.num_decisions += (stop - start) * num_decisions


@lru_cache(maxsize=1)
def random_games(rules: str, num_players: int, num_games: int) -> RandomPlay:
    """The batch that figures which are measured one after the other share."""
    return RandomPlay(rules, num_players, num_games)


def num_cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def engine_rate(seconds: float, kind: int, rules: str = "official", num_players: int = 4) -> float:
    """Decisions a second of one thread, game after game."""
    play = random_games(rules, num_players, NUM_GAMES)
    return best_rate(lambda: play.run(kind), seconds)


def threads_rate(seconds: float, kind: int, num_players: int, num_threads: int) -> float:
    """Decisions a second of several threads, each with games of its own."""
    play = random_games("official", num_players, NUM_GAMES * num_threads)
    with ThreadPoolExecutor(num_threads) as pool:
        return best_rate(lambda: play.run_in(pool, num_threads, kind), seconds)


def threads_gain(seconds: float, kind: int, num_players: int, num_threads: int) -> float:
    """How many times as fast as one thread several are, with the same games, both by the clock and taking turns."""
    play = random_games("official", num_players, NUM_GAMES * num_threads)
    with ThreadPoolExecutor(num_threads) as pool:

        def measure(threads: int) -> float:
            return rate(lambda: play.run_in(pool, threads, kind), seconds)

        return median(measure(num_threads) / measure(1) for _ in range(TURNS))


def lockstep_rate(seconds: float, num_games: int) -> float:
    """Decisions a second, masks and observations written, when each game in turn makes one."""
    play = random_games("official", 4, num_games)
    return best_rate(lambda: play.run(random_play.OBSERVATION, num_decisions=1), seconds)


def calls_rate(seconds: float, num_games: int) -> float:
    """The same by calls of `Engine.step`."""
    play = random_games("official", 4, num_games)
    return best_rate(play.run_engine, seconds)


def decisions_a_round(_seconds: float, num_players: int) -> float:
    """How long random play takes to end a round."""
    play = random_games("official", num_players, NUM_GAMES)
    return play.num_decisions / max(1, play.num_episodes)


def share_of_draws(_seconds: float, num_players: int) -> float:
    """Which share of the random decisions is to draw."""
    play = random_games("official", num_players, NUM_GAMES)
    return play.num_draws / play.num_decisions


def aec_rate(seconds: float, make: Callable[[], AECEnv[str, Any, Any]]) -> float:
    """Steps a second of PettingZoo's loop: agent_iter, last, step."""
    env, rng = make(), random.Random(1)

    def run() -> tuple[int, float]:
        env.reset(seed=1)
        num_steps, begin = 0, time.process_time()
        for _ in env.agent_iter(max_iter=500):
            observation, _, terminated, truncated, _ = env.last()
            assert observation is not None
            env.step(None if terminated or truncated else _pick(observation["action_mask"], rng))
            num_steps += 1
        return num_steps, time.process_time() - begin

    return best_rate(run, seconds)


def gymnasium_rate(seconds: float) -> float:
    """Learner's decisions a second of the Gymnasium environment; its opponents' play is part of its steps."""
    env, rng = gymnasium.make("UnoFlip-v0", num_players=4), random.Random(1)

    def run(num_steps: int = 200) -> tuple[int, float]:
        _, info = env.reset(seed=1)
        begin = time.process_time()
        for _ in range(num_steps):
            _, _, is_over, _, info = env.step(_pick(info["action_mask"], rng))
            if is_over:
                _, info = env.reset()
        return num_steps, time.process_time() - begin

    return best_rate(run, seconds)


def vector_rate(seconds: float, num_envs: int = 1024) -> float:
    """Learners' decisions a second of the vectorised Gymnasium environment; choosing them is not timed."""
    env = gymnasium.make_vec("UnoFlip-v0", num_envs=num_envs, num_players=4, copy=False)
    generator = np.random.default_rng(1)
    _, infos = env.reset(seed=1)

    def run() -> tuple[int, float]:
        nonlocal infos
        actions = choose_uniformly(np.empty(0), infos["action_mask"], generator.random(num_envs))
        begin = time.process_time()
        _, _, _, _, infos = env.step(actions)
        return num_envs, time.process_time() - begin

    return best_rate(run, seconds)


def _pick(mask: np.ndarray, rng: random.Random) -> int:
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


class IdleEnv(AECEnv[str, Any, Any]):
    """An environment that does nothing, with the spaces of ours: what PettingZoo's own loop and wrappers cost."""

    def __init__(self, num_players: int = 4) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        model = unoflip_v0.raw_env(num_players=num_players)
        model.reset(seed=1)
        self.possible_agents = model.possible_agents
        self.observation_spaces, self.action_spaces = model.observation_spaces, model.action_spaces
        self._observation = model.observe(model.agent_selection)

    def observation_space(self, agent: str) -> Space[Any]:
        """That of the agent in our environment."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """That of the agent in our environment."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin with the first agent."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._turn = 0
        self.agent_selection = self.agents[0]

    def step(self, action: int | None) -> None:
        """The next agent is selected."""
        self._turn = (self._turn + 1) % len(self.agents)
        self.agent_selection = self.agents[self._turn]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Always the same."""
        return self._observation


def in_wrappers(make: Callable[[], AECEnv[str, Any, Any]]) -> AECEnv[str, Any, Any]:
    """An environment in PettingZoo's standard wrappers."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(make()))


_FIRST_STEP = """
import time
begin = time.perf_counter()
from unoflip_env import Engine
engine = Engine("official", num_players=4)
engine.step(engine.legal_mask().argmax(axis=1))
engine.observe()
print(time.perf_counter() - begin)
"""


def seconds_to_first_step(cache: str | None = None) -> float:
    """From the import to the first step in a new process; with a `cache` that is empty, compilation included."""
    environment = os.environ if cache is None else {**os.environ, "UNOFLIP_CACHE_DIR": cache}
    command = [sys.executable, "-c", _FIRST_STEP]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return float(done.stdout)


def seconds_to_compile() -> float:
    """The same with nothing compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds_to_first_step(folder)


def jobs(with_compilation: bool = False) -> Iterator[Job]:
    """All figures, table by table."""
    yield from _engine_jobs()
    yield from _batch_jobs()
    for num_players in range(2, MAX_SEATS + 1):
        yield from _kind_jobs("players", str(num_players), num_players=num_players)
    for preset in PRESETS:
        yield from _kind_jobs("rules, 4 players", preset, rules=preset)
    for name, measure in ENVIRONMENTS.items():
        yield Job("environments, 4 players", name, "", "steps/s", measure)
    yield Job("start", "import to first step", "", "s", lambda _: min(seconds_to_first_step() for _ in range(REPEATS)))
    if with_compilation:
        yield Job("start", "the same, compilation included", "", "s", lambda _: seconds_to_compile())


ENVIRONMENTS: dict[str, Callable[[float], float]] = {
    "PettingZoo raw_env": partial(aec_rate, make=unoflip_v0.raw_env),
    "PettingZoo env": partial(aec_rate, make=unoflip_v0.env),
    "raw_env in PettingZoo's wrappers": partial(aec_rate, make=partial(in_wrappers, unoflip_v0.raw_env)),
    "PettingZoo's loop, nothing in it": partial(aec_rate, make=IdleEnv),
    "the wrappers, nothing in them": partial(aec_rate, make=partial(in_wrappers, IdleEnv)),
    "Gymnasium, against 3 random": gymnasium_rate,
    "VectorEnv, 1,024 against 3 random": vector_rate,
}


def _engine_jobs() -> Iterator[Job]:
    for num_players in (2, 4):
        yield from _kind_jobs("engine", f"{num_players} players, 1 thread", num_players=num_players)
        if num_cores() > 1:
            yield from _thread_jobs(num_players, num_cores())
    for num_players in (2, 4):
        row = f"{num_players} players"
        yield Job("random play", row, "decisions a round", "", partial(decisions_a_round, num_players=num_players))
        yield Job("random play", row, "of them draw", "share", partial(share_of_draws, num_players=num_players))


def _thread_jobs(num_players: int, num_threads: int) -> Iterator[Job]:
    row = f"{num_players} players, {num_threads} threads"
    arguments = {"num_players": num_players, "num_threads": num_threads}
    for name, kind in KINDS.items():
        yield Job("engine", row, name, PER_SECOND, partial(threads_rate, kind=kind, **arguments))
    for name, kind in KINDS.items():
        yield Job("engine", f"{row}: times 1 thread", name, "", partial(threads_gain, kind=kind, **arguments))


def _size(_seconds: float, array: np.ndarray) -> float:
    return array.nbytes


def _kind_jobs(table: str, row: str, **arguments: Any) -> Iterator[Job]:
    for name, kind in KINDS.items():
        yield Job(table, row, name, PER_SECOND, partial(engine_rate, kind=kind, **arguments))


def _batch_jobs() -> Iterator[Job]:
    table = "batch, 4 players, all written"
    for size in BATCHES:
        yield Job(table, f"{size:,}", "compiled loop", PER_SECOND, partial(lockstep_rate, num_games=size))
        yield Job(table, f"{size:,}", "calls of Engine", PER_SECOND, partial(calls_rate, num_games=size))
    play = RandomPlay("official", 4, num_games=1)
    sizes = {"record": play.engine.games, "observation": play.observations, "mask": play.masks}
    for name, array in sizes.items():
        yield Job("bytes a game, 4 players", name, "", "bytes", partial(_size, array=array))
