"""The ledger of a tournament: its settings, its results and how far it has come, in one SQLite file.

The file is the only state. What is played is committed a shard at a time, with the note that the shard is done, so that a
crash at any point loses the shards in play and nothing else. A hash of what was written goes with each shard and with the
settings, and nothing is read that does not fit its hash. docs/tournaments.md describes the tables.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from itertools import starmap
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
LAYOUT = 1
"""Of the tables; SQLite keeps it in the file's header as user_version."""
_SCHEMA = (
    "CREATE TABLE tournament (settings TEXT NOT NULL, digest BLOB NOT NULL)",
    """CREATE TABLE shard (
    first_deal INTEGER NOT NULL, rules INTEGER NOT NULL, line_up INTEGER NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (first_deal, rules, line_up)
) WITHOUT ROWID""",
    """CREATE TABLE result (
    rules INTEGER NOT NULL, line_up INTEGER NOT NULL, deal INTEGER NOT NULL, rotation INTEGER NOT NULL, seat INTEGER NOT NULL,
    agent INTEGER NOT NULL, win REAL NOT NULL, points REAL NOT NULL, decisions INTEGER NOT NULL,
    is_forfeit INTEGER NOT NULL, is_unfinished INTEGER NOT NULL,
    PRIMARY KEY (rules, line_up, deal, rotation, seat)
) WITHOUT ROWID""",
    """CREATE TABLE fault (
    first_deal INTEGER NOT NULL, rules INTEGER NOT NULL, line_up INTEGER NOT NULL, agent INTEGER NOT NULL, fault TEXT NOT NULL,
    number INTEGER NOT NULL, first TEXT NOT NULL,
    PRIMARY KEY (first_deal, rules, line_up, agent, fault)
) WITHOUT ROWID""",
)
COLUMNS = ("rules", "line_up", "deal", "rotation", "seat", "agent", "win", "points", "decisions", "is_forfeit", "is_unfinished")
ROW = np.dtype([(name, "<f8" if name in ("win", "points") else "<i8") for name in COLUMNS])
"""A row of `result`."""
_PACKED_ROW = struct.Struct("<6q2d3q")  # the same; unlike NumPy it takes no value of another type
_BUSY = "database is locked"
_PASSING = (_BUSY, "database or disk is full", "disk I/O error")  # before Python 3.11 the words are all there is to know it by
_CLOSED = ("unable to open database file", "attempt to write a readonly database")
_TRY_SECONDS = 1  # that SQLite waits for another process at a time: it does not hear Ctrl-C meanwhile


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


@dataclass(frozen=True)
class Entry:
    """A shard as the ledger has it.

    `rows`: of the type ROW, in the order of the first five of COLUMNS. `faults`: as in Played, by agent and fault.
    """

    shard: Shard
    rows: np.ndarray
    faults: tuple[tuple[int, FaultCount], ...]

    @property
    def deals(self) -> np.ndarray:
        """The numbers of its deals, shape (deals,)."""
        return np.unique(self.rows["deal"])

    def by_place(self, column: str, num_players: int) -> np.ndarray:
        """A column, of shape (deals, rotations, places in the line-up)."""
        by_seat = self.rows[column].reshape(-1, num_players, num_players)
        rotation, place = np.indices(by_seat.shape[1:])
        return by_seat[:, rotation, (place + rotation) % num_players]

    @property
    def digest(self) -> bytes:
        """Hash of all of it."""
        about = json.dumps([astuple(self.shard), [(agent, *astuple(fault)) for agent, fault in self.faults]])
        return hashlib.blake2b(about.encode() + self.rows.tobytes(), digest_size=32).digest()


