"""Where training spends its time, against a loop of the same network with no environment, and against MaskablePPO.

python -m benchmarks.training

python -m benchmarks.training --num-updates 20 --num-threads 1 --json
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
import torch
import tyro
from rich.console import Console
from rich.table import Table

from agents.registry import make_agent
from train.config import Config
from train.ppo import act, make_batch, update
from train.rollout import Decisions, collect
from train.trainer import Trainer

NETWORKS = ((256, 64), (128, 32))
"""Units of the trunk and of each colour: the default network and a smaller one."""


@dataclass
class Clock:
    """Seconds by name."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Time what is inside."""
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


@dataclass(frozen=True)
class Options:
    """What to measure."""

    num_updates: int = 10
    """Updates to measure for each network, after two to warm up."""
    num_tables: int = 1024
    """Games at a time."""
    num_threads: int = 2
    """Processor cores to use."""
    sb3_steps: int = 20_000
    """Decisions of MaskablePPO to measure, for each of its settings; 0 leaves it out."""
    json: bool = False
    """Print one JSON object instead of the table."""


def measure_own(config: Config, num_updates: int) -> dict[str, float]:
    """Updates of the kit's own trainer; after each, the same calls of the same network on the same rows, and nothing else."""
    trainer, whole, bare = Trainer(config), Clock(), Clock()
    num_rows, sizes = 0, []

    def timed_act(features: np.ndarray, critic: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> Decisions:
        sizes.append(len(features))
        with whole("inference"):
            return act(trainer.learner, features, critic, legal_mask, uniforms)

    def learn() -> int:
        batch = make_batch(trainer.experience, config.ppo, trainer.learner.device)
        update(trainer.model, trainer.optimizer, batch, config.ppo, 1.0, trainer.rng)
        return len(batch.actions)

    for number in range(num_updates + 2):
        if number == 2:  # all is compiled and warm
            whole.seconds.clear()
            bare.seconds.clear()
            num_rows = 0
        sizes.clear()
        with whole("all"):
            with whole("playing"):
                collect(trainer.tables, timed_act, trainer.experience, config.num_steps)
            with whole("update"):
                num_rows += learn()
        with bare("all"):
            infer_alone(trainer, sizes)
            learn()
    seconds = whole.seconds
    return {
        "decisions_per_second": num_rows / seconds["all"],
        "environment_and_bookkeeping": (seconds["playing"] - seconds["inference"]) / seconds["all"],
        "inference": seconds["inference"] / seconds["all"],
        "update": seconds["update"] / seconds["all"],
        "network_alone_decisions_per_second": num_rows / bare.seconds["all"],
        "of_network_alone": bare.seconds["all"] / seconds["all"],
    }


def infer_alone(trainer: Trainer, sizes: list[int]) -> None:
    """Calls of the network as play has made them, on rows that are there."""
    seen, uniforms = trainer.experience, np.random.default_rng(0).random(max(sizes))
    for size in sizes:
        act(trainer.learner, seen.features[:size], seen.critic_features[:size], seen.legal_mask[:size], uniforms[:size])


def usual_sb3(seed: int) -> Any:
    """MaskablePPO as its users begin: one Gymnasium environment, all else at its defaults."""
    from sb3_contrib import MaskablePPO

    env = gymnasium.make("UnoFlip-v0", num_players=2, opponents=make_agent("greedy", 2))
    return MaskablePPO("MlpPolicy", env, device="cpu", seed=seed)


def batched_sb3(seed: int) -> Any:
    """MaskablePPO on the native VecEnv, with batches to match."""
    from sb3_contrib import MaskablePPO

    from train.sb3_env import UnoFlipVecEnv

    env = UnoFlipVecEnv(64, num_players=2, opponents="greedy")
    return MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=2048, device="cpu", seed=seed)


def kits_sb3(seed: int) -> Any:
    """MaskablePPO as `python -m train sb3` has it: the same with a wider network and no discount."""
    from train.sb3 import SB3Config, env_maker, new_model

    config = SB3Config(opponents=("greedy",), seed=seed, device="cpu")
    model = new_model(config, env_maker(config)())
    model.tensorboard_log = None  # it has no folder
    return model


MASKABLE_PPO: dict[str, Callable[[int], Any]] = {
    "MaskablePPO, defaults, 1 table": usual_sb3,
    "MaskablePPO, 64 tables, large batches": batched_sb3,
    "MaskablePPO, as `python -m train sb3`": kits_sb3,
}
"""By name what makes MaskablePPO, learning against `greedy` at tables of two, from a seed."""


def measure_sb3(make: Callable[[int], Any], num_steps: int) -> float:
    """Decisions a second of MaskablePPO, playing against `greedy` and learning."""
    model = make(0)
    model.learn(model.n_steps * model.n_envs)
    done, begin = model.num_timesteps, time.perf_counter()
    model.learn(num_steps, reset_num_timesteps=False)
    return float(model.num_timesteps - done) / (time.perf_counter() - begin)


def measure(options: Options) -> dict[str, Any]:
    """All figures."""
    torch.set_num_threads(options.num_threads)
    results: dict[str, Any] = {}
    for trunk_width, color_width in NETWORKS:
        config = Config(
            players=(2,),
            device="cpu",
            num_threads=options.num_threads,
            num_tables=options.num_tables,
            trunk_width=trunk_width,
            color_width=color_width,
        )
        results[f"self-play PPO, {trunk_width} units, {color_width} a colour"] = measure_own(config, options.num_updates)
    for name, make in MASKABLE_PPO.items() if options.sb3_steps else ():
        results[name] = {"decisions_per_second": measure_sb3(make, options.sb3_steps)}
    return results


def show(results: dict[str, Any], print_line: Callable[..., None]) -> None:
    """The figures as a table."""
    table = Table("trainer", "figure", "value")
    for name, figures in results.items():
        for figure, value in figures.items():
            table.add_row(name, figure.replace("_", " "), f"{value:,.0f}" if value > 2 else f"{value:.1%}")
            name = ""
    print_line(table)


if __name__ == "__main__":
    chosen = tyro.cli(Options, prog="python -m benchmarks.training", description=__doc__)
    found = measure(chosen)
    if chosen.json:
        print(json.dumps(found))
    else:
        show(found, Console().print)
