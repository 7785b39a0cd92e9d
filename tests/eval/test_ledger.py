"""The ledger: what it keeps, and what it refuses."""

import io
import multiprocessing
import resource
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.external.agent import FaultCount
from eval.export import read_games, totals_of
from eval.ledger import Ledger, LedgerError, Shard
from eval.settings import Settings, make_settings
from eval.tournament import play_shard, play_tournament, shards_of
from unoflip_env.rules import PRESETS, Rules, as_rules

SHORT = Rules(hand=3)


def settings_of(*specs: str, **changes) -> Settings:
    settings = make_settings(specs or ("greedy", "random_play", "sharp"), (SHORT,), **{"deals": 20, "seed": 4} | changes)
    return settings.model_copy(update={"shard_deals": 8})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.db"


def play(path: Path, settings: Settings) -> None:
    with Ledger(path, settings) as ledger:
        play_tournament(ledger)


def test_it_holds_what_was_played(path: Path) -> None:
    settings = settings_of("greedy", "random_play")
    play(path, settings)
    games = read_games(path)
    assert games.num_rows == settings.num_games * 2 == 80
    outcomes = play_shard(settings.model_copy(update={"shard_deals": 20}), Shard(0, 0, 0)).outcomes
    for name, values in (("win", outcomes.wins), ("points", outcomes.points), ("decisions", outcomes.decisions)):
        column = games[name].to_numpy().reshape(20, 2, 2)
        np.testing.assert_array_equal(column[:, 0], values[:, 0])
        np.testing.assert_array_equal(column[:, 1], values[:, 1, ::-1])
    agents = np.array(games["agent"].to_pylist()).reshape(20, 2, 2)
    assert (agents == [["greedy", "random_play"], ["random_play", "greedy"]]).all()
    assert games["place"].to_pylist()[:4] == [0, 1, 1, 0]
    assert set(games["rules_id"].to_pylist()) == {SHORT.id}
    assert set(games["tournament"].to_pylist()) == {settings.id}
    with Ledger(path) as ledger:
        totals = totals_of(ledger)
        assert ledger.settings == settings
    assert totals.num_forfeits() == {}
    [[table]] = totals.tables()
    np.testing.assert_array_equal(table.deals, np.arange(20))
    np.testing.assert_array_equal(table.wins, outcomes.wins.mean(axis=1))


def test_the_order_of_shards_does_not_matter(tmp_path: Path) -> None:
    settings = settings_of()
    play(tmp_path / "a.db", settings)
    with Ledger(tmp_path / "b.db", settings) as ledger:
        for shard in reversed(list(shards_of(settings))):
            ledger.add(shard, play_shard(settings, shard))
    assert read_games(tmp_path / "a.db").equals(read_games(tmp_path / "b.db"))


def test_a_shard_that_fails_leaves_nothing(path: Path) -> None:
    settings = settings_of()
    first, second, *_ = shards_of(settings)
    with Ledger(path, settings) as ledger:
        ledger.add(first, play_shard(settings, first))
        played = play_shard(settings, second)
        played.outcomes.points[-1, -1, 0] = np.nan  # which SQLite takes for nothing
        with pytest.raises(LedgerError):
            ledger.add(second, played)
        assert ledger.shards_done() == {first}
    assert read_games(path).num_rows == 8 * 2 * 2


def test_no_points_are_the_same_of_either_sign(path: Path) -> None:
    """SQLite gives 0 back for -0."""
    settings = settings_of()
    first = next(iter(shards_of(settings)))
    played = play_shard(settings, first)
    played.outcomes.points[:] = -0.0
    with Ledger(path, settings) as ledger:
        ledger.add(first, played)
    assert set(read_games(path)["points"].to_pylist()) == {0.0}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (settings_of(seed=5), "begun with seed 4, not 5"),
        (settings_of(deals=21), "begun with deals 20, not 21"),
        (settings_of("greedy", "random_play", "random"), r"begun with agents sharp \(.*\), not random \("),
        (settings_of("greedy", "random_play"), r"begun with agents \(greedy .*sharp.*\), not \(greedy "),
        (settings_of(num_players=3), "begun with line_ups"),
        (settings_of(orders="all"), "begun with orders rotations, not all"),
        (settings_of(episode="match"), "begun with episode round, not match"),
    ],
)
def test_other_settings_are_refused(path: Path, other: Settings, words: str) -> None:
    play(path, settings_of())
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=f"results.db: {words}"):
        Ledger(path, other)
    assert path.read_bytes() == before


