"""Plays a batch of games and writes down the learner's experience, seat by seat.

One decision of the learner is one row. A row's successor is the same seat's next decision in the same game, however many
decisions others make in between, and a reward to a seat goes to the last row of that seat: so the loser, who has moved last
turns ago, gets its -1. Decisions with only one legal action are played but not written down: there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from agents.features import Features
from agents.protocol import Agent
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine

PENDING, TERMINAL = -1, -2  # in place of a row's successor: not decided yet; none, the episode ended
LEARNER = 0  # in place of an opponent, which are numbered from 1

Decisions = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Actions, the logarithms of their probabilities, and values: each of shape (batch,)."""
Policy = Callable[[np.ndarray, np.ndarray, np.ndarray], Decisions]
"""From features, legal mask and uniforms of as many rows."""


class Experience:
    """The learner's decisions in the order in which they were made: arrays of `capacity` rows, the first `size` in use."""

    def __init__(self, capacity: int, num_features: int) -> None:
        self.size = 0
        self.features = np.zeros((capacity, num_features), np.uint8)
        self.legal_mask = np.zeros((capacity, NUM_ACTIONS), np.bool_)
        self.actions = np.zeros(capacity, np.int64)
        self.log_probs = np.zeros(capacity, np.float32)
        """Of the action under the policy that chose it."""
        self.values = np.zeros(capacity, np.float32)
        """What the network then expected to come."""
        self.rewards = np.zeros(capacity, np.float32)
        """What the seat got until its next decision."""
        self.next_row = np.zeros(capacity, np.int64)
        """Row of the same seat's next decision; PENDING or TERMINAL."""

    def add(self, **columns: np.ndarray) -> np.ndarray:
        """Append rows, which wait for their successors. Returns their numbers."""
        rows = np.arange(self.size, self.size + len(columns["actions"]))
        for name, values in columns.items():
            getattr(self, name)[rows] = values
        self.rewards[rows] = 0.0
        self.next_row[rows] = PENDING
        self.size += len(rows)
        return rows

    @property
    def complete(self) -> np.ndarray:
        """Rows whose successor, or end, is known: those to learn from."""
        return np.flatnonzero(self.next_row[: self.size] != PENDING)

    def keep_pending(self) -> np.ndarray:
        """Drop the complete rows. Returns the new number of each old row, -1 for those dropped, and, at its end, for row -1."""
        pending = np.flatnonzero(self.next_row[: self.size] == PENDING)
        new_row = np.full(self.size + 1, -1)
        new_row[pending] = np.arange(pending.size)
        for column in vars(self).values():
            if isinstance(column, np.ndarray):
                column[: pending.size] = column[pending]
        self.size = pending.size
        return new_row


@dataclass(frozen=True)
class Opponents:
    """Who may sit in a seat besides the learner, and how often; the shares, the learner's first, add up to 1."""

    agents: tuple[Agent, ...]
    shares: tuple[float, ...]

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], agents: Mapping[str, Agent]) -> Opponents:
        """From weights by name, of which `self` stands for the learner."""
        others = [name for name in weights if name != "self"]
        total = sum(weights.values())
        shares = [weights.get("self", 0.0), *(weights[name] for name in others)]
        return cls(tuple(agents[name] for name in others), tuple(share / total for share in shares))


class Tables:
    """Games under way, all with the same number of seats, and who sits where: one seat at least is the learner's."""

    def __init__(self, engine: Engine, features: Features, opponents: Opponents, rng: np.random.Generator) -> None:
        self.engine, self.features, self.opponents, self.rng = engine, features, opponents, rng
        self.layouts = {features.layout, *(agent.layout for agent in opponents.agents)}
        self.tables = np.arange(engine.num_games)
        self.agent_at = np.zeros((engine.num_games, engine.num_seats), np.int64)
        self.last_row = np.full((engine.num_games, engine.num_seats), -1)
        """The learner's last decision in each seat, as a row of the experience; -1 if there is none."""
        self.draw_agents(self.tables)

    def draw_agents(self, tables: np.ndarray) -> None:
        """Seat agents at tables where an episode begins."""
        shares, shape = self.opponents.shares, (tables.size, self.engine.num_seats)
        drawn = self.rng.choice(len(shares), size=shape, p=shares)
        drawn[np.arange(tables.size), self.rng.integers(self.engine.num_seats, size=tables.size)] = LEARNER
        self.agent_at[tables] = drawn

    def play(self, policy: Policy, experience: Experience) -> None:
        """One decision at every table; the learner's go into the experience, and so do the rewards."""
        legal_mask = self.engine.legal_mask()
        seats = self.engine.actor.astype(np.int64)
        acting = np.where(legal_mask.sum(axis=1) > 1, self.agent_at[self.tables, seats], -1)
        actions = legal_mask.argmax(axis=1)
        uniforms = self.rng.random(self.engine.num_games)
        observations = {layout: self.engine.observe(layout) for layout in self.layouts}
        for number, agent in enumerate(self.opponents.agents, start=1):
            chosen = np.flatnonzero(acting == number)
            if chosen.size:
                actions[chosen] = agent.act(observations[agent.layout][chosen], legal_mask[chosen], uniforms[chosen])
        own = np.flatnonzero(acting == LEARNER)
        if own.size:
            features = self.features(observations[self.features.layout][own])
            actions[own], log_probs, values = policy(features, legal_mask[own], uniforms[own])
            rows = experience.add(
                features=features, legal_mask=legal_mask[own], actions=actions[own], log_probs=log_probs, values=values
            )
            self.link(experience, own, seats[own], rows)
        self.engine.step(actions)
        self.reward(experience)

    def link(self, experience: Experience, tables: np.ndarray, seats: np.ndarray, rows: np.ndarray) -> None:
        """Make new rows the successors of the same seats' last ones."""
        before = self.last_row[tables, seats]
        experience.next_row[before[before >= 0]] = rows[before >= 0]
        self.last_row[tables, seats] = rows

    def reward(self, experience: Experience) -> None:
        """Give the last step's rewards to each seat's last row, and close the rows of episodes that ended."""
        tables, seats = np.nonzero((self.last_row >= 0) & (self.engine.rewards != 0))
        experience.rewards[self.last_row[tables, seats]] += self.engine.rewards[tables, seats]
        over = np.flatnonzero(self.engine.is_over)
        if over.size:
            last = self.last_row[over]
            experience.next_row[last[last >= 0]] = TERMINAL
            self.last_row[over] = -1
            self.draw_agents(over)

    def renumber(self, new_row: np.ndarray) -> None:
        """Follow Experience.keep_pending."""
        self.last_row = new_row[self.last_row]


def collect(tables: list[Tables], policy: Policy, experience: Experience, num_steps: int) -> None:
    """Fill the experience with `num_steps` decisions at every table, after the rows that were pending before."""
    new_row = experience.keep_pending()
    for group in tables:
        group.renumber(new_row)
        for _ in range(num_steps):
            group.play(policy, experience)
