"""Self-play PPO, from the first random moves to a saved agent. Begin reading at `train`."""

from __future__ import annotations

import copy
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import torch
from rich.console import Console

from agents.checkpoint import save_agent
from agents.features import Features
from agents.network import NetworkAgent, PolicyValueNetwork
from agents.protocol import Agent
from agents.registry import make_agent
from eval.play import DuplicateDeals
from eval.statistics import bootstrap_interval
from train.config import Config
from train.logs import Logs, make_folder
from train.ppo import act, initialise, update
from train.rollout import Experience, Opponents, Tables, collect
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout


def train(config: Config, console: Console) -> Path:
    """Train an agent and save it, with all that was measured, in the run's folder. Returns the agent's folder.

    Ctrl-C ends the run as the end of the budget does: the agent is saved as it is. Raises ConfigError for a folder in use,
    AgentError for an unknown opponent, before anything is written.
    """
    torch.set_num_threads(config.num_threads)
    trainer = Trainer(config)
    make_folder(config)
    with Logs(config.run, console) as logs, stop_on_interrupt(logs.tell) as is_interrupted:
        num_tested = 0
        while trainer.used < 1 and not is_interrupted():
            figures = trainer.improve()
            logs.write(figures, trainer.num_decisions, trainer.minutes)
            logs.show(trainer.used, f"{trainer.num_decisions / 1e6:.1f} M decisions, entropy {figures['policy/entropy']:.2f}")
            if trainer.used * config.num_tests >= num_tested + 1:
                num_tested = int(trainer.used * config.num_tests)
                trainer.save(config.run / "checkpoints" / f"step-{trainer.num_decisions}")
                test(trainer, logs)
    return trainer.save(config.run / "agent")


class Trainer:
    """The learner, its tables and its experience."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.num_decisions = self.num_updates = 0
        self.rng = np.random.default_rng(config.seed)
        layout = observation_layout(max(config.players), config.rules.information)
        features = Features(layout)
        self.network = PolicyValueNetwork(features, config.color_width, config.trunk_width)
        initialise(self.network, torch.Generator().manual_seed(config.seed))
        self.optimizer = torch.optim.Adam(self.network.parameters(), eps=1e-5)
        self.past = NetworkAgent("past", copy.deepcopy(self.network), is_sampling=True)
        self.agent = NetworkAgent("ppo", self.network)
        opponents = self._opponents()
        self.tables = [
            Tables(self._engine(num_players), features, opponents, np.random.default_rng([config.seed, num_players]))
            for num_players in config.players
        ]
        # Rows of a rollout, and those that the one before left pending.
        capacity = sum(config.num_tables * (config.num_steps + num_players) for num_players in config.players)
        self.experience = Experience(capacity, features.size)
        self.begin = time.monotonic()

    def _engine(self, num_players: int) -> Engine:
        config = self.config
        seed = config.seed * 16 + num_players
        threads = config.num_threads
        return Engine(config.rules, config.num_tables, seed, num_players=num_players, auto_reset=True, num_threads=threads)

    def _opponents(self) -> Opponents:
        weights = {name: weight for name, weight in self.config.opponents.items() if weight > 0}
        agents: dict[str, Agent] = {"past": self.past}
        for name in weights.keys() - {"self", "past"}:
            agents[name] = make_agent(name, max(self.config.players), self.config.rules.information)
        return Opponents.from_weights(weights, agents)

    @property
    def minutes(self) -> float:
        """Since the beginning."""
        return (time.monotonic() - self.begin) / 60

    @property
    def used(self) -> float:
        """Share of the budget that is used: of decisions, or of time where that runs out first."""
        share = self.num_decisions / self.config.total_decisions
        return max(share, self.minutes / self.config.max_minutes) if self.config.max_minutes else share

    def improve(self) -> dict[str, float]:
        """Play, then learn from it. Returns figures."""
        start = time.monotonic()
        collect(self.tables, partial(act, self.network), self.experience, self.config.num_steps)
        middle = time.monotonic()
        left = max(0.0, 1 - self.used)
        figures = update(self.network, self.optimizer, self.experience, self.config.ppo, left, self.rng)
        num_rows = len(self.experience.complete)
        self.num_decisions += num_rows
        self.num_updates += 1
        if self.num_updates % self.config.refresh_past == 0:
            self.past.network.load_state_dict(self.network.state_dict())
        seconds = time.monotonic() - start
        return figures | {"speed/decisions": num_rows / seconds, "speed/playing": (middle - start) / seconds}

    def save(self, folder: Path) -> Path:
        """Write the agent as it is now."""
        training = {"decisions": self.num_decisions, "minutes": round(self.minutes, 2), "seed": self.config.seed}
        save_agent(self.agent, folder, self.config.rules, training)
        return folder


def test(trainer: Trainer, logs: Logs) -> None:
    """Play duplicate deals against each agent of `test_against`: one seat for the learner, the others for that agent."""
    config = trainer.config
    for num_players in config.players:
        for name in config.test_against:
            opponent = make_agent(name, num_players, config.rules.information)
            line_up = [0] + [1] * (num_players - 1)
            deals = DuplicateDeals([trainer.agent, opponent], line_up, config.rules, config.test_deals, config.seed)
            deals.play()
            wins = deals.outcomes().wins[:, :, 0].mean(axis=1)
            low, high = bootstrap_interval(wins, config.seed)
            rate = [float(wins.mean()), float(low), float(high)]
            logs.write({f"win_rate/{num_players}_players_{name}": rate}, trainer.num_decisions, trainer.minutes)
            logs.tell(
                f"{trainer.minutes:5.1f} min  {num_players} players, against {name:<12}"
                f" {rate[0]:6.1%} [{low:.1%}, {high:.1%}], fair {1 / num_players:.0%}"
            )


@contextmanager
def stop_on_interrupt(tell: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Ctrl-C is remembered, so that what is under way comes to an end; a second one interrupts it."""
    pressed = []

    def remember(*_: object) -> None:
        pressed.append(True)
        signal.signal(signal.SIGINT, before)
        tell("stopping: the agent will be saved (Ctrl-C again to leave at once, without)")

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
