"""Tournaments that are killed, stopped and gone on with give the same results to the byte."""

import json
import multiprocessing
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from agents.protocol import AgentError
from eval.export import export, read_games, totals_of
from eval.ledger import Ledger, LedgerError, Played, Shard
from eval.settings import Settings, make_settings
from eval.tournament import num_games_of, play_shard, play_tournament, shards_of
from eval.workers import MAX_DEATHS, ProcessWorkers, RayWorkers, WorkerError
from tests.eval.own_agents import FirstLegal
from tests.eval.test_commands import ROOT, run
from unoflip_env.observation import ObservationLayout
from unoflip_env.rules import Rules

SPECS = ("greedy", "random_play", "sharp")


def settings_of(*specs: str, deals: int = 32, **changes) -> Settings:
    settings = make_settings(specs or SPECS, (Rules(hand=3), Rules(hand=2)), **{"deals": deals, "seed": 4} | changes)
    return settings.model_copy(update={"shard_deals": 8})


def play(path: Path, settings: Settings) -> None:
    with Ledger(path, settings) as ledger:
        play_tournament(ledger)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of a tournament that was played in one go."""
    folder = tmp_path_factory.mktemp("whole")
    play(folder / "results.db", settings_of())
    return exported(folder / "results.db")


def exported(path: Path) -> bytes:
    export(path, path.with_suffix(".csv"))
    export(path, path.with_suffix(".parquet"))
    return path.with_suffix(".csv").read_bytes() + path.with_suffix(".parquet").read_bytes()


def num_done(path: Path) -> int:
    with Ledger(path) as ledger:
        return len(ledger.shards_done())


def test_shards_cover_every_deal_once_and_line_ups_take_turns() -> None:
    settings = settings_of(deals=20)
    shards = list(shards_of(settings))
    assert len(set(shards)) == len(shards) == 3 * 2 * 3
    assert {(shard.rules, shard.line_up) for shard in shards[:6]} == {(r, i) for r in range(2) for i in range(3)}
    assert sum(num_games_of(settings, shard) for shard in shards) == settings.num_games == 20 * 2 * 6


def test_killed_at_any_point_it_goes_on(tmp_path: Path, whole: bytes) -> None:
    """The process is killed again and again, at random points, until it has come to the end."""
    path, rng = tmp_path / "results.db", np.random.default_rng(0)
    begin = time.monotonic()
    playing(tmp_path / "undisturbed.db").join()
    seconds = time.monotonic() - begin
    num_kills, is_done = 0, False
    while not is_done:
        process = playing(path)
        process.join(rng.uniform(0, 0.3) * seconds * 1.03**num_kills)  # a machine that is slower now comes to the end, too
        is_done = process.exitcode == 0
        if not is_done:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            num_kills += 1
            process.join()
        assert num_kills < 200
    assert num_kills >= 3
    assert exported(path) == whole


def playing(path: Path) -> multiprocessing.process.BaseProcess:
    """A process that plays a tournament."""
    process = multiprocessing.get_context("fork").Process(target=play, args=(path, settings_of()))
    process.start()
    return process


def test_workers_do_not_matter(tmp_path: Path, whole: bytes) -> None:
    """One of them is killed on the way: what it played is played again. The count of games is right all the same."""
    path, settings = tmp_path / "results.db", settings_of()
    ended: list[int] = []

    def on_progress(num_games: int) -> None:
        ended.append(num_games)
        if len(ended) == 5:
            os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)

    with Ledger(path, settings) as ledger, closing(ProcessWorkers(partial(play_shard, settings, num_threads=1), 2)) as workers:
        play_tournament(ledger, workers, on_progress)
    assert sum(ended) == settings.num_games
    assert exported(path) == whole
    assert not multiprocessing.active_children()


def test_more_deals_than_anybody_plays_are_no_more_to_plan(tmp_path: Path) -> None:
    settings = settings_of(deals=10**12)

    def stop(num_games: int) -> None:
        raise KeyboardInterrupt

    with Ledger(tmp_path / "results.db", settings) as ledger:
        for num_shards in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                play_tournament(ledger, on_progress=stop)
            assert len(ledger.shards_done()) == num_shards


def test_orders_are_played_alike_however_they_are_played(tmp_path: Path, typed) -> None:
    """Shard by shard, in whatever order; `match` says the same of the same games; a deal is one unit of the statistics."""
    options = ("--players", "3", "--deals", "24", "--option", "hand=3", "--seed", "4")
    made = make_settings(SPECS, (Rules(hand=3),), kind="head-to-head", num_players=3, deals=24, seed=4, orders="all")
    settings = made.model_copy(update={"shard_deals": 8})
    play(tmp_path / "alone.db", settings)
    with Ledger(tmp_path / "shards.db", settings) as ledger:
        for shard in reversed(list(shards_of(settings))):
            ledger.add(shard, play_shard(settings, shard, num_threads=1))
    assert exported(tmp_path / "shards.db") == exported(tmp_path / "alone.db")
    rows = read_games(tmp_path / "alone.db").to_pylist()
    assert len(rows) == settings.num_games * 3 == 24 * 2 * 3 * 3
    follows = Counter((a["agent"], b["agent"]) for a, b in pairwise(rows) if b["seat"] == a["seat"] + 1)
    assert len(follows) == 6
    assert len(set(follows.values())) == 1
    match = json.loads(typed("match", *SPECS, *options, "--orders", "all", "--json")[1])
    for agent in match["agents"]:
        assert agent["win_rate"] == pytest.approx(np.mean([row["win"] for row in rows if row["agent"] == agent["name"]]))
    [ratings] = json.loads(typed("table", str(tmp_path / "alone.db"), "--json")[1])["ratings"]
    assert (ratings["num_deals"], ratings["num_games"]) == (match["deals"], match["games"]) == (24, 144)
    assert "3 players in all orders, seed 4" in typed("table", str(tmp_path / "alone.db"))[1]
    again = "tournament", *SPECS, *options, "--format", "head-to-head", "--out", str(tmp_path / "alone.db")
    assert "begun with orders all, not rotations" in typed(*again)[2]


def test_workers_that_always_die_are_given_up() -> None:
    workers = ProcessWorkers(os._exit, 1)  # type: ignore[arg-type]
    with closing(workers), pytest.raises(WorkerError, match=f"{MAX_DEATHS} workers died in a row"):
        list(workers.play([1, 2, 3]))  # type: ignore[list-item]


def test_ray_that_is_not_there_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(WorkerError, match=r"Ray is not installed: it comes with pip install -e '\.\[ray\]'"):
        RayWorkers(partial(play_shard, settings_of()), "auto")


def test_a_command_that_gets_no_workers_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed) -> None:
    """Or other deals at that path would be refused, though nothing has been played."""
    monkeypatch.setitem(sys.modules, "ray", None)
    status, _, error = typed("tournament", "greedy", "sharp", "--ray", "auto", "--out", str(tmp_path / "results.db"))
    assert status == 2
    assert error.startswith("error: Ray is not installed")
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_at_which_nobody_listens_is_given_up() -> None:
    """Ray itself would try for ever."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(WorkerError, match=f"ray='{address}': .*refused; expected the address of a cluster"):
            RayWorkers(partial(play_shard, settings_of()), address)


