"""The tables of peers.py, on the console and between the markers of docs/performance.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from unoflip_env import bench
from unoflip_env.bench_command import in_words, machine, measure, tables
from unoflip_env.files import replace_block, write_text

if TYPE_CHECKING:
    from benchmarks.peers import Contestant

Rows = list[list[str]]
"""A table: the headings, then its rows."""
BOTH = "mask and observation"
COMPARED = (
    ("mask", "engine, mask", "open_spiel"),
    (BOTH, f"engine, {BOTH}", "rlcard"),
    (f"{BOTH}, 2 players", "engine, 2 players", "rlcard_2"),
    (BOTH, f"engine, {BOTH}", "pgx"),
    (f"{BOTH}, 1,024 games in lockstep", "engine, 1024 games", "rlcard"),
    (f"{BOTH}, 1,024 games in lockstep", "engine, 1024 games", "pgx"),
    ("nothing", "engine, bare", "C, bare"),
    ("mask", "engine, mask", "C, mask"),
    (BOTH, f"engine, {BOTH}", f"C, {BOTH}"),
    (f"{BOTH}, 1,024 games in lockstep", "engine, 1024 games", "C, 1024 games"),
    (f"{BOTH}, 65,536 games in lockstep", "engine, 65536 games", "C, 65536 games"),
    (f"{BOTH}, by calls of Engine, 1,024 games", "calls, 1024 games", "engine, 1024 games"),
    (f"{BOTH}, 2 threads by the clock", "engine, threads=2", "engine, threads=1"),
    ("(numbers mixed in place of games, 2 threads by the clock)", "arithmetic, threads=2", "arithmetic, threads=1"),
)
"""What is written at each decision, and the contestants whose ratio is told: the best of each; of threads, the medians."""


def comparison(found: Mapping[str, Contestant]) -> Rows:
    """Ours beside theirs, with their ratio."""
    rows = [["the engine writes", "engine", "beside it", "decisions/s", "ratio"]]
    for what, ours, theirs in COMPARED:
        one, other = (c.typical if "threads" in ours else c.best for c in (found[ours], found[theirs]))
        if one is None or other is None:
            rows.append([what, "", found[theirs].name, f"missing: {found[theirs].missing or found[ours].missing}", ""])
            continue
        ratio = one / other
        words = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:.0f}"
        rows.append([what, in_words(one, "/s"), found[theirs].name, in_words(other, "/s"), words])
    return rows


def floor(found: Mapping[str, Contestant], sizes: Iterable[int], num_bytes: int) -> Rows:
    """The time that the bytes of a decision take by themselves, and the time that a decision takes."""
    rows = [["games in lockstep", "bytes a decision", "copied at", "floor", "engine", "C", "engine / floor"]]
    for size in sizes:
        speed, engine, yardstick = (found[f"{name} {size} games"].best for name in ("memory of", "engine,", "C,"))
        assert speed is not None
        assert engine is not None
        nanoseconds = 1e9 * num_bytes / speed
        c_words = f"{1e9 / yardstick:.0f} ns" if yardstick else "missing"
        rows.append([f"{size:,}", str(num_bytes), f"{speed / 1e9:.1f} GB/s", f"{nanoseconds:.0f} ns"])
        rows[-1] += [f"{1e9 / engine:.0f} ns", c_words, f"{1e9 / engine / nanoseconds:.1f}"]
    return rows


def machine_tables(seconds: float) -> dict[str, Rows]:
    """What `python -m unoflip_env bench --compile` prints, by the name of its table."""
    figures = [measure(job, seconds) for job in bench.jobs(with_compilation=True)]
    found = {}
    for name, rows in tables(figures).items():
        columns = list(dict.fromkeys(column for row in rows.values() for column in row))
        found[name] = [[name, *columns], *([row, *(values.get(c, "") for c in columns)] for row, values in rows.items())]
    return found


def show(rows: Rows) -> None:
    """Print a table on the console."""
    table = Table(*rows[0], box=SIMPLE_HEAD, pad_edge=False)
    for row in rows[1:]:
        table.add_row(*row)
    Console().print(table)


def markdown(rows: Rows) -> str:
    """A table in Markdown; all columns but the first to the right."""
    lines = [rows[0], ["---", *(["---:"] * (len(rows[0]) - 1))], *rows[1:]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def write(path: Path, sections: Mapping[str, Iterable[Rows]]) -> None:
    """Put tables between the markers `<!-- name -->` and `<!-- end of name -->`; raises ValueError without them."""
    page = path.read_text(encoding="utf-8")
    named = ", ".join(f"{name} {value}" for name, value in machine().items())
    for name, found in sections.items():
        text = "\n\n".join([f"Measured on: {named}.", *map(markdown, found)])
        page = replace_block(page, name, text)
    write_text(path, page)
