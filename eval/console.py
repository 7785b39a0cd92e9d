"""What people see: results as tables, progress with the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from eval.match import MatchResult, Score, name_rules
from eval.statistics import FEW_DEALS, LEVEL, in_games

_INTERVAL = f"[{LEVEL:.0%}]"


@contextmanager
def progress_bar(label: str, num_all: int, num_done: int = 0, unit: str = "games") -> Iterator[Callable[[int], None]]:
    """A bar on stderr while games are played, or other units done; gives what to call with the number that were finished."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit}, left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=num_all, completed=num_done)
        yield lambda num_finished: progress.advance(task, num_finished)


def print_match(result: MatchResult) -> None:
    """The result of a match, a row for each agent, with what it was played under."""
    table = _table("agent", "seats")
    for score in result.scores:
        table.add_row(score.name, str(score.num_places), *_figures(score, result))
    _print(table, [*_games(result), *_conditions(result)])


def print_quickstart(results: Sequence[MatchResult]) -> None:
    """One agent's results against others, a row for each match."""
    table = _table("seats", "against")
    for result in results:
        table.add_row(str(len(result.line_up)), result.line_up[1], *_figures(result.scores[0], result))
    num_deals, num_games = results[0].num_deals, sum(result.num_games for result in results)
    title = f"{results[0].line_up[0]} in one seat, the other agent in the rest: {num_games:,} games, {num_deals:,} deals a row"
    _print(table, [f"{title}, seed {results[0].seed}", *_conditions(results[0])])


def _table(*headings: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))  # within 80 columns
    for heading in headings:
        table.add_column(heading, no_wrap=heading == "seats", overflow="fold")  # a long name gives way, no figure does
    for heading in (f"win rate {_INTERVAL}", f"points a game {_INTERVAL}", "fair"):
        table.add_column(escape(heading), justify="right", no_wrap=True)
    return table


def _figures(score: Score, result: MatchResult) -> tuple[str, str, str]:
    """The cells of one agent's row, such as '61.2% [60.1, 62.3]', '+12.3 [10.9, 13.7]', '50.0%'."""
    low, high = score.win_rate_interval
    win_rate = f"{score.win_rate:.1%} [{low * 100:.1f}, {high * 100:.1f}]"
    low, high = score.points_interval
    points = f"{score.points:+.1f} [{low:.1f}, {high:.1f}]"
    return escape(win_rate), escape(points), f"{result.fair_share:.1%}"


def _games(result: MatchResult) -> Iterator[str]:
    seatings, speed = f"{len(result.line_up)} rotations", result.num_games / result.seconds
    if result.num_orders > 1:
        seatings += f" of each of {result.num_orders} orders"
    yield f"Line-up {', '.join(result.line_up)}; {result.num_deals:,} deals in {seatings}, seed {result.seed}"
    yield f"{result.num_games:,} games ({result.episode}s), {speed:,.0f} a second"
    yield from describe_ends(result.num_unfinished, ((score.name, score.num_forfeits) for score in result.scores))
    if result.num_deals < FEW_DEALS or any(score.win_rate in (0, 1) for score in result.scores):
        yield f"Less than {FEW_DEALS} deals, or one that always wins: take the intervals for wider than they are"
    ratio = result.scores[0].variance_ratio
    if ratio is not None:
        yield f"As sure of {result.line_up[0]}'s win rate as {in_games(ratio)}"


def describe_ends(num_unfinished: int, num_forfeits: Iterable[tuple[str, int]]) -> Iterator[str]:
    """What is to be said of games that did not come to an end: how many were broken off, and given up by whom."""
    if num_unfinished:
        yield f"{num_unfinished:,} of them would not end and were broken off: all seats share such a win"
    for name, number in num_forfeits:
        if number:
            yield f"{name} gave up {number:,} games: it loses these, and all others share the win"


def _conditions(result: MatchResult) -> Iterator[str]:
    rules = result.rules
    yield f"Rules {name_rules(rules)} (id {rules.id}), pairing {result.pairing}, information {rules.information}"
    yield "Each figure is for one seat, on duplicate deals with the seats rotated; intervals are bootstrapped over deals"


def _print(table: Table, lines: Iterable[str]) -> None:
    console = Console()
    console.print(table)
    console.print(*lines, sep="\n", highlight=False, markup=False, soft_wrap=True)