def test_what_an_agent_does_wrong_is_told_and_what_was_done_is_kept(tmp_path: Path) -> None:
    settings = settings_of("greedy", "random_play", "tests.eval.own_agents:Cheat")
    with Ledger(tmp_path / "results.db", settings) as ledger:
        with pytest.raises(AgentError, match="agent Cheat: action"):
            play_tournament(ledger)
        assert ledger.shards_done() == {Shard(0, 0, 0)}


def test_forfeits_are_counted(tmp_path: Path) -> None:
    settings = settings_of("greedy", "tests.eval.own_agents:Quitting", deals=10)
    with Ledger(tmp_path / "results.db", settings) as ledger:
        play_tournament(ledger)
        number = sum(read_games(tmp_path / "results.db")["is_forfeit"].to_pylist())
        assert number > 0
        assert totals_of(ledger).num_forfeits() == {"Quitting": number}


def test_what_bots_did_wrong_is_kept(tmp_path: Path, typed) -> None:
    """Whoever plays, and in whatever order; it is told in the table and in the report."""
    program = Path(__file__).parents[1] / "agents" / "external" / "bot.py"
    settings = settings_of("greedy", f"cmd:{sys.executable} {program} illegal 7", deals=12)
    play(tmp_path / "alone.db", settings)
    task = partial(play_shard, settings, num_threads=1)
    with Ledger(tmp_path / "workers.db", settings) as ledger, closing(ProcessWorkers(task, 2)) as workers:
        play_tournament(ledger, workers)
    assert exported(tmp_path / "workers.db") == exported(tmp_path / "alone.db")
    with Ledger(tmp_path / "workers.db") as ledger, Ledger(tmp_path / "alone.db") as alone:
        totals = totals_of(ledger)
        [(name, fault)] = totals.faults()
        assert totals_of(alone).faults() == [(name, fault)]
        assert {name: fault.number} == totals.num_forfeits()
    assert (name, fault.fault) == ("illegal", "illegal")
    assert fault.first.startswith("action ")
    assert f"illegal {fault}" in typed("table", str(tmp_path / "workers.db"))[1]
    assert json.loads(typed("table", str(tmp_path / "workers.db"), "--json")[1])["faults"] == [
        {"agent": "illegal", "fault": "illegal", "number": fault.number, "first": fault.first}
    ]
    assert typed("report", str(tmp_path / "alone.db"), "--out", str(tmp_path / "report.html"))[0] == 0
    assert f"illegal forfeited {fault.number:,} for" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_workers_find_all_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they begin, each kind of line-up has been played here: baselines alone, and with others."""
    settings = settings_of("greedy", "sharp", "tests.eval.own_agents:FirstLegal", "tests.eval.own_agents:Quitting", deals=8)
    played: list[tuple[int, set[str]]] = []

    def note(some: Settings, shard: Shard, num_threads: int | None = None) -> Played:
        played.append((some.deals, {some.agents[i].name for i in some.line_ups[shard.line_up]}))
        return play_shard(some, shard, num_threads)

    class Here:
        def play(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, Played]]:
            assert [num_deals for num_deals, _ in played] == [1] * 4
            return ((shard, play_shard(settings, shard)) for shard in shards)

        def close(self) -> None:
            pass

    monkeypatch.setattr("eval.tournament.play_shard", note)
    with Ledger(tmp_path / "results.db", settings) as ledger:
        play_tournament(ledger, Here())
        play_tournament(ledger, Here())
    assert [names for _, names in played][:1] == [{"greedy", "sharp"}]


def tournament(path: Path, deals: int) -> list[str]:
    """The command, for two workers."""
    options = ["--option", "hand=3", "--seed", "5", "--workers", "2", "--json"]
    return [sys.executable, "-m", "eval", "tournament", *SPECS, "--deals", str(deals), "--out", str(path), *options]


def wait_for_shards(path: Path, number: int) -> None:
    for _ in range(3000):
        time.sleep(0.02)
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                if connection.execute("SELECT count(*) FROM shard").fetchone()[0] >= number:
                    return
        except sqlite3.OperationalError:
            pass  # not there yet
    pytest.fail("nothing was written down")


@contextmanager
def started(path: Path, deals: int) -> Iterator[subprocess.Popen[str]]:
    """A tournament, as a user starts it, that has come some way."""
    command = tournament(path, deals)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for_shards(path, 2)
            yield process
        finally:
            process.kill()


def test_a_killed_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    settings = make_settings(SPECS, (Rules(hand=3),), deals=12_000, seed=5)
    with started(path, 12_000) as process:
        process.send_signal(signal.SIGSTOP)  # it comes to no end meanwhile
        with pytest.raises(LedgerError, match=r"results.db: another run is writing to it"):
            Ledger(path, settings)
        process.kill()
        assert process.communicate(timeout=60)[0] == ""  # its workers are gone too: they have the same stdout
    assert 0 < num_done(path) < 72
    done = run("tournament", "--resume", "--out", str(path), "--json")
    assert done.returncode == 0, done.stderr
    assert num_done(path) == 72
    play(tmp_path / "whole.db", settings)
    assert exported(path) == exported(tmp_path / "whole.db")
    result = json.loads(done.stdout)
    assert result["ratings"][0]["names"] == ["sharp", "greedy", "random_play"]
    assert result["tournament"] == settings.id


def test_ctrl_c_prints_what_is_there(tmp_path: Path) -> None:
    with started(tmp_path / "results.db", 10**6) as process:
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    number = sum(rating["num_games"] for rating in json.loads(stdout)["ratings"])
    assert f"interrupted: {tmp_path / 'results.db'} has {number:,} of 6,000,000 games" in stderr
    assert 0 < number < 6_000_000


@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_ctrl_c_while_workers_begin_is_told_in_one_line(tmp_path: Path, seconds: float) -> None:
    """A terminal sends it to all processes; those that are just being started still import."""
    path = tmp_path / "results.db"
    with subprocess.Popen(
        tournament(path, 10**6), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and len(children.read_text().split()) < 2:
            time.sleep(0.01)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        stderr = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert stderr.count("\n") == 1
    assert stderr.startswith(f"interrupted: {path} has ")


class NamedByWhatItSees(FirstLegal):
    def __init__(self, layout: ObservationLayout) -> None:
        super().__init__(layout)
        self.name = layout.information


def test_an_agent_has_the_name_that_it_has_under_the_first_rules() -> None:
    """Or the same command would be another tournament now and then."""
    rules = [Rules(information=information) for information in ("table", "open", "fronts")]
    for first in range(3):
        chosen = tuple(rules[first:] + rules[:first])
        settings = make_settings(("greedy", f"{__name__}:NamedByWhatItSees"), chosen)
        assert settings.agents[1].name == chosen[0].information


def test_the_tables_as_a_user_sees_them(tmp_path: Path, typed) -> None:
    path = str(tmp_path / "results.db")
    ladder = ("--format", "ladder", "--anchors", "greedy", "--players", "3", "--rules", "official", "casual")
    status, table, _ = typed("tournament", "random_play", "sharp", *ladder, "--deals", "30", "--out", path)
    assert status == 0
    for words in ("Rules official (44136fa3), 3 players, seed 0", "Rules casual (", "1 sharp", "Elo [95%]"):
        assert words in table
    assert typed("table", path) == (0, table, "")
    out = tmp_path / "results.csv"
    assert typed("export", path, "--out", str(out)) == (0, f"{out}: 1,080 rows\n", "")
    assert len(out.read_text().splitlines()) == 1081
    assert json.loads(typed("export", path, "--out", str(out), "--json")[1]) == {"file": str(out), "rows": 1080}


def test_a_ladder_is_a_tournament_against_anchors(tmp_path: Path, typed) -> None:
    first, second = str(tmp_path / "ladder.db"), str(tmp_path / "tournament.db")
    options = ("--anchors", "greedy", "random_play", "--deals", "30", "--option", "hand=3")
    climbed = typed("ladder", "sharp", *options, "--out", first)
    assert climbed == typed("tournament", "sharp", "--format", "ladder", *options, "--out", second)
    assert climbed[0] == 0
    assert "1 sharp" in climbed[1]
    assert typed("ladder", "--resume", "--out", first) == climbed
    assert typed("ladder", "sharp", "--out", str(tmp_path / "own.db"))[2] == (
        "error: agent sharp: named twice, expected each once\n"
    )
    assert "--format" not in typed("ladder", "--help")[1]


def test_a_table_says_where_too_little_has_been_played(tmp_path: Path, typed) -> None:
    path = tmp_path / "results.db"
    settings = make_settings(("greedy", "sharp"), (Rules(), Rules(hand=3)), deals=4)
    with Ledger(path, settings) as ledger:
        ledger.add(next(iter(shards_of(settings))), play_shard(settings, next(iter(shards_of(settings)))))
    status, table, _ = typed("table", str(path))
    assert status == 0
    assert "1 sharp" in table
    assert "no ratings yet: nothing has been played" in table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tournament", "greedy", "--out", "{}"], "agents: got 1, expected at least 2"),
        (["tournament", "greedy", "greedy", "--out", "{}"], "agent greedy: named twice"),
        (
            ["tournament", "greedy", "sharp", "--deals", "0", "--out", "{}"],
            "deals=0: expected 2, for the intervals, to 1,000,000,000,000",
        ),
        (["tournament", "greedy", "sharp", "--rules", "official", "official", "--out", "{}"], "rules official, official: "),
        (
            ["tournament", *"ab", "--players", "5", "--rules", "classic", "casual", "--option", "teams=2", "--out", "{}"],
            "rules official with deck=classic, illegal=penalty, teams=2: teams=2 with num_players=5",
        ),
        (["tournament", "greedy", "sharp", "--workers", "0", "--out", "{}"], "workers=0: expected at least 1"),
        (["tournament", "greedy", "sharp", "--ray", "auto", "--workers", "2", "--out", "{}"], "workers=2 with ray='auto': "),
        (["tournament", "greedy", "sharp", "--resume", "--out", "{}"], "agents greedy, sharp: expected none with --resume"),
        (["tournament", "--resume", "--out", "{}"], "results.db: no such file"),
        (["tournament", "--resume", "--deals", "9", "--out", "{}"], "deals=9: expected none with --resume"),
        (["tournament", "greedy", "--anchors", "sharp", "--out", "{}"], "anchors sharp: only the format ladder"),
        (["table", "{}"], "results.db: no such file"),
        (["export", "{}", "--out", "{}.txt"], "results.db.txt: expected a name that ends in .parquet or .csv"),
    ],
)
def test_errors_are_one_line(tmp_path: Path, typed, arguments: list[str], words: str) -> None:
    path = tmp_path / "results.db"
    status, out, error = typed(*(word.format(path) for word in arguments))
    assert (status, out) == (2, "")
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert words in error
    assert not path.exists()
