"""A ledger's results for other programs: an Arrow table, a Parquet or CSV file, and the tables that ratings are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from eval.ledger import COLUMNS, Ledger
from eval.match import MatchError
from eval.ratings import TableWins
from eval.settings import Settings
from unoflip_env.files import beside, check_writable

SCHEMA = pa.schema(
    [
        ("tournament", pa.string()),
        ("rules", pa.string()),
        ("rules_id", pa.string()),
        ("players", pa.int8()),
        ("line_up", pa.int32()),
        ("deal", pa.int64()),
        ("rotation", pa.int8()),
        ("seat", pa.int8()),
        ("place", pa.int8()),
        ("agent", pa.string()),
        ("win", pa.float64()),
        ("points", pa.float64()),
        ("decisions", pa.int64()),
        ("is_forfeit", pa.bool_()),
        ("is_unfinished", pa.bool_()),
    ]
)
"""A row for each seat of each game, see docs/tournaments.md."""


def read_games(path: str | Path) -> pa.Table:
    """All results of a ledger, as SCHEMA has them, in the order of rules, line-up, deal, rotation and seat.

    The same tournament gives the same table, however it was played. Raises LedgerError as Ledger does.
    """
    with Ledger(path) as ledger:
        return games_of(ledger)


def games_of(ledger: Ledger) -> pa.Table:
    """The same of an open ledger."""
    return pa.Table.from_batches([_batch(ledger.settings, rows) for rows in ledger.rows()], SCHEMA)


def _batch(settings: Settings, rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = dict(zip(COLUMNS, map(np.array, zip(*rows, strict=True)), strict=True))
    rules, num_players = columns["rules"], settings.num_players
    columns |= {
        "tournament": np.full(len(rows), settings.id),
        "rules": np.array([entry.name for entry in settings.rules])[rules],
        "rules_id": np.array([entry.id for entry in settings.rules])[rules],
        "players": np.full(len(rows), num_players),
        "place": (columns["seat"] - columns["rotation"]) % num_players,
        "agent": np.array([entry.name for entry in settings.agents])[columns["agent"]],
        "is_forfeit": columns["is_forfeit"].astype(bool),
        "is_unfinished": columns["is_unfinished"].astype(bool),
    }
    return pa.record_batch([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


def export(path: Path, out: Path) -> int:
    """Write a ledger's results to a .parquet or .csv file, beside it and then in its place; returns the number of rows.

    Raises MatchError for another suffix, LedgerError as Ledger does, OSError where the file cannot be written.
    """
    writers = {".parquet": parquet.write_table, ".csv": csv.write_csv}
    if out.suffix not in writers:
        raise MatchError(f"{out}: expected a name that ends in {' or '.join(writers)}")
    check_writable(out)
    games = read_games(path)
    with beside(out) as new:
        writers[out.suffix](games, new)
    return games.num_rows


def tables_of(ledger: Ledger) -> list[list[TableWins]]:
    """Who won what under each of the ledger's rule sets, a table for each line-up that was played."""
    return [_tables(ledger, rules) for rules in range(len(ledger.settings.rules))]


def _tables(ledger: Ledger, rules: int) -> list[TableWins]:
    names = [entry.name for entry in ledger.settings.agents]
    tables = []
    for number, line_up in enumerate(ledger.settings.line_ups):
        deals, wins = ledger.wins(rules, number)
        if deals.size:
            tables.append(TableWins(tuple(names[i] for i in line_up), deals, wins))
    return tables
