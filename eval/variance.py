"""By how much duplicate deals shrink the variance of a tournament's win rates, line-up by line-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from eval.ledger import Entry
from eval.line_ups import LineUp
from eval.settings import Settings
from eval.statistics import in_games, variance_ratio


@dataclass(frozen=True)
class LineUpRatio:
    """How many times as many games with a new deal each would be as sure of a line-up's win rates; None if they never vary.

    `line_up`: the agent in each place, by name; the same agents in other orders around the table count with it.
    """

    line_up: tuple[str, ...]
    variance_ratio: float | None


class VarianceRatios:
    """The same of all line-ups that were played, counted shard by shard.

    It is `eval.statistics.variance_ratio` of what a seat of each agent won, over the deals that were played in all orders. Of
    two agents either has the same one, which is that of a match.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._wins: dict[tuple[int, LineUp], dict[int, list[tuple[np.ndarray, np.ndarray]]]] = {}
        self._first_orders: dict[LineUp, LineUp] = {}

    def add(self, entry: Entry) -> None:
        """Count a shard in; those of a line-up are to come in the order of their deals."""
        rules, number = entry.shard.rules, entry.shard.line_up
        line_up = self._settings.line_ups[number]
        orders = self._wins.setdefault((rules, self._first_orders.setdefault(tuple(sorted(line_up)), line_up)), {})
        orders.setdefault(number, []).append((entry.deals, _by_agent(entry.by_place("win", len(line_up)), line_up)))

    def by_rules(self) -> list[list[LineUpRatio]]:
        """Of each line-up under each of the rule sets."""
        found: list[list[LineUpRatio]] = [[] for _ in self._settings.rules]
        for (rules, line_up), orders in self._wins.items():
            played = [tuple(map(np.concatenate, zip(*parts, strict=True))) for parts in orders.values()]
            deals = reduce(np.intersect1d, (own for own, _ in played))
            wins = np.concatenate([wins[np.isin(own, deals)] for own, wins in played], axis=1)
            names = tuple(self._settings.agents[i].name for i in line_up)
            found[rules].append(LineUpRatio(names, variance_ratio(wins) if deals.size else None))
        return found


def _by_agent(wins: np.ndarray, line_up: LineUp) -> np.ndarray:
    """From shape (deals, rotations, places) to what a seat of each agent won, (deals, rotations, agents)."""
    return np.stack([wins[:, :, np.equal(line_up, agent)].mean(axis=2) for agent in sorted(set(line_up))], axis=2)


def describe_ratios(ratios: Sequence[LineUpRatio]) -> Iterator[str]:
    """What these come to, in a sentence; nothing where no win rate varies."""
    found = [ratio.variance_ratio for ratio in ratios if ratio.variance_ratio is not None]
    if found:
        about = f"as sure of a line-up's win rates as {in_games(float(np.median(found)))}"
        spread = f"the median of the {len(found)} line-ups whose win rates vary, {min(found):.2f} to {max(found):.2f}"
        yield f"{about} ({spread})" if len(found) > 1 else about
