"""Ratings that follow results as they come in, for a ladder: openskill's Plackett-Luce model (Weng and Lin 2011)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce, PlackettLuceRating


@dataclass(frozen=True)
class Standing:
    """An agent's place in the ladder: its strength is about `mean`, with standard deviation `deviation`."""

    name: str
    mean: float
    deviation: float

    @property
    def at_least(self) -> float:
        """What the ladder is sorted by: three standard deviations below the mean, so that newcomers begin at the bottom."""
        return self.mean - 3 * self.deviation


class LiveRatings:
    """A ladder that is brought up to date deal by deal; agents may join at any time.

    It depends on the order of the deals, and forgets slowly what agents were: for a result to report, use
    `eval.ratings.rate`.
    """

    def __init__(self) -> None:
        self._model = PlackettLuce()
        self._ratings: dict[str, PlackettLuceRating] = {}

    def update(self, wins: Mapping[str, float]) -> None:
        """Take in a deal: for each agent at the table what a seat of it won in all rotations together.

        Raises ValueError for fewer than two agents.
        """
        if len(wins) < 2:
            raise ValueError(f"agents {', '.join(wins) or 'none'}: expected at least 2 in a deal")
        teams = [[self._ratings.get(name) or self._model.rating(name=name)] for name in wins]
        for name, [rating] in zip(wins, self._model.rate(teams, scores=list(wins.values())), strict=True):
            self._ratings[name] = rating

    def standings(self) -> Sequence[Standing]:
        """All agents, the best first."""
        standings = [Standing(name, rating.mu, rating.sigma) for name, rating in self._ratings.items()]
        return sorted(standings, key=lambda standing: -standing.at_least)
