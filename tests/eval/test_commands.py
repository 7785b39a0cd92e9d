"""The commands as a user types them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from eval.commands import COMMANDS

ROOT = Path(__file__).parents[2]
OWN = "tests.eval.own_agents"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def test_match_json() -> None:
    done = run("match", "greedy", "random_play", "--players", "4", "--deals", "20", "--seed", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["line_up"] == ["greedy", "random_play", "random_play", "random_play"]
    assert (result["deals"], result["games"], result["seed"], result["rules"]) == (20, 80, 3, "official")
    assert result["games_per_second"] > 0
    again = json.loads(run("match", "greedy", "random_play", "--players", "4", "--deals", "20", "--seed", "3", "--json").stdout)
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


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"python -m eval {command} " in done.stdout.split("Example", 1)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["greedy"], "agents: got 1, expected at least 2"),
        (["greedy", "gredy"], "agent 'gredy': expected one of random"),
        (["greedy", "random", "--players", "11"], "players=11: expected 2"),
        (["greedy", "random", "--deals", "1"], "deals=1"),
        (["greedy", "random", "--rules", "offical"], "'offical'"),
        (["greedy", "random", "--option", "hand"], "'hand': expected name=value"),
        (["greedy", "random", "--rules", "nowhere.toml"], "nowhere.toml: "),
        (["greedy", "random", "--option", "hands=7"], "'hands' is not an option"),
        (["greedy", "random", "--option", "hand=0"], "hand=0: expected a number 1 to 111"),
        (["greedy", f"{OWN}:Cheat"], "agent Cheat: action"),
    ],
)
def test_errors_are_one_line(arguments: list[str], words: str) -> None:
    done = run("match", *arguments)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert words in last
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_an_interrupted_match_reports_whole_deals() -> None:
    done = run("match", f"{OWN}:Interrupting", "greedy", "--option", "hand=3", "--deals", "500", "--batch", "16", "--json")
    assert done.returncode == 130
    result = json.loads(done.stdout)
    assert 2 <= result["deals"] < 500
    assert result["games"] == 2 * result["deals"]
    assert f"interrupted: {result['deals']} of 500 deals" in done.stderr


def test_an_interrupted_quickstart_reports_whole_rows() -> None:
    done = run("quickstart", f"{OWN}:Interrupting", "--deals", "500", "--batch", "16")
    assert done.returncode == 130
    assert "interrupted: 0 of 10 matches" in done.stderr
    assert not done.stdout
