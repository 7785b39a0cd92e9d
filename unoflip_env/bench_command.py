"""`python -m unoflip_env bench`: how fast this machine plays."""

from __future__ import annotations

import json
import os
import platform
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

if TYPE_CHECKING:
    from unoflip_env.bench import Job

HELP = """Measure this machine, in under a minute: the engine, batches of games, players, rule sets, environments, the start.

Play is uniformly random over the legal actions. Rates of one thread are for a second of processor time; those of several
threads, by the clock. Each is the best of three, but what more threads give is the median of turns with one.

Examples:
  python -m unoflip_env bench
  python -m unoflip_env bench --seconds 0.5 --compile
  python -m unoflip_env bench --json > this_machine.json
"""


def add_parser(commands: Any) -> None:
    """Add the command to argparse's subparsers."""
    parser: ArgumentParser = commands.add_parser(
        "bench", help="measure this machine", description=HELP, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=0.1, metavar="S", help="how long each figure is measured, three times (0.1)"
    )
    parser.add_argument("--compile", action="store_true", help="also compile all kernels into an empty cache (a minute)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"{text!r}: expected a number of seconds above 0, such as 0.1")
    return seconds


def run(arguments: Namespace) -> int:
    """Measure and print; returns the exit status. Ctrl-C prints what has been measured so far."""
    from unoflip_env import bench  # it brings Numba along, which the other commands do without

    status = 0
    figures: list[dict[str, Any]] = []
    jobs = track(list(bench.jobs(arguments.compile)), "measuring", console=Console(stderr=True), transient=True)
    try:
        figures.extend(measure(job, arguments.seconds) for job in jobs)
    except KeyboardInterrupt:
        print("interrupted: what was measured until then", file=sys.stderr)
        status = 130
    if arguments.json:
        print(json.dumps({"machine": machine(), "seconds": arguments.seconds, "figures": figures}, indent=1))
    else:
        _print(figures)
    return status


def measure(job: Job, seconds: float) -> dict[str, Any]:
    """One figure and its place in the tables."""
    return {"table": job.table, "row": job.row, "column": job.column, "unit": job.unit, "value": job.measure(seconds)}


def machine() -> dict[str, str]:
    """The machine, how busy it is (processes that want a core), and the versions that figures were obtained with."""
    packages = {name: version(name) for name in ("unoflip-env", "numba", "numpy", "pettingzoo", "gymnasium")}
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        "python": platform.python_version(),
        **packages,
    }


def tables(figures: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, str]]]:
    """[table][row][column]: the figures as they are printed."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for figure in figures:
        row = found.setdefault(figure["table"], {}).setdefault(figure["row"], {})
        row[figure["column"] or figure["unit"]] = in_words(figure["value"], figure["unit"])
    return found


def in_words(value: float, unit: str) -> str:
    """Three digits: '12.3 M', '45.6 k', '31.2%', '0.52'."""
    if unit == "share":
        return f"{value:.1%}"
    for name, size in (("M", 1e6), ("k", 1e3)):
        if unit.endswith("/s") and value >= size:
            return f"{value / size:.3g} {name}" if value < 1e9 else f"{value / size:,.0f} {name}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _print(figures: list[dict[str, Any]]) -> None:
    console = Console()
    for name, rows in tables(figures).items():
        columns = dict.fromkeys(column for row in rows.values() for column in row)
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column(name, no_wrap=True, min_width=36)
        for column in columns:
            table.add_column(column, justify="right", no_wrap=True)
        for row, values in rows.items():
            table.add_row(row, *(values.get(column, "") for column in columns))
        console.print(table)
    console.print(", ".join(f"{name} {value}" for name, value in machine().items()), highlight=False, soft_wrap=True)


def _processor() -> str:
    """Its name, where the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
