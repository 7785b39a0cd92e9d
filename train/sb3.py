"""`python -m train sb3`: MaskablePPO of sb3-contrib, as an outsider's yardstick for the kit's own training."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import torch
import tyro
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.callbacks import BaseCallback, CallbackList
from stable_baselines3.common.vec_env import VecMonitor

from agents.registry import make_agent
from agents.sb3 import PREFIX, SB3Agent
from agents.trust import trust
from train.config import MOST, Config, ConfigError, RuleSet, check
from train.run_folder import empty_folder, is_free, lock_folder
from train.sb3_env import UnoFlipVecEnv
from train.testing import check_opponents, test
from train.trainer import choose_device
from train.training import Ending, remember_signals
from unoflip_env.files import beside, write_text
from unoflip_env.rules import Rules

USAGE = """Train MaskablePPO of sb3-contrib against given agents, on one batch of games.

  python -m train sb3 --opponents sharp --total-steps 500000 --run runs/sb3
  python -m eval match sb3:runs/sb3/agent.zip sharp --trust

The run's folder gets sb3.json (every option), TensorBoard's files, best_model.zip (by the rewards of its evaluations),
agent.zip (the last one) and results.json. Ctrl-C and SIGTERM save agent.zip as it is; such a run cannot go on. SB3 keeps
agents as pickles, which can hold code: --trust says that you trust whoever made the file.
"""


SETTINGS = "sb3.json"


@dataclass(frozen=True)
class SB3Config:
    """One training run of MaskablePPO; what is not said here is at SB3's own default."""

    run: Path = Path("runs/sb3")
    """Folder for everything that the run writes."""
    overwrite: bool = False
    """Replace what an earlier run left in that folder."""
    seed: int = 0
    """Of all randomness."""
    rules: RuleSet = field(default_factory=Rules)
    """The rule set to learn."""
    players: int = 2
    """Seats at the table: one for the learner, the others for the opponents."""
    opponents: tuple[str, ...] = ("sharp",)
    """One agent for all other seats, or one for each."""
    total_steps: int = 1_000_000
    """Budget: decisions of the learner."""
    num_envs: int = 64
    """Games played at a time."""
    num_steps: int = 128
    """Decisions at each table between two updates."""
    batch_size: int = 2048
    """Decisions in one gradient step, which needs two to tell which was better."""
    learning_rate: float = 3e-4
    """Constant, as is SB3's custom."""
    width: int = 256
    """Units in each of the two layers of policy and value."""
    num_evaluations: int = 5
    """How often to evaluate on the way."""
    eval_episodes: int = 200
    """Episodes of each evaluation."""
    test_against: tuple[str, ...] = ("random_play", "greedy", "sharp")
    """Agents to be tested against at the end."""
    test_deals: int = 1000
    """Deals of each test, each played once in every rotation of the seats."""
    num_threads: int = 2
    """Processor cores to use."""
    device: str = "auto"
    """Where the network is: `auto` (a GPU if there is one), `cpu`, `cuda`, …"""

    def __post_init__(self) -> None:
        bounds = {
            "seed": (0, 2**32 - 1),
            "total_steps": (1, math.inf),
            "num_envs": (1, MOST["num_tables"]),
            "num_steps": (1, MOST["num_steps"]),
            "batch_size": (2, math.inf),
            "width": (1, MOST["trunk_width"]),
            "num_evaluations": (1, math.inf),
            "eval_episodes": (1, math.inf),
            "test_deals": (2, MOST["test_deals"]),
            "num_threads": (1, MOST["num_threads"]),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            check(least <= value <= most, name, value, f"{least} or more" if most == math.inf else f"{least} to {most}")
        check(0 < self.learning_rate < math.inf, "learning_rate", self.learning_rate, "more than 0, and finite")
        rows = self.num_envs * self.num_steps
        check(rows >= 2, "num_envs * num_steps", rows, "2 or more")
        leaves_one = rows > self.batch_size and rows % self.batch_size == 1
        check(
            not leaves_one, "batch_size", self.batch_size, f"one that leaves no single decision of num_envs * num_steps, {rows}"
        )
        self.rules.check_seats(self.players)
        if len(self.opponents) not in (1, self.players - 1):
            raise ConfigError(
                f"opponents={self.opponents}: expected one, or one for each of the {self.players - 1} other seats"
            )


class ShowProgress(BaseCallback):
    """A bar with the time left. Training ends where `is_asked_to_stop` says so."""

    def __init__(self, console: Console, total_steps: int, is_asked_to_stop: Callable[[], bool]) -> None:
        super().__init__()
        columns = [BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        self.progress = Progress(TextColumn("training"), *columns, console=console)
        self.task = self.progress.add_task("training", total=total_steps)
        self.is_asked_to_stop = is_asked_to_stop

    def _on_step(self) -> bool:
        self.progress.update(self.task, completed=self.num_timesteps)
        return not self.is_asked_to_stop()


def train_sb3(config: SB3Config, console: Console) -> Ending:
    """Train, save and test; Ctrl-C and SIGTERM save the agent as it is. Returns the agent's file, and the signal if one came.

    Raises ConfigError for a folder in use, AgentError for an unknown agent, before anything is written.
    """
    torch.set_num_threads(config.num_threads)
    with lock_folder(config.run):
        check_opponents(tests_of(config))
        new_env = env_maker(config)
        model = new_model(config, new_env())
        prepare(config)
        agent = config.run / "agent.zip"
        with remember_signals(partial(console.print, markup=False, soft_wrap=True)) as signals:
            learn(config, model, new_env(), ShowProgress(console, config.total_steps, lambda: bool(signals)))
            with beside(agent) as path:
                model.save(path)
        if signals:
            return Ending(agent, signals[0])
        trust()  # it is our own
        report(config, agent, console)
        return Ending(agent)


def learn(config: SB3Config, model: MaskablePPO, evaluating: VecMonitor, show: ShowProgress) -> None:
    """Train until the budget is used up, or somebody asks to stop, and evaluate on the way."""
    evaluating.seed(config.seed + config.num_envs)  # after those of the training's games
    evaluate = MaskableEvalCallback(
        evaluating,
        n_eval_episodes=config.eval_episodes,
        eval_freq=max(1, config.total_steps // config.num_envs // config.num_evaluations),
        best_model_save_path=str(config.run),
        verbose=0,
    )
    with show.progress:
        model.learn(config.total_steps, callback=CallbackList([show, evaluate]), tb_log_name="ppo")


def env_maker(config: SB3Config) -> Callable[[], VecMonitor]:
    """What makes the games. Raises AgentError and RulesError before there is a folder."""
    opponents = config.opponents[0] if len(config.opponents) == 1 else config.opponents
    for name in config.opponents:
        make_agent(name, config.players, config.rules.information)
    return lambda: VecMonitor(UnoFlipVecEnv(config.num_envs, config.rules, config.players, opponents=opponents))


def new_model(config: SB3Config, env: VecMonitor) -> MaskablePPO:
    """MaskablePPO with a plain network over the observation."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=config.num_steps,
        batch_size=min(config.batch_size, config.num_envs * config.num_steps),
        learning_rate=config.learning_rate,
        gamma=1.0,
        policy_kwargs={"net_arch": [config.width, config.width]},
        tensorboard_log=str(config.run),
        seed=config.seed,
        device=choose_device(config.device),
    )


def prepare(config: SB3Config) -> None:
    """Make the run's folder, and write first what it is known by. Raises ConfigError for one that holds what isn't to go."""
    if not is_free(config.run, SETTINGS):
        if not (config.run / SETTINGS).exists():
            raise ConfigError(
                f"run={str(config.run)!r} holds something else than a run of MaskablePPO (no {SETTINGS}): "
                "it will not be overwritten"
            )
        if not config.overwrite:
            raise ConfigError(f"run={str(config.run)!r} holds a run: name another folder, or say --overwrite")
    empty_folder(config.run)
    write_text(config.run / SETTINGS, TypeAdapter(SB3Config).dump_json(config, indent=2).decode() + "\n")


def tests_of(config: SB3Config) -> Config:
    """What `train.testing` asks a configuration for."""
    rules, players = (config.rules,), (config.players,)
    return replace(Config(), rules=rules, players=players, test_against=config.test_against, test_deals=config.test_deals)


def report(config: SB3Config, path: Path, console: Console) -> None:
    """Test on duplicate deals, as the kit's own agents are."""
    agent = SB3Agent(f"{PREFIX}{path}", config.rules.information)
    results = {}
    for found in test(agent, tests_of(config), config.seed + 1):
        console.print(str(found), highlight=False, markup=False)
        results[found.name] = found.result.as_dict()
    write_text(config.run / "results.json", json.dumps(results, indent=2) + "\n")


def run(arguments: list[str], console: Console) -> Ending:
    """The command."""
    return train_sb3(tyro.cli(SB3Config, args=arguments, prog="python -m train sb3", description=USAGE), console)
