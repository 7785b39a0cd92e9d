"""Ratings as people see them in a terminal: the scale, who beats whom, and where the scale misleads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from eval.ratings import Ratings
from eval.statistics import FEW_DEALS, LEVEL

SURPRISING = 3.0
"""Standard errors from which on a payoff is said to be none that the ratings explain."""

_CAPTION = (
    "{0.num_games:,} games on {0.num_deals:,} deals; {0.anchor} is at 0; a column is the share that the row's agent won of the "
    "games that it or the column's won; intervals are bootstrapped over deals"
)


def print_ratings(ratings: Ratings, console: Console | None = None) -> None:
    """A row for each agent, the best first: its rating with the interval, and its payoff against each of the others."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("agent", overflow="fold")  # a long name gives way, no figure does
    table.add_column(escape(f"Elo [{LEVEL:.0%}]"), justify="right", no_wrap=True)
    for number, _ in enumerate(ratings.names, 1):
        table.add_column(f"v {number}", justify="right", no_wrap=True)
    for row, name in enumerate(ratings.names):
        low, high = ratings.elo_interval[:, row]
        elo = f"{ratings.elo[row]:+.0f} [{low:+.0f}, {high:+.0f}]"
        table.add_row(f"{row + 1} {escape(name)}", escape(elo), *map(_share, _against(ratings, row)))
    console = console or Console()
    console.print(table)
    console.print(_CAPTION.format(ratings), *notes(ratings), sep="\n", highlight=False, markup=False, soft_wrap=True)


def notes(ratings: Ratings) -> Iterator[str]:
    """What one scale does not say of these agents, a sentence each."""
    if ratings.num_deals < FEW_DEALS or np.isin(ratings.payoff[~np.eye(len(ratings.names), dtype=bool)], (0, 1)).any():
        yield f"less than {FEW_DEALS} deals, or one that always wins: take the intervals for wider than they are"
    loose = [name for name, is_bounded in zip(ratings.names, ratings.is_bounded, strict=True) if not is_bounded]
    if loose:
        yield f"{', '.join(loose)}: won or lost all that ties them to {ratings.anchor}: the ratings are bounds, not estimates"
    for row, column in zip(*np.nonzero(np.triu(np.abs(ratings.surprise) >= SURPRISING)), strict=True):
        yield (
            f"{ratings.names[row]} against {ratings.names[column]}: {ratings.payoff[row, column]:.1%}, "
            f"{ratings.surprise[row, column]:+.1f} standard errors from what the ratings say"
        )
    for a, b, c in ratings.cycles:
        yield f"{a} beats {b}, {b} beats {c}, and {c} beats {a}: no scale can say that"


def _against(ratings: Ratings, row: int) -> list[float]:
    return [np.nan if row == column else share for column, share in enumerate(ratings.payoff[row])]


def _share(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.1%}"
