"""The figures of a report, as matplotlib figures."""

from __future__ import annotations

import io
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eval.ratings import Ratings

_COLOR = "#33658a"
_DPI_ROW = 0.32  # inches for an agent's row
_LONGEST = 36  # letters of a name that leave room for the rest


def svg(figure: Figure) -> str:
    """A figure as an element of HTML; the same figure is the same text."""
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "report"}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def ratings(ratings: Ratings) -> Figure:
    """Each agent's rating with its interval, the best on top."""
    axes = _axes(7, len(ratings.names))
    rows = np.arange(len(ratings.names))
    low, high = ratings.elo_interval
    axes.errorbar(ratings.elo, rows, xerr=_errors(ratings.elo, low, high), fmt="o", color=_COLOR, capsize=3)
    axes.axvline(0, color="gray", linewidth=0.8)
    axes.set_xlabel(f"Elo, {_label(ratings.anchor)} = 0", parse_math=False)
    _name_rows(axes, ratings.names)
    return _figure(axes)


def crosstable(ratings: Ratings) -> Figure:
    """Who beats whom: the payoff of the row's agent against the column's."""
    number = len(ratings.names)
    labels = [f"{i + 1} {_label(name)}" for i, name in enumerate(ratings.names)]
    axes = _axes(max(2.5, 0.5 + 0.085 * max(map(len, labels))) + 0.62 * number, 1.35 * number)
    payoff = np.where(np.eye(number, dtype=bool), np.nan, ratings.payoff)
    axes.imshow(payoff, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
    for row, column in np.argwhere(np.isfinite(payoff)).tolist():
        share = payoff[row, column]
        color = "white" if abs(share - 0.5) > 0.3 else "black"
        axes.text(column, row, f"{share:.1%}".removesuffix("%"), ha="center", va="center", color=color, fontsize=8)
    axes.set_xticks(range(number), [str(i + 1) for i in range(number)])
    axes.xaxis.tick_top()
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_yticks(range(number), labels, parse_math=False)
    return _figure(axes)


def seats(rates: np.ndarray, interval: np.ndarray) -> Figure:
    """The win rate of each seat, shape (seats,), with intervals, shape (2, seats), and the fair share."""
    axes = _axes(4, 8)
    numbers = np.arange(rates.size)
    axes.bar(numbers, rates, yerr=_errors(rates, *interval), color=_COLOR, capsize=4, alpha=0.8)
    axes.axhline(1 / rates.size, color="gray", linewidth=0.8)
    axes.set_xticks(numbers)
    axes.set_xlabel("seat")
    axes.set_ylabel("win rate")
    return _figure(axes)


def boxes(names: Sequence[str], quantiles: Sequence[Sequence[float]], label: str) -> Figure:
    """A box for each agent: 5%, 25%, 50%, 75% and 95% of its games lie below whisker, box, line, box and whisker."""
    axes = _axes(7, len(names))
    stats = [
        {"whislo": low, "q1": first, "med": middle, "q3": third, "whishi": high}
        for low, first, middle, third, high in quantiles
    ]
    axes.bxp(stats, positions=range(len(names)), orientation="horizontal", showfliers=False, widths=0.6)
    axes.set_xlabel(label)
    _name_rows(axes, names)
    return _figure(axes)


def _errors(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far intervals reach to either side, shape (2, values): never less than nothing, as it may be by rounding."""
    return np.maximum(0, [values - low, high - values])


def _axes(width: float, num_rows: float) -> Axes:
    figure = Figure(figsize=(width, 0.9 + _DPI_ROW * num_rows), layout="constrained")
    axes: Axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), list(map(_label, names)), parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x", alpha=0.3)


def _label(name: str) -> str:
    """A name, without its middle if it is long: one that is told from another by what makes it ends in that."""
    if len(name) <= _LONGEST:
        return name
    half = (_LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def _figure(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure
    return figure
