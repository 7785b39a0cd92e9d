"""`python -m unoflip_env bench`, as a user types it: every figure is there; none is judged."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from unoflip_env import bench
from unoflip_env.__main__ import main
from unoflip_env.bench_command import in_words
from unoflip_env.rules import PRESETS

ROOT = Path(__file__).parents[2]
KINDS = {"bare", "mask", "mask and observation"}
TABLES = {
    "engine": KINDS,
    "random play": {"decisions a round", "of them draw"},
    "batch, 4 players, all written": {"compiled loop", "calls of Engine"},
    "bytes a game, 4 players": {""},
    "players": KINDS,
    "rules, 4 players": KINDS,
    "environments, 4 players": {""},
    "start": {""},
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unoflip_env", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_json_has_every_figure():
    done = run("--seconds", "0.001", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    columns: dict[str, dict[str, set[str]]] = {}
    for figure in report["figures"]:
        assert figure["value"] > 0, figure
        columns.setdefault(figure["table"], {}).setdefault(figure["row"], set()).add(figure["column"])
    assert {table: set().union(*rows.values()) for table, rows in columns.items()} == TABLES
    for table, rows in columns.items():
        assert all(row == TABLES[table] for row in rows.values()), f"{table} has holes"
    assert columns["players"].keys() == {str(n) for n in range(2, 11)}
    assert columns["rules, 4 players"].keys() == PRESETS.keys()
    assert columns["environments, 4 players"].keys() == bench.ENVIRONMENTS.keys()
    assert {"processor", "cores", "system", "python", "numba"} <= report["machine"].keys()


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "soon"])
def test_a_time_that_is_none_is_refused(seconds, capsys):
    with pytest.raises(SystemExit) as left:
        main(["bench", f"--seconds={seconds}"])
    assert left.value.code == 2
    assert f"'{seconds}': expected a number of seconds above 0" in capsys.readouterr().err


def test_ctrl_c_prints_what_was_measured(monkeypatch, capsys):
    def stop(_seconds: float) -> float:
        raise KeyboardInterrupt

    done = bench.Job("engine", "2 players", "bare", bench.PER_SECOND, lambda seconds: 1e6 * seconds)
    broken = bench.Job("engine", "4 players", "bare", bench.PER_SECOND, stop)
    monkeypatch.setattr(bench, "jobs", lambda with_compilation: iter([done, broken]))
    assert main(["bench", "--seconds", "12.3"]) == 130
    printed = capsys.readouterr().out
    assert "12.3 M" in printed
    assert "4 players" not in printed


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (12.345e6, "steps/s", "12.3 M"),
        (999, "steps/s", "999"),
        (4567, "steps/s", "4.57 k"),
        (0.3214, "share", "32.1%"),
        (2.5, "s", "2.5"),
    ],
)
def test_figures_have_three_digits(value, unit, words):
    assert in_words(value, unit) == words
