"""Plays a batch of games and writes down the learner's experience, seat by seat.

One decision of the learner is one row. A row's successor is the same seat's next decision in the same game, however many
decisions others make in between, and a reward to a seat goes to the last row of that seat: so the loser, who has moved last
turns ago, gets its -1. Decisions with only one legal action are played but not written down: there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agents.features import Features
from agents.protocol import FORFEIT, AgentError, ask
from train.opponents import LEARNER, Opponents
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine, IllegalActionError
from unoflip_env.records import TURN_LIMIT

PENDING, TERMINAL = -1, -2  # in place of a row's successor: not decided yet; none, the episode ended

Decisions = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Actions, the logarithms of their probabilities, and values: each of shape (batch,)."""
Policy = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], Decisions]
"""From features, the critic's features (of no width if it has none of its own), legal mask and uniforms of as many rows."""


class Experience:
    """The learner's decisions in the order in which they were made: arrays of `capacity` rows, the first `size` in use."""

    def __init__(self, capacity: int, num_features: int, num_critic_features: int = 0) -> None:
        self.size = 0
        self.features = np.zeros((capacity, num_features), np.uint8)
        self.critic_features = np.zeros((capacity, num_critic_features), np.uint8)
        """Of a critic that sees more than the policy; of no width where there is none."""
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
            self.columns[name][rows] = values
        self.rewards[rows] = 0.0
        self.next_row[rows] = PENDING
        self.size += len(rows)
        return rows

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The arrays by name."""
        return {name: column for name, column in vars(self).items() if isinstance(column, np.ndarray)}

    @property
    def complete(self) -> np.ndarray:
        """Rows whose successor, or end, is known: those to learn from."""
        return np.flatnonzero(self.next_row[: self.size] != PENDING)

    @property
    def decisions_per_episode(self) -> float:
        """How many of them a seat has in a round or match, on average: complete rows for each that is a last one."""
        num_last = int((self.next_row[: self.size] == TERMINAL).sum())
        return self.complete.size / max(1, num_last)

    def keep_pending(self) -> np.ndarray:
        """Drop the complete rows. Returns the new number of each old row, -1 for those dropped, and, at its end, for row -1."""
        pending = np.flatnonzero(self.next_row[: self.size] == PENDING)
        new_row = np.full(self.size + 1, -1)
        new_row[pending] = np.arange(pending.size)
        for column in self.columns.values():
            column[: pending.size] = column[pending]
        self.size = pending.size
        return new_row


class Tables:
    """Games under way, all of the same rules and number of seats, and who sits where: one seat at least is the learner's.

    Args:
        engine: the games, of rounds or matches, which are dealt anew here when they end.
        features: what the policy reads.
        opponents: who may sit in the other seats.
        rng: of deals, seats and agents.
        critic_features: what the critic reads, if it is another than the policy.
        max_turns: a game in which a round has so many turns is broken off.
        is_shared: whether all seats share the win of such a game; otherwise all have lost it.
    """

    def __init__(
        self,
        engine: Engine,
        features: Features,
        opponents: Opponents,
        rng: np.random.Generator,
        critic_features: Features | None = None,
        max_turns: int = TURN_LIMIT,
        *,
        is_shared: bool = False,
    ) -> None:
        self.engine, self.features, self.opponents, self.rng = engine, features, opponents, rng
        self.critic_features, self.max_turns = critic_features, max_turns
        team_size = engine.num_seats // (engine.rules.teams or engine.num_seats)
        self.unfinished_reward = 0.0 if is_shared else -1 / (engine.num_seats - team_size)  # a loser's share, as the engine's
        self.tables = np.arange(engine.num_games)
        self.agent_at = np.zeros((engine.num_games, engine.num_seats), np.int64)
        self.last_row = np.full((engine.num_games, engine.num_seats), -1)
        """The learner's last decision in each seat, as a row of the experience; -1 if there is none."""
        self.deal(self.tables)

    def deal(self, tables: np.ndarray) -> None:
        """Begin a new episode at these tables: new cards, and agents drawn for the seats."""
        if not tables.size:
            return
        self.engine.reset(self.rng.integers(2**64, size=tables.size, dtype=np.uint64), tables)
        shares = self.opponents.shares
        drawn = self.rng.choice(len(shares), size=(tables.size, self.engine.num_seats), p=shares)
        drawn[np.arange(tables.size), self.rng.integers(self.engine.num_seats, size=tables.size)] = LEARNER
        self.agent_at[tables] = drawn

    def play(self, policy: Policy, experience: Experience) -> None:
        """One decision at every table; the learner's go into the experience, and so do the rewards.

        Tables whose game it ends are dealt anew. Raises AgentError where an opponent chooses an action that is not legal.
        """
        legal_mask = self.engine.legal_mask()
        seats = self.engine.actor.astype(np.int64)
        acting = np.where(legal_mask.sum(axis=1, dtype=np.uint8) > 1, self.agent_at[self.tables, seats], -1)
        actions = legal_mask.argmax(axis=1)
        uniforms = self.rng.random(self.engine.num_games)
        for number, agent in enumerate(self.opponents.agents, start=1):
            chosen = np.flatnonzero(acting == number)
            if chosen.size:
                observations = self.engine.observe(agent.layout, which=chosen)
                answers = ask(agent, observations, legal_mask[chosen], uniforms[chosen])
                actions[chosen] = np.where(answers == FORFEIT, actions[chosen], answers)  # it plays on with any
        own = np.flatnonzero(acting == LEARNER)
        if own.size:
            features = self.features(self.engine.observe(self.features.layout, which=own), self.engine.run)
            critic_features, own_mask = self.see_all(own), legal_mask[own]
            chosen, log_probs, values = policy(features, critic_features, own_mask, uniforms[own])
            seen = {"features": features, "critic_features": critic_features, "legal_mask": own_mask}
            rows = experience.add(**seen, actions=chosen, log_probs=log_probs, values=values)
            actions[own] = chosen
            self.link(experience, own, seats[own], rows)
        try:
            self.engine.step(actions)
        except IllegalActionError as error:
            number = acting[error.game]
            if number == LEARNER:
                raise
            raise AgentError(f"agent {self.opponents.agents[number - 1].name}: {error}") from error
        self.end(experience, self.reward(experience))

    @property
    def is_broken_off(self) -> np.ndarray:
        """The tables where a round goes on for too long: (num_games,) bool."""
        return ~self.engine.is_over & (self.engine.games["num_turns"] >= self.max_turns)

    def see_all(self, tables: np.ndarray) -> np.ndarray:
        """The critic's features at these tables; of no width if it has none of its own."""
        if self.critic_features is None:
            return np.zeros((tables.size, 0), np.uint8)
        return self.critic_features(self.engine.observe(self.critic_features.layout, which=tables), self.engine.run)

    def link(self, experience: Experience, tables: np.ndarray, seats: np.ndarray, rows: np.ndarray) -> None:
        """Make new rows the successors of the same seats' last ones."""
        before = self.last_row[tables, seats]
        experience.next_row[before[before >= 0]] = rows[before >= 0]
        self.last_row[tables, seats] = rows

    def reward(self, experience: Experience) -> np.ndarray:
        """Give the last step's rewards to each seat's last row. Returns the tables whose game is over or broken off."""
        is_over, is_broken_off, num_seats = self.engine.is_over, self.is_broken_off, self.engine.num_seats
        rewards = np.where(is_broken_off[:, None], self.unfinished_reward, self.engine.rewards)
        tables, seats = np.nonzero((self.last_row >= 0) & (rewards != 0))
        experience.rewards[self.last_row[tables, seats]] += rewards[tables, seats]
        if is_over.any():
            winners = self.engine.games["winners"][is_over, None] >> np.arange(num_seats) & 1
            self.opponents.count(self.agent_at[is_over], winners == 1)
        return np.flatnonzero(is_over | is_broken_off)

    def end(self, experience: Experience, tables: np.ndarray) -> None:
        """Close the rows of these tables' episodes, and begin new ones."""
        last = self.last_row[tables]
        experience.next_row[last[last >= 0]] = TERMINAL
        self.last_row[tables] = -1
        self.deal(tables)

    def take_up(self, experience: Experience) -> None:
        """Go on from a checkpoint: end what is over there already, or too long for a limit of turns that is lower now.

        What the last decisions of such rounds came to is not learned from: `collect` drops their rows.
        """
        self.end(experience, np.flatnonzero(self.engine.is_over | self.is_broken_off))

    def renumber(self, new_row: np.ndarray) -> None:
        """Follow Experience.keep_pending."""
        self.last_row = new_row[self.last_row]


def drop_learned(tables: list[Tables], experience: Experience) -> None:
    """Keep only the rows that wait for a successor."""
    new_row = experience.keep_pending()
    for group in tables:
        group.renumber(new_row)


def collect(tables: list[Tables], policy: Policy, experience: Experience, num_steps: int) -> None:
    """Fill the experience with `num_steps` decisions at every table, after the rows that were pending before."""
    drop_learned(tables, experience)
    for group in tables:
        for _ in range(num_steps):
            group.play(policy, experience)
