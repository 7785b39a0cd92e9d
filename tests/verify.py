"""Plays the two engines against each other at length: every option, 2 to 10 players, compared after every decision.

Example: `python -m tests.verify --decisions 1_000_000`
"""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from typing import NamedTuple

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from tests.reference.compare import DifferenceError, compare
from tests.reference.setups import Setup, draw_setups

SHARE = 20_000
"""Decisions in one share: a batch of games of one setup."""
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


class Share(NamedTuple):
    setup: Setup
    num_decisions: int
    seed: int


def shares(num_decisions: int, seed: int) -> Iterator[Share]:
    """The work in shares: one setup after the other, out of ever new sets in which all pairs of values occur."""
    place = 0
    while num_decisions > 0:
        for setup in draw_setups(seed + place):
            if num_decisions <= 0:
                return
            yield Share(setup, min(SHARE, num_decisions), (seed << 32) + place)
            num_decisions -= SHARE
            place += 1


def play(share: Share) -> tuple[Counter[str], str]:
    """What happened in a share, counted, and the difference found, if any."""
    try:
        return compare(*share), ""
    except DifferenceError as error:
        return Counter(), str(error)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def verify(decisions: int = 20_000_000, seed: int = 0, processes: int = 2) -> int:
    """Play the two engines against each other and report every difference.

    Ctrl-C stops early and prints what was done. Exit status 1 if the engines differ anywhere.

    Example: python -m tests.verify --decisions 1_000_000

    Args:
        decisions: random decisions to play and compare.
        seed: names the rule sets and the games; the same seed plays the same games.
        processes: processes that share the work.
    """
    if decisions < 1 or processes < 1:
        raise SystemExit(f"--decisions {decisions} --processes {processes}: expected 1 or more of each")
    console, counts, differences, status = Console(), Counter[str](), list[str](), 0
    columns = (TextColumn("decisions"), BarColumn(), MofNCompleteColumn(), TaskProgressColumn(), TimeRemainingColumn())
    try:
        with (
            Progress(*columns, console=console) as progress,
            get_context("spawn").Pool(processes, _leave_ctrl_c_to_the_parent) as pool,
        ):
            task = progress.add_task("decisions", total=decisions)
            for happened, difference in pool.imap_unordered(play, shares(decisions, seed)):
                counts += happened
                progress.update(task, completed=counts["decisions"])
                if difference:
                    differences.append(difference)
                    console.print(difference, markup=False)
    except KeyboardInterrupt:
        status = INTERRUPTED
        console.print("Stopped.")
    for name, count in counts.most_common():
        console.print(f"{count:>12,}  {name}")
    console.print(f"{len(differences):>12,}  differences")
    return 1 if differences else status


if __name__ == "__main__":
    sys.exit(tyro.cli(verify))
