"""`python -m eval play` as a user types it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.sync.client import connect

from eval.__main__ import main
from eval.record import read_records

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_game_is_kept_however_it_is_ended(end: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    command = [sys.executable, "-m", "eval", "play", "greedy", "--port", "0", "--delay", "0", "--out", str(out)]
    with subprocess.Popen(
        [*command, "--option", "dealer=0", "--seed", "2"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        address = re.fullmatch(r"person: http://(127\.0\.0\.1:\d+)/seat/(\S+)\n", process.stdout.readline())
        assert address
        assert process.stdout.readline() == "Ctrl-C ends the game.\n"
        with connect("ws://{}/live/{}".format(*address.groups()), open_timeout=60) as socket:
            while '"choices":[]' in socket.recv(timeout=60):
                pass
            process.send_signal(end)
            _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, f"{out}: 1 game, the last one broken off\n")
    (record,) = read_records(out)
    assert (record.agents, record.result.is_finished) == (["person", "greedy"], False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "1 people and 0 bots: expected 2 to 10 in all"),
        (["greedy"] * 10, "1 people and 10 bots: expected 2 to 10 in all"),
        (["gredy"], "agent 'gredy': expected one of random"),
        (["greedy", "--people", "0"], "people=0: expected 1 or more"),
        (["greedy", "--people", "2", "--terminal"], "people=2: expected 1, in the terminal"),
        (["greedy", "--delay", "-1"], "delay=-1.0, turn_seconds=0: expected 0 or more"),
        (["greedy", "--delay", "nan"], "delay=nan, turn_seconds=0: expected 0 or more"),
        (["greedy", "--turn-seconds", "inf"], "turn_seconds=inf: expected 0 or more"),
        (["greedy", "--terminal"], "expected a terminal"),
        (["greedy", "--hints", "gredy"], "agent 'gredy': expected one of random"),
        (["greedy", "--port", "70000"], "port 70000: expected 0 to 65535"),
        (["greedy", "--option", "hand=60"], "hand=60 with num_players=2"),
        (["greedy", "--out", "README.md/x.jsonl"], "README.md"),
        (["greedy", "--out", "README.md"], "out=README.md: is there already, expected a new file"),
        (
            ["greedy", "--hints", "tests.eval.own_agents:AllSeeing"],
            "AllSeeing': reads information='open', and these rules show",
        ),
        (["tests.eval.own_agents:AllSeeing"], "AllSeeing': reads information='open', and these rules show 'table'"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["eval", "play", *arguments])
    assert main() == 2
    output, errors = capsys.readouterr()
    assert errors.startswith("error: ")
    assert words in errors
    assert errors.count("\n") == 1
    assert not output
