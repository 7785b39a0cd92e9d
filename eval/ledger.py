"""The ledger of a tournament: its settings, its results and how far it has come, in one SQLite file.

The file is the only state. What is played is committed a shard at a time, with the note that the shard is done, so that a
crash at any point loses the shards in play and nothing else. docs/tournaments.md describes the tables.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from filelock import FileLock, Timeout
from pydantic import ValidationError

from agents.external.agent import FaultCount
from eval.deals import Outcomes
from eval.settings import Settings, SettingsError
from unoflip_env.files import check_writable

APPLICATION_ID = 0x554E4F46  # "UNOF": what SQLite keeps in a file's header to tell whose it is
_MAGIC = b"SQLite format 3\0"
_SCHEMA = """
CREATE TABLE tournament (settings TEXT NOT NULL);
CREATE TABLE shard (
    first_deal INTEGER NOT NULL, rules INTEGER NOT NULL, line_up INTEGER NOT NULL,
    PRIMARY KEY (first_deal, rules, line_up)
) WITHOUT ROWID;
CREATE TABLE result (
    rules INTEGER NOT NULL, line_up INTEGER NOT NULL, deal INTEGER NOT NULL, rotation INTEGER NOT NULL, seat INTEGER NOT NULL,
    agent INTEGER NOT NULL, win REAL NOT NULL, points REAL NOT NULL, decisions INTEGER NOT NULL,
    is_forfeit INTEGER NOT NULL, is_unfinished INTEGER NOT NULL,
    PRIMARY KEY (rules, line_up, deal, rotation, seat)
) WITHOUT ROWID;
CREATE TABLE fault (
    first_deal INTEGER NOT NULL, rules INTEGER NOT NULL, line_up INTEGER NOT NULL, agent INTEGER NOT NULL, fault TEXT NOT NULL,
    number INTEGER NOT NULL, first TEXT NOT NULL,
    PRIMARY KEY (first_deal, rules, line_up, agent, fault)
) WITHOUT ROWID;
"""
COLUMNS = ("rules", "line_up", "deal", "rotation", "seat", "agent", "win", "points", "decisions", "is_forfeit", "is_unfinished")
_CHUNK = 50_000  # rows read at a time


class LedgerError(ValueError):
    """A ledger that cannot be read or written to; the message names the file and says what to do."""


@dataclass(frozen=True, order=True)
class Shard:
    """Some deals of one line-up under one rule set: what is played, and written down, as a whole."""

    first_deal: int
    rules: int
    line_up: int


@dataclass(frozen=True)
class Played:
    """What came of a shard: its games, and what external agents did wrong in them, each with its number in the settings."""

    outcomes: Outcomes
    faults: tuple[tuple[int, FaultCount], ...] = ()


class Ledger:
    """An open ledger. As a context manager it closes itself.

    Args:
        path: the file.
        settings: the tournament to write down; the file is made if there is none. None opens a file to read.

    Raises LedgerError where there is no such file, another process writes to it, it is damaged or not a ledger, or was
    begun with other settings.
    """

    def __init__(self, path: str | Path, settings: Settings | None = None) -> None:
        self.path = Path(path)
        self._lock = None if settings is None else self._lock_file()
        try:
            with self._explained():
                self._connection = self._open(settings)
                try:
                    self.settings = self._check(settings)
                except BaseException:
                    self._connection.close()
                    raise
        except BaseException:
            self._release()
            raise

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._release()

    def shards_done(self) -> set[Shard]:
        """What has been played."""
        with self._explained():
            return {Shard(*row) for row in self._connection.execute("SELECT first_deal, rules, line_up FROM shard")}

    def add(self, shard: Shard, played: Played) -> None:
        """Write a shard's results down, all or none. Raises LedgerError if that fails, which leaves the file as it was."""
        rows = zip(*_columns(shard, self.settings.line_ups[shard.line_up], played.outcomes), strict=True)
        key = shard.first_deal, shard.rules, shard.line_up
        faults = [(*key, agent, each.fault, each.number, each.first) for agent, each in played.faults]
        with self._explained(), _transaction(self._connection):
            self._connection.executemany(f"INSERT INTO result VALUES ({', '.join('?' * len(COLUMNS))})", rows)
            self._connection.executemany("INSERT INTO fault VALUES (?, ?, ?, ?, ?, ?, ?)", faults)
            self._connection.execute("INSERT INTO shard VALUES (?, ?, ?)", key)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What is read within is of one moment, though another run may be writing: it waits with that until the end."""
        with self._explained(), _transaction(self._connection, "DEFERRED"):
            yield

    def rows(self) -> Iterator[list[tuple[Any, ...]]]:
        """All results, a list of rows at a time, with COLUMNS, in the order of the first five: however they came about."""
        with self._explained():
            cursor = self._connection.execute(f"SELECT {', '.join(COLUMNS)} FROM result ORDER BY {', '.join(COLUMNS[:5])}")
            while rows := cursor.fetchmany(_CHUNK):
                yield rows

    def wins(self, rules: int, line_up: int) -> tuple[np.ndarray, np.ndarray]:
        """What each place of a line-up won: the deals' numbers, shape (deals,), and means over rotations, (deals, places)."""
        places = self.settings.num_players
        query = f"""SELECT deal, (seat - rotation + {places}) % {places} AS place, avg(win) FROM result
            WHERE rules = ? AND line_up = ? GROUP BY deal, place ORDER BY deal, place"""
        with self._explained():
            rows = self._connection.execute(query, (rules, line_up)).fetchall()
        deals, _, wins = np.array(rows).reshape(-1, places, 3).transpose(2, 0, 1)
        return deals[:, 0].astype(np.int64), wins

    def num_forfeits(self) -> dict[str, int]:
        """Games that agents gave up, by name; those that gave up none are not there."""
        query = "SELECT agent, sum(is_forfeit) AS number FROM result GROUP BY agent HAVING number > 0 ORDER BY agent"
        with self._explained():
            rows = self._connection.execute(query).fetchall()
        return {self.settings.agents[agent].name: number for agent, number in rows}

    def faults(self) -> list[tuple[str, FaultCount]]:
        """What external agents did wrong in all games, by name and fault, with the first in the order of play."""
        query = "SELECT agent, fault, number, first FROM fault ORDER BY first_deal, rules, line_up"
        counts = dict[tuple[int, str], FaultCount]()
        with self._explained():
            for agent, fault, number, first in self._connection.execute(query):
                before = counts.get((agent, fault), FaultCount(fault, 0, first))
                counts[agent, fault] = FaultCount(fault, before.number + number, before.first)
        return [(self.settings.agents[agent].name, counts[agent, fault]) for agent, fault in sorted(counts)]

    def _lock_file(self) -> FileLock:
        """One writer at a time; the system frees the lock if the process dies."""
        real = self.path.resolve()  # by whatever name it goes
        lock = FileLock(real.with_name(f".{real.name}.lock"))
        try:
            check_writable(real)
            lock.acquire(blocking=False)
        except Timeout:
            raise LedgerError(f"{self.path}: another run is writing to it; wait for it, or stop it") from None
        except OSError as error:
            raise LedgerError(f"{self.path}: cannot be written: {error.strerror}: {error.filename}") from error
        return lock

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _open(self, settings: Settings | None) -> sqlite3.Connection:
        if settings is None and not self.path.exists():
            raise LedgerError(f"{self.path}: no such file, expected a ledger (python -m eval tournament ... --out FILE)")
        if self.path.exists() and self.path.stat().st_size:
            with self.path.open("rb") as file:
                if file.read(len(_MAGIC)) != _MAGIC:  # SQLite would take a very short one for empty
                    raise LedgerError(f"{self.path}: not a ledger of this kit; it was left as it is")
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=60)
        try:
            is_new = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if is_new and settings is not None:
                self._create(connection, settings)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self, connection: sqlite3.Connection, settings: Settings) -> None:
        with _transaction(connection):
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute("INSERT INTO tournament VALUES (?)", (settings.to_json(),))

    def _check(self, settings: Settings | None) -> Settings:
        """Its settings. Refuse a file that is not a sound ledger, or one of another tournament."""
        if self._connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise LedgerError(f"{self.path}: not a ledger of this kit; it was left as it is")
        problem = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise sqlite3.DatabaseError(problem.splitlines()[-1])
        text = self._connection.execute("SELECT settings FROM tournament").fetchone()[0]
        try:
            kept = Settings.from_json(text)
            if settings is not None:
                kept.check_same(settings)
        except SettingsError as error:
            raise LedgerError(f"{self.path}: {error}") from error
        except ValidationError as error:
            raise LedgerError(
                f"{self.path}: its settings are damaged, or of another version: {error.errors()[0]['msg']}"
            ) from error
        return kept

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite complains of, in words of ours."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise LedgerError(f"{self.path}: {error}; whole shards are kept, the same command goes on from there") from error
        except sqlite3.DatabaseError as error:
            raise LedgerError(
                f"{self.path}: damaged ({error}); it was left as it is, restore a copy or begin another"
            ) from error


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[None]:
    """All of it or nothing; DEFERRED is enough to read."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back where a disk is full
            connection.execute("ROLLBACK")
        raise


def _columns(shard: Shard, line_up: Sequence[int], outcomes: Outcomes) -> list[list[Any]]:
    """A shard's results as COLUMNS, by deal, rotation and place."""
    num_seats = len(line_up)
    deal, rotation, place = (axis.ravel() for axis in np.indices(outcomes.wins.shape))
    columns = [
        np.full(deal.size, shard.rules),
        np.full(deal.size, shard.line_up),
        shard.first_deal + deal,
        rotation,
        (place + rotation) % num_seats,
        np.asarray(line_up)[place],
        outcomes.wins.ravel(),
        outcomes.points.ravel(),
        outcomes.decisions.ravel(),
        outcomes.is_forfeit.ravel().astype(int),
        np.repeat(outcomes.is_unfinished, num_seats).astype(int),
    ]
    return [column.tolist() for column in columns]


def read_settings(path: str | Path) -> Settings:
    """The settings of a ledger. Raises LedgerError as Ledger does."""
    with closing(Ledger(path)) as ledger:
        return ledger.settings
