"""The engine plays the recorded games as it did when they were recorded, byte by byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from eval.record import read_records
from tests.golden.games import FOLDER, TABLES, record_tables
from tests.reference.game import ReferenceGame
from unoflip_env.game import Phase
from unoflip_env.rules import PRESETS, as_rules

MAX_BYTES = 150_000


@pytest.mark.parametrize("name", TABLES)
def test_the_games_are_the_same(name: str) -> None:
    golden = (FOLDER / f"{name}.jsonl").read_bytes()
    assert "".join(record.to_json() + "\n" for record in record_tables(name)) == golden.decode()
    assert len(golden) <= MAX_BYTES


@pytest.mark.parametrize("name", TABLES)
def test_the_records_pass_the_check(name: str) -> None:
    games = list(read_records(FOLDER / f"{name}.jsonl"))
    assert [game.players for game in games] == [table.players for table in TABLES[name]]
    assert all(game.result.is_finished for game in games)


@pytest.mark.parametrize("name", TABLES)
def test_the_second_engine_plays_them_too(name: str) -> None:
    for game in read_records(FOLDER / f"{name}.jsonl"):
        rules = as_rules(game.rules.options)
        reference = ReferenceGame(rules, game.players, int(game.seed, 16), game.episode)
        for recorded in (decision for played in game.rounds for decision in played.decisions):
            asked = reference.decision
            assert asked
            assert (asked.seat, asked.phase, sorted(asked.legal)) == (recorded.seat, recorded.phase, recorded.legal)
            reference.step(recorded.action)
        assert reference.decision is None
        assert (sorted(reference.winners), list(reference.scores)) == (game.result.winners, game.result.scores)


def test_every_preset_has_games_of_both_episodes() -> None:
    assert [*PRESETS, "variants"] == list(TABLES)
    assert all({table.episode for table in TABLES[name]} == {"round", "match"} for name in PRESETS)
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(TABLES)


def test_the_games_show_every_decision() -> None:
    games = [game for name in TABLES for game in read_records(FOLDER / f"{name}.jsonl")]
    decisions = [decision for game in games for played in game.rounds for decision in played.decisions]
    assert {decision.phase for decision in decisions} == {phase.name.lower() for phase in Phase} - {"over"}
    assert any(decision.reshuffles for decision in decisions)
    assert {decision.position.split()[0] for decision in decisions} == {"light", "dark", "classic"}


def test_one_command_writes_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", "--folder", str(tmp_path)],
        cwd=FOLDER.parents[1],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in FOLDER.glob("*.jsonl")}