def test_other_rules_are_refused(path: Path) -> None:
    play(path, settings_of())
    other = make_settings(("greedy", "random_play", "sharp"), (Rules(hand=4),), deals=20, seed=4)
    with pytest.raises(LedgerError, match=r"begun with rules official with hand=3 .*, not official with hand=4"):
        Ledger(path, other)


def test_a_changed_agent_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed) -> None:
    module = tmp_path / "ledger_bot.py"
    module.write_text("from tests.eval.own_agents import FirstLegal as Bot\n")
    monkeypatch.syspath_prepend(tmp_path)
    play(tmp_path / "results.db", settings_of("ledger_bot:Bot", "greedy"))
    module.write_text("from tests.eval.own_agents import Quitting as Bot\n")
    with pytest.raises(LedgerError, match=r"begun with agents FirstLegal \(ledger_bot:Bot, [0-9a-f]{16}\), not FirstLegal"):
        Ledger(tmp_path / "results.db", settings_of("ledger_bot:Bot", "greedy"))
    status, _, error = typed("tournament", "--resume", "--out", str(tmp_path / "results.db"))
    assert status == 2
    assert error.startswith(f"error: {tmp_path / 'results.db'}: begun with agents FirstLegal")


@pytest.mark.parametrize("preset", [*PRESETS, {"pairing": "printed"}])
def test_it_is_opened_again_under_any_rules(path: Path, preset: str | dict[str, str]) -> None:
    settings = make_settings(("greedy", "random_play"), (as_rules(preset),), deals=2)
    for _ in range(2):
        with Ledger(path, settings) as ledger:
            assert ledger.settings == settings


def test_two_runs_at_once_are_refused(path: Path) -> None:
    settings = settings_of()
    with Ledger(path, settings):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert "another run is writing" in pool.apply(_error_of_opening, (path, settings))
        assert Ledger(path).shards_done() == set()
    Ledger(path, settings).close()


def _error_of_opening(path: Path, settings: Settings) -> str:
    with pytest.raises(LedgerError) as error:
        Ledger(path, settings)
    return str(error.value)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder.db", "a folder, expected a file to write"),
        ("file/results.db", "File exists: .*/file$"),
        ("n" * 250, "File name too long"),  # short enough for the ledger, too long for its lock
    ],
)
def test_where_no_ledger_can_be_made_is_not_taken_for_another_run(tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(LedgerError, match=f"{place}: cannot be written: {words}"):
        Ledger(tmp_path / place, settings_of())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.db"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has a folder in which not even root can make files")
def test_a_folder_that_takes_no_files_is_not_taken_for_another_run() -> None:
    with pytest.raises(LedgerError, match=r"/proc/results.db: cannot be written: No such file or directory"):
        Ledger("/proc/results.db", settings_of())


def write_now(path: Path, statement: str) -> None:
    """As another process would, but without waiting for its turn."""
    with closing(sqlite3.connect(path, timeout=0)) as other, other:
        other.execute(statement)


