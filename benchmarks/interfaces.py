"""Learner steps a second of each interface on this machine, in one process, by processor time.

python benchmarks/interfaces.py [--players 2 4] [--tables 1024] [--seconds 1]

A step is one decision of the learner and all that others decide until its next one, so the figures depend on the opponents;
the engine's own figure counts single decisions. Choosing the learner's actions is not timed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from rich.console import Console
from rich.table import Column, Table

from agents.registry import make_agent
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.bench import best_rate
from unoflip_env.engine import Engine
from unoflip_env.learners import choose_uniformly

NUM_STEPS = 20  # a measured piece
WARM_UP = 100  # steps: a round is then in its midst at most tables, and at some a new one

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The learner's actions, from observations and legal masks."""


def greedy(num_players: int) -> Choose:
    """The learner that all figures are for: rounds go on as between players who mean it."""
    agent = make_agent("greedy", num_players)
    return lambda observations, masks: agent.act(observations, masks, np.zeros(len(masks)))


def engine_rate(num_players: int, num_games: int, seconds: float) -> float:
    """Decisions a second of `Engine`: step, mask and observation, all into the same arrays."""
    engine = Engine(num_games=num_games, num_players=num_players, seed=1, auto_reset=True)
    masks, observations = np.empty((num_games, NUM_ACTIONS), np.bool_), np.empty((num_games, engine.layout.size), np.uint8)
    choose = greedy(num_players)
    engine.observe(out=observations)
    engine.legal_mask(out=masks)

    def step() -> float:
        actions = choose(observations, masks)
        begin = time.process_time()
        engine.step(actions, masks, observations)
        return time.process_time() - begin

    return _rate(step, num_games, seconds)


def vector_rate(num_players: int, num_envs: int, seconds: float, opponents: Any, **kwargs: Any) -> float:
    """Learner steps a second of what `gymnasium.make_vec` makes."""
    env = gymnasium.make_vec("UnoFlip-v0", num_envs=num_envs, num_players=num_players, opponents=opponents, **kwargs)
    choose, (observations, infos) = greedy(num_players), env.reset(seed=1)

    def step() -> float:
        nonlocal observations, infos
        mask = infos["action_mask"].astype(np.bool_)
        actions = choose(observations, mask)
        begin = time.process_time()
        observations, _, _, _, infos = env.step(actions)
        return time.process_time() - begin

    return _rate(step, num_envs, seconds)


def sb3_rate(num_players: int, num_envs: int, seconds: float, opponents: Any) -> float:
    """Learner steps a second of the VecEnv for Stable-Baselines3, the masks as MaskablePPO asks for them."""
    from sb3_contrib.common.maskable.utils import get_action_masks

    from train.sb3_env import UnoFlipVecEnv

    env = UnoFlipVecEnv(num_envs, num_players=num_players, opponents=opponents)
    env.seed(1)
    observations: Any = env.reset()
    choose, masks = greedy(num_players), get_action_masks(env)

    def step() -> float:
        nonlocal observations, masks
        actions = choose(observations, masks)
        begin = time.process_time()
        observations, _, _, _ = env.step(actions)
        masks = get_action_masks(env)
        return time.process_time() - begin

    return _rate(step, num_envs, seconds)


def _rate(step: Callable[[], float], num_envs: int, seconds: float) -> float:
    """Steps of one environment a second, from a step of all that returns its seconds."""
    for _ in range(WARM_UP):
        step()
    return best_rate(lambda: (NUM_STEPS * num_envs, sum(step() for _ in range(NUM_STEPS))), seconds)


def figures(num_players: int, num_tables: int, seconds: float) -> dict[str, float]:
    """Each interface's figure, by what it is."""
    size, arguments = f"{num_tables:,}", (num_players, num_tables, seconds)
    greedy_agent, random_agent = (make_agent(name, num_players) for name in ("greedy", "random"))
    return {
        f"Engine, {size} games, decisions": engine_rate(*arguments),
        f"VectorEnv, {size}, against greedy": vector_rate(*arguments, greedy_agent, copy=False),
        f"VectorEnv, {size}, against random": vector_rate(*arguments, random_agent, copy=False),
        f"VectorEnv, {size}, against a Python function": vector_rate(*arguments, choose_uniformly, copy=False),
        f"SB3 VecEnv, {size}, against greedy": sb3_rate(*arguments, greedy_agent),
        "SyncVectorEnv, 8, against greedy": vector_rate(num_players, 8, seconds, greedy_agent, vectorization_mode="sync"),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--tables", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each of a figure's three tries")
    options = parser.parse_args()
    columns = {players: figures(players, options.tables, options.seconds) for players in options.players}
    table = Table("thousands a second", *(Column(f"{players} players", justify="right") for players in columns))
    for name in next(iter(columns.values())):
        table.add_row(name, *(f"{column[name] / 1000:,.1f}" for column in columns.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
