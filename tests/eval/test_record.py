"""Recording and replaying games as a user does; files that are no records."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agents.registry import make_agent
from eval import play as match_play
from eval.match import MatchError
from eval.play import DuplicateDeals
from eval.record import describe, read_records, record_games, write_records
from unoflip_env import records
from unoflip_env.records import GameRecord, RecordError
from unoflip_env.rules import PRESETS

ROOT = Path(__file__).parents[2]
OWN = "tests.eval.own_agents"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def games_of(names: list[str], num_games: int, num_players: int, **options: object) -> list[GameRecord]:
    rules = PRESETS["official"].replace(hand=3, **options)
    agents = [make_agent(name, num_players) for name in names]
    return list(record_games(agents, rules, num_games, seed=7, num_players=num_players))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three recorded games."""
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    write_records(file, games_of(["sharp", "random_play"], 3, 2))
    return file


def test_record_and_replay(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ("greedy", "random", "--players", "3", "--rules", "casual", "--option", "hand=2", "pairing=printed")
    done = run("record", *arguments, "--games", "4", "--seed", "5", "--out", str(out))
    assert (done.returncode, done.stdout) == (0, f"{out}: 4 games\n"), done.stderr
    games = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(game["game"], game["games"], game["players"]) for game in games] == [(number, 4, 3) for number in (1, 2, 3, 4)]
    assert games[0]["agents"] == ["greedy", "random", "random"]
    assert games[1]["agents"] == ["random", "greedy", "random"]
    assert games[0]["seed"] == games[2]["seed"] != games[3]["seed"]
    assert {"hand": 2, "pairing": "printed", "scoring": "own_hand"}.items() <= games[0]["rules"]["options"].items()
    shown = run("replay", str(out))
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("Round 1: seat ") == 4
    assert "Seats: 0 greedy, 1 random, 2 random" in shown.stdout
    num_decisions = sum(len(played["decisions"]) for game in games for played in game["rounds"])
    last = f"{out}: 4 games, {num_decisions:,} decisions, each as the engine plays it\n"
    assert shown.stdout.endswith(last)
    assert run("replay", str(out), "--quiet").stdout == last
    one = run("replay", str(out), "--game", "2").stdout
    assert "Game 2 of 4" in one
    assert "Game 1 of 4" not in one


