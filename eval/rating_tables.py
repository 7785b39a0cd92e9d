"""Ratings as people see them in a terminal: the scale, who beats whom, and where the scale misleads."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
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
    """A row for each agent, the best first: its rating with the interval, and its payoff against each of the others.

    Where these are too many for the console, more tables go on with them.
    """
    console = console or Console()
    num_agents = len(ratings.names)
    room = next(
        (n for n in range(num_agents, 1, -1) if _width(_table(ratings, range(n), console), console) <= console.width), 1
    )
    num_columns = ceil(num_agents / ceil(num_agents / room))
    for first in range(0, num_agents, num_columns):
        console.print(_table(ratings, range(first, min(first + num_columns, num_agents)), console))
    console.print(_CAPTION.format(ratings), *notes(ratings), sep="\n", highlight=False, markup=False, soft_wrap=True)


def _width(table: Table, console: Console) -> int:
    """The columns of text that a table would take."""
    return Measurement.get(console, console.options.update(max_width=1_000_000), table).maximum


def _table(ratings: Ratings, columns: range, console: Console) -> Table:
    """Payoffs against some of the agents; the first of them come with the ratings."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold", max_width=console.width // 3)  # a long name gives way, no figure does
    headings = [escape(f"Elo [{LEVEL:.0%}]")] if columns.start == 0 else []
    for heading in (*headings, *(f"v {column + 1}" for column in columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, name in enumerate(ratings.names):
        low, high = ratings.elo_interval[:, row]
        elo = [escape(f"{ratings.elo[row]:+.0f} [{low:+.0f}, {high:+.0f}]")] if columns.start == 0 else []
        against = [_share(np.nan if row == column else ratings.payoff[row, column]) for column in columns]
        table.add_row(f"{row + 1} {escape(name)}", *elo, *against)
    return table


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


def _share(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.1%}"
