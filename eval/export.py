"""A ledger's results for other programs: an Arrow table, a Parquet or CSV file, and the tables that ratings are made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from agents.external.agent import FaultCount
from eval.ledger import COLUMNS, Entry, Ledger, Shard
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
    with Ledger(path) as ledger, ledger.reading() as entries:
        return pa.Table.from_batches([batch_of(ledger.settings, entry) for entry in entries], SCHEMA)


def batch_of(settings: Settings, entry: Entry) -> pa.RecordBatch:
    """The same of a shard."""
    columns = {name: entry.rows[name] for name in COLUMNS}
    rules, num_players, num_rows = columns["rules"], settings.num_players, len(entry.rows)
    columns |= {
        "tournament": np.full(num_rows, settings.id),
        "rules": np.array([entry.name for entry in settings.rules])[rules],
        "rules_id": np.array([entry.id for entry in settings.rules])[rules],
        "players": np.full(num_rows, num_players),
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


class Totals:
    """What came of a tournament so far, added up shard by shard, so that results need not be held all at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._wins: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
        self._num_forfeits = np.zeros(len(settings.agents), np.int64)
        self._faults: list[tuple[Shard, int, FaultCount]] = []

    def add(self, entry: Entry) -> None:
        """Count a shard in; those of a line-up are to come in the order of their deals."""
        wins = entry.by_place("win", self._settings.num_players).mean(axis=1)
        self._wins.setdefault((entry.shard.rules, entry.shard.line_up), []).append((entry.deals, wins))
        np.add.at(self._num_forfeits, entry.rows["agent"], entry.rows["is_forfeit"])
        self._faults += [(entry.shard, agent, fault) for agent, fault in entry.faults]

    def tables(self) -> list[list[TableWins]]:
        """Who won what under each of the rule sets, a table for each line-up that was played."""
        tables: list[list[TableWins]] = [[] for _ in self._settings.rules]
        for (rules, line_up), wins in sorted(self._wins.items(), key=lambda each: each[0]):
            names = tuple(self._settings.agents[i].name for i in self._settings.line_ups[line_up])
            tables[rules].append(TableWins(names, *map(np.concatenate, zip(*wins, strict=True))))
        return tables

    def num_forfeits(self) -> dict[str, int]:
        """Games that agents gave up, by name; those that gave up none are not there."""
        numbers = zip(self._settings.agents, self._num_forfeits.tolist(), strict=True)
        return {agent.name: number for agent, number in numbers if number}

    def faults(self) -> list[tuple[str, FaultCount]]:
        """What external agents did wrong in all games, by agent and fault, with the first in the order of play."""
        counts: dict[tuple[int, str], FaultCount] = {}
        for _, agent, each in sorted(self._faults, key=lambda fault: fault[0]):
            before = counts.get((agent, each.fault), FaultCount(each.fault, 0, each.first))
            counts[agent, each.fault] = replace(before, number=before.number + each.number)
        return [(self._settings.agents[agent].name, counts[agent, fault]) for agent, fault in sorted(counts)]


def totals_of(ledger: Ledger) -> Totals:
    """What came of all that a ledger has."""
    totals = Totals(ledger.settings)
    with ledger.reading() as entries:
        for entry in entries:
            totals.add(entry)
    return totals