def test_what_was_written_and_checked_as_json(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    done = run("record", "greedy", "random", "--option", "hand=2", "--games", "3", "--seed", "5", "--out", str(out), "--json")
    expected = {"file": str(out), "games": 3, "seed": 5, "rules": "official with hand=2", "agents": ["greedy", "random"]}
    assert expected.items() <= json.loads(done.stdout).items()
    games = [json.loads(line) for line in out.read_text().splitlines()]
    assert json.loads(done.stdout)["rules_id"] == games[0]["rules"]["id"]
    num_decisions = sum(len(played["decisions"]) for game in games for played in game["rounds"])
    shown = run("replay", str(out), "--json")
    assert json.loads(shown.stdout) == {"file": str(out), "games": 3, "decisions": num_decisions}
    refused = run("replay", str(out), "--game", "2", "--json")
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", "error: game=2: expected none with --json\n")


def test_a_match_is_recorded_round_by_round(tmp_path: Path) -> None:
    out = tmp_path / "match.jsonl"
    rules = ("--rules", "icebreaker", "--option", "target=100", "hand=4", "--episode", "match")
    done = run("record", "random_play", "random_play", *rules, "--games", "1", "--out", str(out))
    assert done.returncode == 0, done.stderr
    record = next(read_records(out))
    assert len(record.rounds) > 1
    text = describe(record)
    assert text.count("Round ") == len(record.rounds)
    assert "propose" in text or "decline" in text


def test_the_same_seed_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    write_records(tmp_path / "again.jsonl", games_of(["sharp", "random_play"], 3, 2))
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_games_are_those_of_a_match(num_players: int) -> None:
    """The first deals of `eval match` with the same seed, agents and rules; random numbers included."""
    agents = [make_agent(name, num_players) for name in ("greedy", "random_play")]
    rules = PRESETS["official"].replace(hand=3)
    line_up = [0] + [1] * (num_players - 1)
    deals = DuplicateDeals(agents, line_up, rules, 2, seed=7)
    deals.play()
    wins = deals.outcomes().wins.reshape(-1, num_players)
    for game, record in enumerate(record_games(agents, rules, 2 * num_players, 7, num_players=num_players)):
        rotation = game % num_players
        winners = [(seat - rotation) % num_players for seat in record.result.winners]
        assert np.flatnonzero(wins[game]).tolist() == sorted(winners)


def test_a_game_is_broken_off_where_a_match_breaks_it_off() -> None:
    assert records.TURN_LIMIT == match_play.MAX_TURNS


def test_an_interrupted_recording_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("older\n")
    done = run("record", f"{OWN}:Interrupting", "greedy", "--option", "hand=3", "--games", "500", "--out", str(out))
    assert done.returncode == 130
    assert out.read_text() == "older\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["record", "greedy", "--out", "x.jsonl"], "agents: got 1, expected at least 2"),
        (["record", "greedy", "gredy", "--out", "x.jsonl"], "agent 'gredy': expected one of random"),
        (["record", "greedy", "random", "--games", "0", "--out", "x.jsonl"], "games=0: expected at least 1"),
        (["record", "greedy", "random", "--option", "hand=99", "--out", "x.jsonl"], "hand=99"),
        (
            ["record", "greedy", "random", "--out", "README.md/x.jsonl"],
            "README.md/x.jsonl: cannot be written: ",
        ),
        (["record", "greedy", "random", "--out", "."], ".: cannot be written: a folder, expected a file to write"),
        (["statistics", "--markdown", "README.md/x.md"], "README.md"),
        (["statistics", "--markdown", "."], ".: a folder, expected a file to write"),
        (["statistics", "--rules", "official", "--players"], "players=(): expected one size of a table or more"),
        (["record", f"{OWN}:Cheat", "greedy", "--out", "x.jsonl"], "agent Cheat: game 0, seat"),
        (["replay", "no/such/file"], "no/such/file: cannot be read: No such file or directory"),
        (["replay", "."], ".: cannot be read: Is a directory"),
    ],
)
def test_errors_are_one_line(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert words in last
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not (ROOT / "x.jsonl").exists()


def test_a_refused_file_is_told_in_one_line(path: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(path.read_bytes()[:-200])
    done = run("replay", str(cut), "--quiet")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: {cut}, line 3: Invalid JSON: EOF while parsing")
    assert "Traceback" not in done.stderr
    many = run("replay", str(path), "--game", "4", "--quiet")
    assert many.returncode == 2
    assert f"game=4: expected 1 to 3, the games of {path}" in many.stderr


def edit(line: int, old: str, new: str) -> Callable[[list[str]], list[str]]:
    """Replace a text, which has to be there, in one line."""

    def change(lines: list[str]) -> list[str]:
        assert old in lines[line - 1]
        return [*lines[: line - 1], lines[line - 1].replace(old, new, 1), *lines[line:]]

    return change


BROKEN: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "nothing": (lambda lines: [], ": no games, expected a line of JSON for each"),
    "an empty line": (lambda lines: ["", *lines], ", line 1: Invalid JSON"),
    "nonsense": (lambda lines: [lines[0], "hello"], ", line 2: Invalid JSON"),
    "a number": (lambda lines: ["17"], ", line 1: .*object"),
    "deeply nested": (lambda lines: ["[" * 100_000], ", line 1: "),
    "no fields": (lambda lines: ["{}"], ", line 1: format: Field required"),
    "a field too many": (edit(1, '{"format"', '{"color":1,"format"'), ", line 1: color: Unexpected keyword argument"),
    "a word for a number": (edit(2, '"action":', '"action":"draw","was":'), ", line 2: rounds.0.decisions.0"),
    "true for a number": (edit(2, '"players":2', '"players":true'), ", line 2: players: Input should be a valid integer"),
    "a missing line": (lambda lines: [lines[0], lines[2]], ", line 2: game 3 of 3, expected game 2 of 3"),
    "a missing first line": (lambda lines: lines[1:], ", line 1: game 2 of 3, expected game 1 of 3"),
    "a missing last line": (lambda lines: lines[:-1], ": ends after game 2 of 3"),
    "a line twice": (lambda lines: [lines[0], lines[0]], ", line 2: game 1 of 3, expected game 2 of 3"),
    "half a line": (lambda lines: [*lines[:2], lines[2][:500]], ", line 3: Invalid JSON: EOF"),
    "other cards": (edit(3, '"deal":[', '"deal":[0,'), r", line 3: round 1: deal is \[0, .*, expected \["),
    "an altered position": (
        edit(1, '"position":"light', '"position":"dark'),
        ", line 1: round 1: position is .dark ",
    ),
    "altered scores": (edit(1, '"points":[', '"points":[1,'), r", line 1: round 1, decision \d+, end: points is \[1,"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused(path: Path, tmp_path: Path, name: str) -> None:
    change, message = BROKEN[name]
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join(line + "\n" for line in change(path.read_text().splitlines())))
    with pytest.raises(RecordError, match="^" + str(broken) + message):
        list(read_records(broken))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(bytes(range(256)))
    with pytest.raises(RecordError, match="line 1: Invalid JSON"):
        list(read_records(broken))


def test_every_character_counts(path: Path, tmp_path: Path) -> None:
    """A record in which any one digit of a decision is another is refused."""
    broken, content = tmp_path / "broken.jsonl", path.read_bytes()
    begin, end = content.index(b'"decisions"'), content.index(b'"result"')
    digits = [place for place in range(begin, end) if content[place : place + 1].isdigit()]
    for place in digits[:: len(digits) // 40]:
        broken.write_bytes(content[:place] + b"%d" % ((content[place] - 47) % 10) + content[place + 1 :])
        with pytest.raises(RecordError):
            list(read_records(broken))


def test_files_put_together_are_read_as_one(path: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl"
    both.write_bytes(2 * path.read_bytes())
    assert [record.game for record in read_records(both)] == [1, 2, 3, 1, 2, 3]


def test_no_game_is_an_error() -> None:
    with pytest.raises(MatchError, match="games=0"):
        games_of(["greedy", "greedy"], 0, 2)