class Ledger:
    """An open ledger. As a context manager it closes itself.

    Args:
        path: the file.
        settings: the tournament to write down; the file is made if there is none. None opens a file to read.

    Raises LedgerError where there is no such file, another process writes to it, it is not a ledger, or was begun with other
    settings; and for damage, of which a file that is to be written to is searched as a whole, another as it is read.
    """

    def __init__(self, path: str | Path, settings: Settings | None = None) -> None:
        self.path = Path(path)
        self._lock = None if settings is None else self._lock_file()
        try:
            with self._explained():
                self._connection = self._open(settings)
                try:
                    with self._transaction("DEFERRED" if settings is None else "IMMEDIATE"):
                        if settings is not None and self._value("SELECT count(*) FROM sqlite_master") == 0:
                            self._create(settings)
                        self._check_kind()
                        self.settings = self._settings()
                        if settings is not None:
                            self._check_all(settings)
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
            return {Shard(*row) for row in self._patiently("SELECT first_deal, rules, line_up FROM shard")}

    def add(self, shard: Shard, played: Played) -> None:
        """Write a shard's results down, all or none; waits for those who read.

        Raises LedgerError if that fails, which leaves the file as it was.
        """
        faults = sorted(played.faults, key=lambda each: (each[0], each[1].fault))
        entry = Entry(shard, _rows(shard, self.settings.line_ups[shard.line_up], played.outcomes), tuple(faults))
        key = astuple(shard)
        with self._explained(), self._transaction():
            places = ", ".join("?" * len(COLUMNS))
            self._connection.executemany(f"INSERT INTO result VALUES ({places})", entry.rows.tolist())
            self._connection.executemany(
                "INSERT INTO fault VALUES (?, ?, ?, ?, ?, ?, ?)", [(*key, agent, *astuple(fault)) for agent, fault in faults]
            )
            self._connection.execute("INSERT INTO shard VALUES (?, ?, ?, ?)", (*key, entry.digest))

    @contextmanager
    def reading(self) -> Iterator[Iterator[Entry]]:
        """All that has been played, in the order of rules, line-up and deal, however it came about.

        It is of one moment: a run that writes waits with that until the end. Each shard is checked as it is read, raising
        LedgerError; only at the end is it known that nothing is missing.
        """
        with self._explained(), self._transaction("DEFERRED"):
            yield self._entries()

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
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=_TRY_SECONDS)
        connection.text_factory = lambda text: text.decode(errors="replace")  # what is damaged does not fit its hash then
        return connection

    def _create(self, settings: Settings) -> None:
        for statement in (f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {LAYOUT}", *_SCHEMA):
            self._connection.execute(statement)
        text = settings.to_json()
        self._connection.execute("INSERT INTO tournament VALUES (?, ?)", (text, _digest_of_settings(text)))

    def _check_kind(self) -> None:
        if self._value("PRAGMA application_id") != APPLICATION_ID:
            raise LedgerError(f"{self.path}: not a ledger of this kit; it was left as it is")
        if (layout := self._value("PRAGMA user_version")) != LAYOUT:
            raise LedgerError(
                f"{self.path}: a ledger of another version of the kit (layout {layout}, expected {LAYOUT}); read it with that"
                " one, or take another file"
            )
        if not set(_SCHEMA) <= {sql for [sql] in self._connection.execute("SELECT sql FROM sqlite_master")}:
            raise self._damaged("its tables are not those of a ledger")

    def _settings(self) -> Settings:
        rows = self._connection.execute("SELECT settings, digest FROM tournament").fetchall()
        if len(rows) != 1 or _digest_of_settings(text := str(rows[0][0])) != rows[0][1]:
            raise self._damaged("its settings are not as they were written")
        try:
            return Settings.from_json(text)
        except ValidationError as error:
            raise LedgerError(f"{self.path}: its settings are of another version: {error.errors()[0]['msg']}") from error

    def _check_all(self, settings: Settings) -> None:
        """Refuse to write to a file of another tournament, or with any damage."""
        try:
            self.settings.check_same(settings)
        except SettingsError as error:
            raise LedgerError(f"{self.path}: {error}") from error
        if (problem := self._value("PRAGMA quick_check(1)")) != "ok":  # a page that two tables use, or that neither has
            raise self._damaged(problem.splitlines()[-1])
        for _ in self._entries():
            pass

    def _entries(self) -> Iterator[Entry]:
        num_rows = num_faults = 0
        shards = "SELECT first_deal, rules, line_up, digest FROM shard ORDER BY rules, line_up, first_deal"
        for *key, digest in self._connection.execute(shards):
            shard = Shard(*key)
            try:
                entry = Entry(shard, self._rows_of(shard), self._faults_of(shard))
                is_sound = entry.digest == digest
            except (TypeError, struct.error):  # values of other types than were ever written
                is_sound = False
            if not is_sound:
                raise self._damaged(f"the results of {shard} are not as they were written")
            num_rows, num_faults = num_rows + len(entry.rows), num_faults + len(entry.faults)
            yield entry
        if (num_rows, num_faults) != tuple(self._value(f"SELECT count(*) FROM {table}") for table in ("result", "fault")):
            raise self._damaged("it has results of shards that are not done")

    def _rows_of(self, shard: Shard) -> np.ndarray:
        query = f"""SELECT {", ".join(COLUMNS)} FROM result WHERE rules = ? AND line_up = ? AND deal >= ? AND deal < ? + ?
            ORDER BY {", ".join(COLUMNS[:5])}"""
        values = shard.rules, shard.line_up, shard.first_deal, shard.first_deal, self.settings.shard_deals
        return np.frombuffer(b"".join(starmap(_PACKED_ROW.pack, self._connection.execute(query, values))), ROW)

    def _faults_of(self, shard: Shard) -> tuple[tuple[int, FaultCount], ...]:
        query = """SELECT agent, fault, number, first FROM fault WHERE first_deal = ? AND rules = ? AND line_up = ?
            ORDER BY agent, fault"""
        return tuple((agent, FaultCount(*fault)) for agent, *fault in self._connection.execute(query, astuple(shard)))

    def _value(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]

    def _patiently(self, statement: str) -> list[tuple[Any, ...]]:
        """Execute what has to wait while another process uses the file, however long that takes; Ctrl-C ends it."""
        is_told = False
        while True:
            try:
                return self._connection.execute(statement).fetchall()
            except sqlite3.OperationalError as error:
                if str(error) != _BUSY:
                    raise
            if not is_told:
                print(f"{self.path}: waiting for another process that uses it", file=sys.stderr)
                is_told = True

    @contextmanager
    def _transaction(self, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[None]:
        """All of it or nothing; DEFERRED is enough to read."""
        self._patiently(f"BEGIN {kind}")
        try:
            self._patiently("SELECT count(*) FROM sqlite_master")  # only now does a reader keep others from writing
            yield
            self._patiently("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself rolls back where a disk is full
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite complains of, in words of ours."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite cites what is damaged
            if str(error) in _PASSING:
                explained = LedgerError(f"{self.path}: {error}; whole shards are kept, the same command goes on from there")
            elif str(error) in _CLOSED:
                explained = LedgerError(f"{self.path}: {error}; it was left as it is")
            else:
                explained = self._damaged(str(error))
            raise explained from error

    def _damaged(self, how: str) -> LedgerError:
        return LedgerError(f"{self.path}: damaged ({how}); it was left as it is, restore a copy or begin another")


def _digest_of_settings(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=32).digest()


def _rows(shard: Shard, line_up: Sequence[int], outcomes: Outcomes) -> np.ndarray:
    """A shard's results as Entry has them."""
    deal, rotation, seat = np.indices(outcomes.wins.shape)
    place = (seat - rotation) % len(line_up)
    rows = np.empty(deal.shape, ROW)
    rows["rules"], rows["line_up"] = shard.rules, shard.line_up
    rows["deal"], rows["rotation"], rows["seat"] = shard.first_deal + deal, rotation, seat
    rows["agent"] = np.asarray(line_up)[place]
    for name, values in (("win", outcomes.wins), ("points", outcomes.points), ("decisions", outcomes.decisions)):
        rows[name] = np.take_along_axis(values, place, axis=2)
    rows["is_forfeit"] = np.take_along_axis(outcomes.is_forfeit, place, axis=2)
    rows["is_unfinished"] = outcomes.is_unfinished[..., None]
    rows["points"] += 0.0  # SQLite knows no -0
    return rows.ravel()


def read_settings(path: str | Path) -> Settings:
    """The settings of a ledger. Raises LedgerError as Ledger does."""
    with closing(Ledger(path)) as ledger:
        return ledger.settings
