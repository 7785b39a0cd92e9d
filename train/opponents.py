"""Who sits in the seats that are not the learner's: its past selves, baselines, other agents."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np

from agents.network import NetworkAgent
from agents.protocol import Agent
from train.world import World

SELF, PAST = "self", "past"
LEARNER = 0  # in place of an opponent, which are numbered from 1: the past selves, then the others
MEMORY = 0.98  # of results, from update to update: of 50 updates or so


class Pool:
    """Past selves, drawn by how hard they are: prioritised fictitious self-play (Vinyals et al. 2019, AlphaStar).

    All places are taken from the beginning, by the learner as it began. Whoever is replaced hands its games under way
    to the newcomer.
    """

    def __init__(self, learner: NetworkAgent, size: int, hardness: float) -> None:
        self.agents = [NetworkAgent(f"past_{i}", copy.deepcopy(learner.network), is_sampling=True) for i in range(size)]
        self.hardness = hardness
        self.joined = np.zeros(size, np.int64)
        """Update after which each joined."""

    def fill(self, learner: NetworkAgent) -> None:
        """Let the learner as it is take all places."""
        for agent in self.agents:
            agent.network.load_state_dict(learner.network.state_dict())

    def shares(self, win_shares: np.ndarray) -> np.ndarray:
        """How often each is drawn, from the learner's share of wins against each; adds up to 1."""
        weights = (1 - win_shares) ** self.hardness + 1e-3
        return weights / weights.sum()

    def add(self, learner: NetworkAgent, num_updates: int, win_shares: np.ndarray) -> int:
        """Let the learner as it is join in place of the easiest, the oldest of several. Returns the place."""
        place = int(np.lexsort((self.joined, -win_shares))[0])
        self.agents[place].network.load_state_dict(learner.network.state_dict())
        self.joined[place] = num_updates
        return place


def names_of_others(weights: Mapping[str, float]) -> list[str]:
    """Whoever has a weight besides the learner as it is and as it was."""
    return [name for name, weight in weights.items() if weight > 0 and name not in (SELF, PAST)]


class Opponents:
    """All opponents, how often each is drawn, and how the learner fares against each.

    Args:
        weights: by name; SELF stands for the learner, PAST for the pool, shared out by `Pool.shares`.
        others: the agents that have the other names, which may differ from what the agents call themselves.
        pool: the past selves, where PAST has a weight.
    """

    def __init__(self, weights: Mapping[str, float], others: Mapping[str, Agent], pool: Pool | None = None) -> None:
        self.pool = pool
        self.agents: tuple[Agent, ...] = (*(pool.agents if pool else ()), *others.values())
        total = sum(weights.get(name, 0.0) for name in (SELF, PAST, *others))
        self._share_of = {name: weights.get(name, 0.0) / total for name in (SELF, PAST, *others)}
        self._others = tuple(others)
        self.results = np.zeros((2, len(self.agents)))
        """For each opponent: the learner's wins at its tables, and its own, both a seat and fading by MEMORY."""
        self.fresh = np.zeros_like(self.results)
        """The same since the last update."""

    @property
    def shares(self) -> np.ndarray:
        """How often each sits in a seat, the learner first; adds up to 1."""
        return np.concatenate(
            [[self._share_of[SELF]], self._share_of[PAST] * self._members(), [self._share_of[name] for name in self._others]]
        )

    def count(self, agent_at: np.ndarray, winners: np.ndarray) -> None:
        """Write down the results of games.

        Of each game in which an opponent sat count how much of the win a seat of the learner's had on average, w, and how much
        a seat of the opponent's, v; the learner's share of wins is the sum of w over that of both. So equals have 0.5 at
        tables of any size, whoever has more seats there, and games that others win say nothing.

        Args:
            agent_at: shape (games, seats) int64: who sat where.
            winners: same shape, bool.
        """
        wins = winners / winners.sum(axis=1, keepdims=True)
        own = _mean_where(wins, agent_at == LEARNER)
        for number in np.unique(agent_at[agent_at != LEARNER]):
            theirs = _mean_where(wins, agent_at == number)
            has_met = (agent_at == number).any(axis=1)
            self.fresh[:, number - 1] += own[has_met].sum(), theirs[has_met].sum()

    def renew(self, learner: NetworkAgent, num_updates: int) -> None:
        """Let the learner join the pool, if there is one."""
        if self.pool:
            place = self.pool.add(learner, num_updates, self._win_shares()[: len(self.pool.agents)])
            self.results[:, place] = 0

    def settle(self, world: World) -> None:
        """After an update: older results count less, since the learner has changed, and all processes' fresh ones are added."""
        self.results = MEMORY * self.results + world.sum(self.fresh)
        self.fresh[:] = 0

    def payoff(self) -> dict[str, float]:
        """The learner's share of wins against each opponent that it has met; PAST is the whole pool."""
        num_past = len(self.pool.agents) if self.pool else 0
        found = {name: self.results[:, num_past + i] for i, name in enumerate(self._others)}
        if num_past:
            found = {PAST: self.results[:, :num_past].sum(axis=1)} | found
        return {f"payoff/{name}": float(own / (own + theirs)) for name, (own, theirs) in found.items() if own + theirs >= 1}

    def _members(self) -> np.ndarray:
        return self.pool.shares(self._win_shares()[: len(self.pool.agents)]) if self.pool else np.zeros(0)

    def _win_shares(self) -> np.ndarray:
        """The learner's share of wins against each, with one win to each side added: unknown is even."""
        return (self.results[0] + 1) / (self.results.sum(axis=0) + 2)


def _mean_where(wins: np.ndarray, is_chosen: np.ndarray) -> np.ndarray:
    """Mean over the chosen seats of each game; 0 where there are none."""
    return (wins * is_chosen).sum(axis=1) / np.maximum(is_chosen.sum(axis=1), 1)
