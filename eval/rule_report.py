"""Statistics of rule sets for people: a table on the screen, and the page docs/statistics.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table

from eval.play import MAX_TURNS
from eval.rule_statistics import MEASURES, RuleStatistics
from eval.statistics import LEVEL

LENGTHS = ("rules", "players", "decisions", "rounds a match", "points", "flips")
ENDINGS = ("rules", "players", "blocked", "timed out", "reshuffled", "endless", "wins by place, %")
"""The columns of the two tables."""


def print_statistics(results: Sequence[RuleStatistics]) -> None:
    """Two tables with a row for each rule set and number of players, and what the columns mean."""
    console = Console()
    for headings, cells in ((LENGTHS, lengths), (ENDINGS, endings)):
        table = Table(box=SIMPLE_HEAD, pad_edge=False)  # within 80 columns
        for heading in headings:
            is_narrowed = heading in (headings[0], ENDINGS[-1])
            side: JustifyMethod = "left" if heading == headings[0] else "right"
            table.add_column(heading, justify=side, no_wrap=not is_narrowed, overflow="fold")
        for result in results:
            table.add_row(*cells(result))
        console.print(table)
    console.print(*notes(results), sep="\n", highlight=False, markup=False)


def page(results: Sequence[RuleStatistics], command: str) -> str:
    """The same in Markdown, with the command that made it and the ids of the rule sets."""
    lines = [
        "# How the rule sets play",
        "",
        "A check of the rules, and a first impression of them: games of an agent against itself. This page was written by",
        "",
        f"    {command}",
        "",
    ]
    for headings, cells in ((LENGTHS, lengths), (ENDINGS, endings)):
        lines += [_line(headings), "| --- |" + " ---: |" * (len(headings) - 1)]
        lines += [_line(cells(result)) for result in results] + [""]
    ids = dict.fromkeys(f"`{result.name}` {result.rules.id}" for result in results)
    for note in [*notes(results), f"Ids of the rule sets: {', '.join(ids)}."]:
        lines += textwrap.wrap(f"- {note}", 120, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def lengths(result: RuleStatistics) -> list[str]:
    """A row of the first table; a dash where too few games ended to tell."""
    figures = result.figures
    cells = [figures.get("decisions"), result.rounds, figures.get("points"), figures.get("flips")]
    means = [f"{cell.mean:.1f} ±{cell.half_width:.1f}" if cell else "-" for cell in cells]
    return [result.name, str(result.num_players), *means]


def endings(result: RuleStatistics) -> list[str]:
    """A row of the second table."""
    shares = [f"{result.figures[name].mean:.1%}" if result.figures else "-" for name in ("blocked", "timeout", "reshuffled")]
    endless = f"{result.num_endless_rounds / result.num_rounds:.1%}"
    wins = " ".join(f"{100 * figure.mean:.0f}" for figure in result.wins) or "-"
    return [result.name, str(result.num_players), *shares, endless, wins]


def notes(results: Sequence[RuleStatistics]) -> list[str]:
    """What the figures are and how sure they are."""
    first = results[0]
    widest = max((figure.half_width for result in results for figure in result.wins), default=0.0)
    num_matches = sum(result.num_endless_matches for result in results)
    lines = [
        f"Agent {first.agent} in every seat, seed {first.seed}: {first.num_rounds:,} rounds and {first.num_matches:,} matches"
        f" a row; ± is half of a {LEVEL:.0%} interval.",
        f"decisions: {MEASURES['decisions']}. points: {MEASURES['points']}. flips: {MEASURES['flips']}.",
        f"blocked: {MEASURES['blocked']}. timed out: {MEASURES['timeout']}. reshuffled: {MEASURES['reshuffled']}.",
        f"endless: share of rounds broken off after {MAX_TURNS:,} turns; they, and {num_matches} matches broken off in such a"
        " round, are left out of all other figures.",
        f"wins by place: the share of rounds won by the first seat (DEAL-4), the next, and so on, ±{100 * widest:.1f} at most.",
    ]
    if any(result.rules.rule_vote for result in results):
        lines.append("Votes on the rules (MODE-1) come up in matches only; the baselines greedy and sharp propose nothing.")
    return lines


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
