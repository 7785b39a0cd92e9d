"""Writes the golden games anew. Only for a change of the rules, of the random stream or of the records' format."""

from __future__ import annotations

from pathlib import Path

import tyro

from eval.console import progress_bar
from eval.record import write_records
from tests.golden.games import FOLDER, TABLES, record_tables


def write(folder: Path = FOLDER) -> None:
    """Play and record the golden games.

    Example: python -m tests.golden

    Args:
        folder: where the files go, one for each preset and one for other rules.
    """
    with progress_bar("golden games", sum(map(len, TABLES.values()))) as on_game:
        for name in TABLES:
            write_records(folder / f"{name}.jsonl", record_tables(name), on_game)


if __name__ == "__main__":
    tyro.cli(write)
