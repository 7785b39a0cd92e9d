"""What else can be made of a tournament's tables than ratings: `python -m eval table FILE --also nash`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from eval.equilibrium import alpha_rank, nash_average
from eval.live_ratings import LiveRatings
from eval.ratings import TableWins, rate

Ranking = Literal["nash", "alpha-rank", "ladder"]


def describe_ranking(kind: Ranking, tables: Sequence[TableWins], seed: int) -> Iterator[str]:
    """A headline and a line for each agent, the best first. Raises RatingError as its ranking does."""
    if kind == "ladder":
        yield "Ladder, deal by deal (openskill): strength at least, mean and standard deviation"
        for standing in climb(tables).standings():
            yield f"{standing.at_least:8.2f}  {standing.mean:6.2f} ± {standing.deviation:.2f}  {standing.name}"
        return
    ratings = rate(tables, seed, num_resamples=2)
    if kind == "nash":
        shares, gains = nash_average(ratings.payoff)
        yield "Nash averaging: share of the best mixture of agents; win rate against it"
        figures = [f"{share:8.1%}  {0.5 + gain:6.1%}" for share, gain in zip(shares, gains, strict=True)]
    else:
        shares = alpha_rank(ratings.payoff)
        yield "Alpha-rank: how often each is played in the long run"
        figures = [f"{share:8.1%}" for share in shares]
    for i in np.argsort(-shares, kind="stable"):
        yield f"{figures[i]}  {ratings.names[i]}"


def climb(tables: Sequence[TableWins]) -> LiveRatings:
    """The ladder after all deals of these tables, which take turns."""
    live = LiveRatings()
    games = [(int(deal), t, row) for t, table in enumerate(tables) for row, deal in enumerate(table.deals)]
    for _, t, row in sorted(games):
        table = tables[t]
        places = {name: np.equal(table.line_up, name) for name in table.line_up}
        live.update({name: float(table.wins[row, where].mean()) for name, where in places.items()})
    return live
