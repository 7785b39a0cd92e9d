"""The learner, its tables and its experience: one process's share of a run, and all that a checkpoint holds of it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from torch.nn.parallel import DistributedDataParallel

from agents.checkpoint import agent_files
from agents.features import Features
from agents.network import NetworkAgent
from agents.registry import make_agent
from train import state
from train.config import SCHEMA, Config, ConfigError
from train.opponents import PAST, Opponents, Pool, names_of_others
from train.ppo import act, explained_variance, make_batch, update
from train.rollout import Experience, Tables, collect, drop_learned
from train.start import make_learner
from train.world import World
from unoflip_env.actions import MAX_SEATS, NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.game import GAME
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

LEARNING, STATE = "learning.safetensors", "state.json"
NUM_CHECKED = 64  # rows, after each update
FREE = {
    *("run", "overwrite", "total_decisions", "max_minutes", "max_turns", "unfinished", "ppo", "num_steps", "pool_every"),
    *("pool_hardness", "num_tests", "test_against", "test_deals", "save_minutes", "keep", "num_threads", "device"),
}
"""Options that may be changed when a run goes on: the rest says which games are played, and by which network."""


def record_id() -> str:
    """Stands for what a checkpoint's arrays are made of: a game's record, observations, features and actions."""
    layout = observation_layout(MAX_SEATS, "open")
    made_of = [GAME.descr, *layout.fields.values(), Features(layout).size, NUM_ACTIONS]
    return hashlib.sha256(str(made_of).encode()).hexdigest()[:12]


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU if there is one, for each process here another. Raises ConfigError."""
    if name == "auto":
        num_gpus, place = torch.cuda.device_count(), int(os.environ.get("LOCAL_RANK", 0))
        return torch.device("cuda", place % num_gpus) if num_gpus else torch.device("cpu")
    try:
        found = torch.ones(1, device=name)
        found.sum().item()  # some devices hold no numbers
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0].split(". ")[0]
        raise ConfigError(f"device={name!r}: expected one that torch can compute on here: {reason}") from error
    return found.device