@pytest.mark.parametrize("arguments", [("table",), ("report", "--out", "report.html"), ("export", "--out", "results.csv")])
def test_what_is_told_is_of_one_moment(path: Path, arguments: tuple[str, ...], typed, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that writes meanwhile has to wait."""
    monkeypatch.chdir(path.parent)
    play(path, settings_of())
    num_tries, rows_of = 0, Ledger._rows_of

    def try_to_write(ledger: Ledger, shard: Shard) -> np.ndarray:
        nonlocal num_tries
        num_tries += 1
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_now(path, "DELETE FROM result")
        return rows_of(ledger, shard)

    monkeypatch.setattr(Ledger, "_rows_of", try_to_write)
    command, *options = arguments
    assert typed(command, str(path), *options)[::2] == (0, "")
    assert num_tries == 9
    write_now(path, "DELETE FROM result")


def while_it_waits(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> io.StringIO:
    """What is told on stderr; as soon as something is, `act` is called."""

    class Told(io.StringIO):
        def write(self, text: str) -> int:
            if not self.getvalue():
                super().write(text)
                act()
                return len(text)
            return super().write(text)

    told = Told()
    monkeypatch.setattr(sys, "stderr", told)
    return told


def test_a_run_waits_for_one_that_reads_however_long(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of()
    first, second, *_ = shards_of(settings)
    with Ledger(path, settings) as ledger, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        ledger.add(first, play_shard(settings, first))
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM shard").fetchone() == (1,)
        told = while_it_waits(monkeypatch, lambda: reader.execute("COMMIT"))
        ledger.add(second, play_shard(settings, second))
        assert told.getvalue() == f"{path}: waiting for another process that uses it\n"
        assert ledger.shards_done() == {first, second}


def test_ctrl_c_ends_the_wait_and_leaves_whole_shards(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of()
    first, second, *_ = shards_of(settings)
    played = play_shard(settings, second)
    with Ledger(path, settings) as ledger, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        ledger.add(first, play_shard(settings, first))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM shard").fetchone()
        while_it_waits(monkeypatch, lambda: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            ledger.add(second, played)
        assert ledger.shards_done() == {first}
        reader.execute("COMMIT")
        ledger.add(second, played)
        assert ledger.shards_done() == {first, second}
    assert read_games(path).num_rows == 2 * 8 * 2 * 2


def test_one_that_reads_waits_for_one_that_writes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(path, settings_of())
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        told = while_it_waits(monkeypatch, lambda: writer.execute("ROLLBACK"))
        assert read_games(path).num_rows == 3 * 20 * 2 * 2
    assert told.getvalue() == f"{path}: waiting for another process that uses it\n"


def test_what_is_no_ledger_is_left_alone(path: Path) -> None:
    for content in (b"agent,win\n" * 500, b"x"):
        path.write_bytes(content)
        with pytest.raises(LedgerError, match=r"results.db: not a ledger"):
            Ledger(path, settings_of())
        assert path.read_bytes() == content
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE result (x)")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(path, settings_of())
    assert path.read_bytes() == before


def test_a_missing_file_is_not_made_by_reading(path: Path) -> None:
    with pytest.raises(LedgerError, match=r"results.db: no such file"):
        Ledger(path)
    assert not path.exists()


def entries(path: Path, settings: Settings | None = None) -> list:
    """All that a ledger has, in what can be compared."""
    with closing(Ledger(path, settings)) as ledger, ledger.reading() as shards:
        return [(entry.shard, entry.rows.tolist(), entry.faults) for entry in shards]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A ledger of many pages, with something that a bot did wrong."""
    path, settings = tmp_path_factory.mktemp("sound") / "results.db", settings_of(deals=200)
    with Ledger(path, settings) as ledger:
        for shard in shards_of(settings):
            played = play_shard(settings, shard)
            fault = (shard.line_up, FaultCount("crash", 2, "à la deuxième"))
            ledger.add(shard, replace(played, faults=(fault,)) if shard.first_deal == 8 else played)
        assert totals_of(ledger).faults() == [
            (name, FaultCount("crash", 2, "à la deuxième")) for name in ("greedy", "random_play", "sharp")
        ]
    content = path.read_bytes()
    assert len(content) > 8 * 4096
    return content


def test_damage_is_found(path: Path, sound: bytes) -> None:
    rng = np.random.default_rng(0)
    for page in range(1, len(sound) // 4096):
        damaged = bytearray(sound)
        damaged[page * 4096 : page * 4096 + 64] = rng.bytes(64)
        path.write_bytes(damaged)
        with pytest.raises(LedgerError, match=r"results.db: damaged \("):
            Ledger(path, settings_of(deals=200))
        with pytest.raises(LedgerError, match=r"results.db: damaged \("):
            entries(path)
        assert path.read_bytes() == damaged
    path.write_bytes(sound[: len(sound) // 2])
    with pytest.raises(LedgerError, match=r"results.db: damaged \("):
        Ledger(path)


def test_a_flipped_bit_is_found_or_does_not_matter(path: Path, sound: bytes) -> None:
    path.write_bytes(sound)
    settings, whole, rng = settings_of(deals=200), entries(path), np.random.default_rng(0)
    places = [*rng.integers(100, 5 * 4096, 100), *rng.integers(5 * 4096, len(sound), 200)]  # few pages are not of results
    what_came = list[list | str]()
    for place, bit in zip(places, rng.integers(0, 8, 300), strict=True):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        what_came += [entries_or_error(path, None), entries_or_error(path, settings)]
        assert path.read_bytes() == damaged
    errors = [came for came in what_came if came != whole]
    assert len(errors) > 200
    assert {str(error)[: len(f"{path}: damaged (")] for error in errors} == {f"{path}: damaged ("}


def entries_or_error(path: Path, settings: Settings | None) -> list | str:
    try:
        return entries(path, settings)
    except LedgerError as error:
        return str(error)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM tournament",
        "INSERT INTO tournament SELECT * FROM tournament",
        "UPDATE tournament SET settings = replace(settings, 'sharp', 'blunt')",
        "UPDATE tournament SET settings = CAST(settings AS BLOB)",
        "UPDATE tournament SET digest = x'00'",
        "DELETE FROM result WHERE deal = 1 AND seat = 0",
        "UPDATE result SET agent = 99 WHERE deal = 1 AND seat = 0",
        "UPDATE result SET agent = 'two' WHERE deal = 1 AND seat = 0",
        "UPDATE result SET points = points + 1 WHERE deal = 1 AND seat = 0",
        "UPDATE result SET decisions = decisions + 0.5 WHERE line_up = 2",
        "UPDATE result SET decisions = x'ff' WHERE line_up = 2",
        "UPDATE result SET deal = deal + 1000 WHERE deal > 190",
        "INSERT INTO result SELECT 9, line_up, deal, rotation, seat, agent, win, points, decisions, 0, 0 FROM result",
        "UPDATE shard SET digest = x'00' WHERE line_up = 1",
        "UPDATE shard SET first_deal = 'none' WHERE first_deal = 8",
        "UPDATE shard SET first_deal = x'ff' WHERE first_deal = 8",
        "DELETE FROM shard WHERE first_deal = 8",
        "DELETE FROM fault",
        "UPDATE fault SET number = 3",
        "UPDATE fault SET first = x'ff'",
        "UPDATE fault SET first = CAST(x'ff' AS TEXT)",
        "INSERT INTO fault SELECT first_deal, rules, 9, agent, fault, number, first FROM fault",
        "DROP TABLE fault",
        "DROP TABLE tournament",
        "ALTER TABLE result RENAME COLUMN win TO won",
    ],
)
def test_values_that_were_not_written_are_refused_by_every_command(path: Path, sound: bytes, statement: str, typed) -> None:
    path.write_bytes(sound)
    write_now(path, statement)
    damaged, out = path.read_bytes(), path.with_name("out.csv")
    for command in (
        ("table", str(path)),
        ("export", str(path), "--out", str(out)),
        ("tournament", "--resume", "--out", str(path)),
    ):
        status, printed, error = typed(*command)
        assert (status, printed) == (2, "")
        assert error.startswith(f"error: {path}: damaged (")
        assert error.endswith("; it was left as it is, restore a copy or begin another\n")
    assert path.read_bytes() == damaged
    assert not out.exists()


def test_a_ledger_of_other_tables_is_named_as_such(path: Path) -> None:
    play(path, settings_of())
    write_now(path, "PRAGMA user_version = 0")
    for settings in (None, settings_of()):
        with pytest.raises(LedgerError, match=r"results.db: a ledger of another version of the kit \(layout 0, expected 1\)"):
            Ledger(path, settings)


def test_a_file_that_may_not_be_written_to_is_not_taken_for_a_full_disk(path: Path) -> None:
    """To a file whose header asks for a later way of writing SQLite only reads."""
    play(path, settings_of())
    content, whole = bytearray(path.read_bytes()), entries(path)
    content[18] = 3
    path.write_bytes(content)
    assert entries(path) == whole
    with pytest.raises(LedgerError, match=r"results.db: attempt to write a readonly database; it was left as it is"):
        Ledger(path, settings_of())


def test_a_full_disk_loses_nothing(path: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writes fail at a point within a shard, for each shard in turn."""
    settings = settings_of(deals=200)
    play(tmp_path / "whole.db", settings)  # whatever is compiled is kept in files before they are limited
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    num_done = []
    for limit in (20_000, 40_000, 60_000):
        with Ledger(path, settings) as ledger:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            try:
                with pytest.raises(LedgerError, match=r"results.db: .*; whole shards are kept"):
                    play_tournament(ledger)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        with Ledger(path) as ledger:
            num_done.append(len(ledger.shards_done()))
        assert read_games(path).num_rows == num_done[-1] * 8 * 2 * 2
    assert 0 < num_done[0] < num_done[1] < num_done[2] < len(list(shards_of(settings)))
    play(path, settings)
    assert read_games(path).equals(read_games(tmp_path / "whole.db"))


def test_a_copy_is_a_ledger_too(path: Path, tmp_path: Path) -> None:
    """At rest the one file is all there is."""
    play(path, settings_of())
    shutil.copy(path, tmp_path / "copy.db")
    assert read_games(tmp_path / "copy.db").equals(read_games(path))
    assert [file.name for file in tmp_path.iterdir() if "journal" in file.name or "wal" in file.name] == []
