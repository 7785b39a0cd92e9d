"""Ratings from tables: who beats whom by how much, what that comes to on one scale, and where one scale cannot say it.

Everything here is a pure function of who won on which deal. The unit of all intervals is a deal: where several tables
played the same deal, it is drawn for all of them or for none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from eval.statistics import LEVEL, RatingError, percentiles, resample_means

ELO = 400 / np.log(10)
"""Elo points in a unit of natural log odds: 400 points are odds of ten to one."""
DEFAULT_ANCHOR = "random_play"
PRIOR_GAMES = 1.0
"""A table's win rates count as if it had played so many games more, each won by all its seats together.

So nobody's rating is infinite; among thousands of games it does not show.
"""
_TOLERANCE, _MAX_STEPS = 1e-7, 2000  # in natural log odds


@dataclass(frozen=True)
class TableWins:
    """Who won at one table: a line-up, each deal played in every rotation.

    `line_up`: the agent in each place, by name; an agent may have several places.
    `deals`, shape (deals,) int64: the numbers of the deals; tables with the same number played the same cards.
    `wins`, shape (deals, places) float64: each place's share of the deal's wins, mean over the rotations; a row adds up to 1.
    """

    line_up: tuple[str, ...]
    deals: np.ndarray
    wins: np.ndarray


@dataclass(frozen=True)
class Ratings:
    """How agents compare. Arrays go by `names`, which are sorted by rating; intervals have their lower and upper end first.

    `elo`, `elo_interval`, shape (agents,) and (2, agents): Luce's choice axiom, the likelihood's maximum: at any table each
    seat wins in proportion to its agent's strength 10^(elo / 400). At tables of two that is Bradley and Terry's model
    (1952), at larger ones the first place of Plackett's and Luce's. `anchor` is at 0.
    `is_bounded`, shape (agents,) bool: False where an agent won or lost all that ties it to the anchor, alone or with
    others: then PRIOR_GAMES alone keep its rating from infinity.
    `payoff`, `payoff_interval`, shape (agents, agents) and (2, ...): of the games that a seat of the one or a seat of the
    other won, at tables where both sat, the share of the one in the row; at tables of two, its win rate. NaN where the two
    never met or neither won; one half against itself.
    `surprise`, shape (agents, agents): payoff less what the ratings say, in standard errors of the payoff; NaN likewise.
    `cycles`: agents of whom the first beats the second, the second the third and the third the first, each with its interval
    clear of half.
    """

    names: tuple[str, ...]
    anchor: str
    elo: np.ndarray
    elo_interval: np.ndarray
    is_bounded: np.ndarray
    payoff: np.ndarray
    payoff_interval: np.ndarray
    surprise: np.ndarray
    cycles: tuple[tuple[str, str, str], ...]
    num_deals: int
    num_games: int

    def as_dict(self) -> dict[str, Any]:
        """The ratings for JSON; NaN is None."""
        arrays = {name: _plain(value) for name, value in asdict(self).items() if isinstance(value, np.ndarray)}
        return {**asdict(self), **arrays, "confidence": LEVEL}


def _plain(array: np.ndarray) -> list[Any]:
    plain = array.astype(object)
    plain[array != array] = None
    return plain.tolist()


def rate(tables: Sequence[TableWins], seed: int, *, anchor: str | None = None, num_resamples: int = 1000) -> Ratings:
    """The ratings of all agents of some tables.

    Args:
        tables: one for each line-up; deals may be missing from some.
        seed: of the bootstrap.
        anchor: the agent at 0; by default DEFAULT_ANCHOR where it played, else the first agent of the first table.
        num_resamples: samples of the bootstrap.

    Raises RatingError for fewer than two agents or deals, an anchor that did not play, and agents that cannot be
    compared since no chain of tables links them.
    """
    names = list(dict.fromkeys(name for table in tables for name in table.line_up))
    anchor = anchor or (DEFAULT_ANCHOR if DEFAULT_ANCHOR in names else names[0] if names else "")
    _check(names, anchor)
    counts = _Counts(names, tables)
    counts.check_links()
    wins = counts.wins(counts.by_deal.sum(axis=0))
    num_deals = len(counts.by_deal)
    samples = counts.wins(resample_means(counts.by_deal, seed % 2**64, num_resamples) * num_deals)
    strengths = counts.fit(wins)
    sampled = np.array([counts.fit(sample, strengths) for sample in samples])
    place = names.index(anchor)
    elo = ELO * (strengths - strengths[place])
    payoff, sampled_payoff = counts.payoff(wins), counts.payoff(samples)
    order = np.argsort(-elo, kind="stable")
    square = np.ix_(order, order)
    interval = percentiles(sampled_payoff)
    return Ratings(
        names=tuple(names[i] for i in order),
        anchor=anchor,
        elo=elo[order],
        elo_interval=percentiles(ELO * (sampled - sampled[:, [place]]))[:, order],
        is_bounded=counts.is_tied_to(place, wins)[order],
        payoff=payoff[square],
        payoff_interval=interval[:, order][:, :, order],
        surprise=_surprise(payoff, sampled_payoff, strengths, counts.num_meetings())[square],
        cycles=_cycles([names[i] for i in order], (interval[0] > 0.5)[square]),
        num_deals=num_deals,
        num_games=sum(table.wins.size for table in tables),
    )


def rate_so_far(tables: Sequence[TableWins], seed: int, *, num_planned: int, anchor: str | None = None) -> Ratings | str:
    """As `rate`, but why there are no ratings yet, where fewer deals than planned have been played.

    `num_planned` counts a deal once for each of the line-ups.
    """
    if not tables:
        return "nothing has been played"
    try:
        return rate(tables, seed, anchor=anchor)
    except RatingError as error:
        if sum(len(table.deals) for table in tables) < num_planned:
            return str(error)
        raise


def expected_payoff(elo: np.ndarray) -> np.ndarray:
    """What ratings say of each pair: the share of the one in the row, shape (agents, agents)."""
    return 1 / (1 + 10 ** ((elo - elo[:, None]) / 400))


def _check(names: Sequence[str], anchor: str) -> None:
    if len(names) < 2:
        raise RatingError(f"agents {', '.join(names) or 'none'}: expected at least 2, of different names, for ratings")
    if anchor not in names:
        raise RatingError(f"anchor {anchor!r}: expected one of {', '.join(names)}")


class _Counts:
    """What all tables counted. A column is one agent at one table; `seats[table, agent]` are its places there."""

    def __init__(self, names: Sequence[str], tables: Sequence[TableWins]) -> None:
        self.names = names
        self.seats = np.array([[table.line_up.count(name) for name in names] for table in tables], np.float64)
        self.num_seats = self.seats.sum(axis=1)
        self.table, self.agent = np.nonzero(self.seats)
        deals = np.unique(np.concatenate([table.deals for table in tables]))
        if deals.size < 2:
            raise RatingError(f"{deals.size} whole deals: expected at least 2 for ratings")
        self.by_deal = np.zeros((deals.size, self.table.size))
        """Games won, shape (deals, columns), all places and rotations together."""
        for column, (t, a) in enumerate(zip(self.table.tolist(), self.agent.tolist(), strict=True)):
            places = np.equal(tables[t].line_up, names[a])
            rows = np.searchsorted(deals, tables[t].deals)
            self.by_deal[rows, column] = tables[t].wins[:, places].sum(axis=1) * self.num_seats[t]

    def wins(self, columns: np.ndarray) -> np.ndarray:
        """Columns, shape (..., columns), by table and agent: shape (..., tables, agents)."""
        wins = np.zeros((*columns.shape[:-1], *self.seats.shape))
        wins[..., self.table, self.agent] = columns
        return wins

    def check_links(self) -> None:
        """Every agent must have met every other, or others that lead to it."""
        num_groups, group = _groups(self.seats.T @ self.seats, directed=False)
        if num_groups > 1:
            groups = [", ".join(name for name, g in zip(self.names, group, strict=True) if g == i) for i in range(num_groups)]
            raise RatingError(f"agents that never met, so cannot be compared: {' | '.join(groups)}")

    def fit(self, wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
        """The most likely strengths, natural logarithms with mean 0, shape (agents,).

        `lsr_pairwise_dense` is one step of iterative Luce spectral ranking (Maystre and Grossglauser 2015) for pairs; a table
        of more seats takes part in it as pairs of winner and loser, each weighted by what the others leave of the sum.
        """
        import choix  # with what it imports it takes a second

        wins = wins + PRIOR_GAMES * self.seats / self.num_seats[:, None]
        theta = np.zeros(len(self.names)) if start is None else start
        for _ in range(_MAX_STEPS):
            strength = np.exp(theta)
            pairs = wins.T @ (self.seats / (self.seats @ strength)[:, None]) * (strength[:, None] + strength)
            np.fill_diagonal(pairs, 0)
            new = choix.lsr_pairwise_dense(pairs, initial_params=theta)
            if np.abs(new - theta).max() < _TOLERANCE:
                return new
            theta = new
        raise RatingError(f"ratings of {', '.join(self.names)} did not settle in {_MAX_STEPS} steps")

    def payoff(self, wins: np.ndarray) -> np.ndarray:
        """See `Ratings.payoff`; `wins` has shape (..., tables, agents)."""
        rates = np.divide(wins, self.seats, out=np.zeros_like(wins), where=self.seats > 0)
        won = np.swapaxes(rates, -1, -2) @ (self.seats > 0)
        total = won + np.swapaxes(won, -1, -2)
        payoff = np.divide(won, total, out=np.full_like(won, np.nan), where=total > 0)
        itself = np.arange(len(self.names))
        payoff[..., itself, itself] = 0.5
        return payoff

    def num_meetings(self) -> np.ndarray:
        """Games in which two agents met, shape (agents, agents)."""
        games = np.zeros(len(self.seats))
        np.add.at(games, self.table, self.by_deal.sum(axis=0))
        has = self.seats > 0
        return (has * games[:, None]).T @ has

    def is_tied_to(self, place: int, wins: np.ndarray) -> np.ndarray:
        """Which agents are in one circle of wins with that one: whose difference in rating the games alone bound."""
        beats = (wins > 0).T.astype(np.int64) @ (self.seats > 0)
        group = _groups(beats, connection="strong")[1]
        return group == group[place]


def _groups(graph: np.ndarray, **options: Any) -> tuple[int, np.ndarray]:
    """How many connected components a graph has, and which of them each node is in."""
    from scipy.sparse.csgraph import connected_components  # half a second

    count, group = connected_components(graph, **options)
    return count, group


def _surprise(payoff: np.ndarray, sampled: np.ndarray, strengths: np.ndarray, num_games: np.ndarray) -> np.ndarray:
    """See `Ratings.surprise`; where all deals went alike, the standard error is that of single games under the ratings."""
    expected = expected_payoff(ELO * strengths)
    error = sampled.std(axis=0)
    alone = np.sqrt(expected * expected.T / np.maximum(num_games, 1))  # 1 - expected may round to 0
    result = (payoff - expected) / np.where(error > 0, error, alone)
    np.fill_diagonal(result, np.nan)
    return result


def _cycles(names: Sequence[str], beats: np.ndarray) -> tuple[tuple[str, str, str], ...]:
    found = []
    for a, b, c in combinations(range(len(names)), 3):
        if beats[a, b] and beats[b, c] and beats[c, a]:
            found.append((names[a], names[b], names[c]))
        elif beats[a, c] and beats[c, b] and beats[b, a]:
            found.append((names[a], names[c], names[b]))
    return tuple(found)