class Trainer:
    """One process's share of a run. Raises ConfigError and AgentError for what cannot be had.

    Args:
        config: what to do.
        world: this process among the others.
        saved: the files of the checkpoint that it is going to `restore`, if it goes on: see `make_learner`.
    """

    def __init__(
        self,
        config: Config,
        world: World = World(),  # noqa: B008 (frozen)
        saved: Mapping[str, bytes] | None = None,
    ) -> None:
        self.config, self.world = config, world
        self.num_decisions = self.num_updates = self.num_tested = 0
        self.rng = np.random.default_rng([config.seed, world.rank])
        self.learner = make_learner(config, saved).to(choose_device(config.device))
        self.model = DistributedDataParallel(self.learner) if world.size > 1 else self.learner
        self.optimizer = torch.optim.Adam(self.learner.parameters(), eps=1e-5)
        self.agent = NetworkAgent("ppo", self.learner.network, has_value=config.critic == "shared")
        self.opponents = self._opponents()
        critic = self.learner.critic.features if self.learner.critic else None
        self.tables = [
            Tables(
                self._engine(rules, num_players),
                self.agent.network.features,
                self.opponents,
                rng,
                critic,
                config.max_turns,
                is_shared=config.unfinished == "shared",
            )
            for (rules, num_players), rng in zip(self._kinds(), self._generators(), strict=True)
        ]
        # Rows of a rollout, and those that the one before left pending.
        capacity = sum(config.num_tables * (config.num_steps + num_players) for _, num_players in self._kinds())
        self.experience = Experience(capacity, self.agent.network.features.size, critic.size if critic else 0)
        self._begin = time.monotonic()

    def _kinds(self) -> list[tuple[Rules, int]]:
        """What each group of tables plays: rules and number of players."""
        return [(rules, num_players) for rules in self.config.rules for num_players in self.config.players]

    def _generators(self) -> list[np.random.Generator]:
        """One for each group of tables; never the same twice, wherever the run is."""
        seeds = self.config.seed, self.world.rank, self.num_updates
        return [np.random.default_rng([*seeds, number + 1]) for number in range(len(self._kinds()))]

    def _engine(self, rules: Rules, num_players: int) -> Engine:
        # On a processor torch's threads wait busily for its next call, and threads of the engine's would be in their way.
        num_threads = 1 if self.learner.device.type == "cpu" else self.config.num_threads
        return Engine(
            rules, self.config.num_tables, num_players=num_players, episode=self.config.episode, num_threads=num_threads
        )

    def _opponents(self) -> Opponents:
        config = self.config
        weights = {name: weight for name, weight in config.opponents.items() if weight > 0}
        others = {name: make_agent(name, max(config.players), config.information) for name in names_of_others(weights)}
        pool = Pool(self.agent, config.pool_size, config.pool_hardness) if PAST in weights else None
        return Opponents(weights, others, pool)

    @property
    def minutes(self) -> float:
        """Since the beginning; what came before a break counts, the break itself does not."""
        return (time.monotonic() - self._begin) / 60

    @property
    def used(self) -> float:
        """Share of the budget that is used: of decisions, or of time where that runs out first."""
        share = self.num_decisions / self.config.total_decisions
        return max(share, self.minutes / self.config.max_minutes) if self.config.max_minutes else share

    def is_test_due(self, used: float) -> bool:
        """Whether it is time for the next test, so much of the budget being used; asked at the start and once an update."""
        num_due = int(min(used, 1) * self.config.num_tests) + (self.config.start_from is not None)
        is_due, self.num_tested = num_due > self.num_tested, num_due
        return is_due

    def counts(self) -> dict[str, Any]:
        """How far it is, as Logs.write takes it."""
        return {"decisions": self.num_decisions, "updates": self.num_updates, "minutes": self.minutes}

    def improve(self) -> dict[str, float]:
        """Play, then learn from it. Returns figures, all of them explained in docs/training.md.

        Raises ConfigError, before anything of it can be saved, where that has ruined the network: see `act`.
        """
        config, start = self.config, time.monotonic()
        collect(self.tables, partial(act, self.learner), self.experience, config.num_steps)
        while not self.world.least(self.experience.complete.size):  # short rollouts: somewhere, no outcome is known yet
            collect(self.tables, partial(act, self.learner), self.experience, config.num_steps)
        middle = time.monotonic()
        left = max(0.0, 1 - self.world.agree(self.used))
        batch = make_batch(self.experience, config.ppo, self.learner.device, self.world)
        figures = update(self.model, self.optimizer, batch, config.ppo, left, self.rng, self.world)
        self._check_scores()
        num_rows = int(self.world.sum(np.array(len(batch.actions))))
        self.num_decisions += num_rows
        self.num_updates += 1
        self.opponents.settle(self.world)
        if self.num_updates % config.pool_every == 0:
            self.opponents.renew(self.agent, self.num_updates)
        seconds = time.monotonic() - start
        return {
            **figures,
            "value/explained_variance": explained_variance(self.experience, batch),
            "rounds/decisions": self.experience.decisions_per_episode,
            **self.opponents.payoff(),
            "speed/decisions": num_rows / seconds,
            "speed/playing": (middle - start) / seconds,
        }

    def _check_scores(self) -> None:
        """Score a few of the rows learned from once more. Raises ConfigError."""
        rows, columns = self.experience.complete[:NUM_CHECKED], self.experience.columns
        features, critic_features, legal_mask = (columns[name][rows] for name in ("features", "critic_features", "legal_mask"))
        act(self.learner, features, critic_features, legal_mask, np.zeros(rows.size))

    def agent_files(self) -> dict[str, bytes]:
        """The agent as it is now."""
        config = self.config
        training = {
            "episode": config.episode,
            "decisions": self.num_decisions,
            "minutes": round(self.minutes, 2),
            "seed": config.seed,
        }
        start = {"start_from": config.start_from} if config.start_from else {}
        return agent_files(self.agent, config.rules, training | start)

    def capture(self) -> dict[str, bytes]:
        """All that it takes to go on as if nothing had been, as files; of all processes, for the writer."""
        self.check_weights()
        drop_learned(self.tables, self.experience)
        playing = safetensors.numpy.save(state.playing_arrays(self.tables, self.experience))
        generators = [state.rng_state(rng) for rng in (self.rng, *(group.rng for group in self.tables))]
        shares = self.world.gather((playing, generators))
        if not self.world.is_writer:
            return {}
        numbers = {
            "config": SCHEMA.dump_python(self.config, mode="json"),
            "record": record_id(),
            "decisions": self.num_decisions,
            "updates": self.num_updates,
            "tests": self.num_tested,
            "minutes": self.minutes,
            "generators": [generators for _, generators in shares],
        }
        learning = state.learning_arrays(self.learner, self.optimizer, self.opponents)
        files = {_share_of(rank): playing for rank, (playing, _) in enumerate(shares)}
        files |= {LEARNING: safetensors.numpy.save(learning), STATE: json.dumps(numbers).encode()}
        return self.agent_files() | files

    def check_weights(self) -> None:
        """Raises RuntimeError if the processes' networks have grown apart, by more than their processors' roundings do."""
        own = torch.nn.utils.parameters_to_vector(self.learner.parameters()).detach().cpu().numpy()
        if not np.allclose(own, self.world.sum(own) / self.world.size, rtol=0, atol=1e-4):
            raise RuntimeError(f"process {self.world.rank}: the processes' networks differ: they have not learned together")

    def restore(self, files: dict[str, bytes], *, force: bool = False) -> list[str]:
        """Go on from what `capture` gave. Returns what could not be taken over, in words.

        Raises ConfigError where rules, network or opponents are others now, unless `force` says to take over what fits:
        weights of the same shape and the counts; games and the pool begin anew.
        """
        numbers, learning = json.loads(files[STATE]), safetensors.numpy.load(files[LEARNING])
        changed = self._changed(numbers)
        if not changed and not state.fits(self.learner, state.part("learner", learning)):
            changed = ["the network's weights have other names or shapes now"]
        if changed and not force:
            raise ConfigError(f"{'; '.join(changed)}: a run goes on as it was; --force takes over what fits")
        self.num_decisions, self.num_updates = numbers["decisions"], numbers["updates"]
        self.num_tested, self._begin = numbers["tests"], time.monotonic() - 60 * numbers["minutes"]
        if changed:
            fits = state.load_weights_that_fit(self.learner, state.part("learner", learning))
            if fits:
                state.load_optimizer(self.optimizer, state.part("optimizer", learning))
            if self.opponents.pool:
                self.opponents.pool.fill(self.agent)
            self._deal_anew()
            return [*changed, "games and pool begin anew", *([] if fits else ["some weights do not fit"])]
        state.load_learning(learning, self.learner, self.optimizer, self.opponents)
        if _share_of(self.world.rank) not in files:
            self._deal_anew()
            return [f"process {self.world.rank} is new: its games begin anew"]
        state.load_playing(safetensors.numpy.load(files[_share_of(self.world.rank)]), self.tables, self.experience)
        for rng, saved in zip(
            (self.rng, *(group.rng for group in self.tables)), numbers["generators"][self.world.rank], strict=True
        ):
            state.load_rng(rng, saved)
        for group in self.tables:
            group.take_up(self.experience)
        return []

    def _changed(self, numbers: dict[str, Any]) -> list[str]:
        """The options that may not change and have, in words. One that is younger than the checkpoint was at its default."""
        default, now = (SCHEMA.dump_python(config, mode="json") for config in (Config(), self.config))
        before = default | numbers["config"]
        changed = [f"{name} was {before[name]}, is now {now[name]}" for name in now.keys() - FREE if before[name] != now[name]]
        return sorted(changed) + ["games and observations are others now"] * (numbers["record"] != record_id())

    def _deal_anew(self) -> None:
        """New games at all tables."""
        for group, rng in zip(self.tables, self._generators(), strict=True):
            group.rng = rng
            group.deal(group.tables)


def _share_of(rank: int) -> str:
    return f"playing-{rank}.safetensors"
