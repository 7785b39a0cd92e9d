"""The commands as a user types them."""

import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from eval.commands import COMMANDS

ROOT = Path(__file__).parents[2]
OWN = "tests.eval.own_agents"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def test_match_json(typed) -> None:
    done = run("match", "greedy", "random_play", "--players", "4", "--deals", "20", "--seed", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["line_up"] == ["greedy", "random_play", "random_play", "random_play"]
    assert (result["deals"], result["games"], result["seed"], result["rules"]) == (20, 80, 3, "official")
    assert result["games_per_second"] > 0
    again = json.loads(typed("match", "greedy", "random_play", "--players", "4", "--deals", "20", "--seed", "3", "--json")[1])
    for key in ("seconds", "games_per_second"):
        del result[key], again[key]
    assert result == again


def test_match_table() -> None:
    done = run("match", "sharp", f"{OWN}:FirstLegal", "--deals", "20", "--option", "pairing=printed", "hand=3")
    assert done.returncode == 0, done.stderr
    for words in ("sharp", "FirstLegal", "win rate [95%]", "50.0%", "20 deals in 2 rotations", "pairing=printed, hand=3"):
        assert words in done.stdout


def test_quickstart() -> None:
    done = run("quickstart", "greedy", "--deals", "10", "--players", "2", "3")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith((" 2 ", " 3 "))]
    assert len(rows) == 9
    assert " ppo:official-2p " in rows[4]
    assert sum("50.0% [50.0, 50.0]" in row for row in rows) == 1
    assert sum("33.3% [33.3, 33.3]" in row for row in rows) == 1


def test_quickstart_json(typed) -> None:
    command = "quickstart", "greedy", "--deals", "10", "--players", "2"
    result = json.loads(typed(*command, "--json")[1])
    assert result["agent"] == "greedy"
    assert [match["line_up"] for match in result["matches"]] == [
        ["greedy", other] for other in ("random", "random_play", "greedy", "sharp", "ppo:official-2p")
    ]
    match = json.loads(typed("match", "greedy", "random", "--deals", "10", "--json")[1])
    assert result["matches"][0]["agents"] == match["agents"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, typed) -> None:
    status, out, _ = typed(command, "--help")
    assert status == 0
    assert f"python -m eval {command} " in out.split("Example", 1)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["match", "greedy"], "agents: got 1, expected at least 2"),
        (["match", "greedy", "gredy"], "agent 'gredy': expected one of random"),
        (["match", "greedy", "random", "--players", "11"], "players=11: expected 2"),
        (["match", "greedy", "random", "--deals", "1"], "deals=1"),
        (["match", "greedy", "random", "--rules", "offical"], "'offical'"),
        (["match", "greedy", "random", "--option", "hand"], "'hand': expected name=value"),
        (["match", "greedy", "random", "--rules", "nowhere.toml"], "nowhere.toml: "),
        (["match", "greedy", "random", "--option", "hands=7"], "'hands' is not an option"),
        (["match", "greedy", "random", "--option", "hand=0"], "hand=0: expected a number 1 to 111"),
        (["match", "greedy", "random", "--option", "preset=casual"], "'preset=casual': the rules begin from 'official'"),
        (["match", "greedy", "random", "--option", "hand=5", "hand=6"], "'hand=6': hand is there already"),
        (
            ["match", "greedy", "random", "--deals", "1000000000000"],
            "deals=1000000000000: expected 2, for the interval, to 5,0",
        ),
        (["match", "greedy", "random", "--players", "4", "--deals", "2500001"], "expected 2, for the interval, to 2,500,000"),
        (["match", "greedy", "random", "--batch", "1000000000000"], "batch=1000000000000: expected 1 to 65,536"),
        (["duel", "greedy", "random", "--batch", "0"], "batch=0: expected 1 to 65,536"),
        (["match", "greedy", f"{OWN}:Cheat"], "agent Cheat: action"),
        (["match", *"abcdefg", "--orders", "all"], "orders='all': a line-up has 720 orders"),
        (["quickstart", "greedy", "--players"], "players=(): expected one size"),
        (["quickstart", "greedy", "--players", "2", "1"], "num_players=1: expected 2 to 10"),
        (["standings", "greedy", "sharp", "--games", "7"], "games=7: expected 8 or more"),
        (["standings", "greedy", "sharp", "--players"], "players=(): expected one size"),
        (["standings", "greedy", "sharp", "--players", "2", "11"], "num_players=11: expected 2 to 10"),
        (["statistics", "--players"], "players=(): expected one size"),
        (["statistics", "--rules"], "rules=(): expected one or more"),
    ],
)
def test_errors_are_one_line(arguments: list[str], words: str, typed) -> None:
    status, out, error = typed(*arguments)
    assert (status, out) == (2, "")
    last = error.splitlines()[-1]
    assert last.startswith("error: ")
    assert words in last


def test_an_error_has_no_traceback() -> None:
    done = run("match", "greedy", "gredy")
    assert done.returncode == 2
    assert done.stderr.startswith("error: agent 'gredy': ")
    assert done.stderr.count("\n") == 1


def test_what_the_system_refuses_is_told_with_or_without_a_file(monkeypatch: pytest.MonkeyPatch, typed) -> None:
    for error, words in (
        (OSError(28, "No space left"), "[Errno 28] No space left"),
        (OSError(13, "Denied", "a.db"), "a.db: Denied"),
    ):
        monkeypatch.setattr("eval.match_command.read_rules", Mock(side_effect=error))
        assert typed("match", "greedy", "sharp") == (2, "", f"error: {words}\n")


def test_an_interrupted_match_reports_whole_deals() -> None:
    done = run("match", f"{OWN}:Interrupting", "greedy", "--option", "hand=3", "--deals", "500", "--batch", "16", "--json")
    assert done.returncode == 130
    result = json.loads(done.stdout)
    assert 2 <= result["deals"] < 500
    assert result["games"] == 2 * result["deals"]
    assert f"interrupted: {result['deals']} of 500 deals" in done.stderr


@pytest.mark.parametrize("command", ["match", "duel"])
def test_one_that_is_interrupted_too_early_has_no_result(command: str, typed) -> None:
    """The 150 steps before it are too few for the first two of 600 long games."""
    status, out, error = typed(command, f"{OWN}:Interrupting", "greedy", "--option", "hand=40")
    assert (status, out) == (130, "")
    assert error == "interrupted before 2 deals were done: there is no result\n"


def test_an_interrupted_quickstart_reports_whole_rows(typed) -> None:
    status, out, error = typed("quickstart", f"{OWN}:Interrupting", "--deals", "500", "--batch", "16")
    assert (status, out) == (130, "")
    assert "interrupted: 0 of 10 matches" in error
