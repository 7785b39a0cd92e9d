"""The time to the same strength: what is trained, when it is tested, and how the times are compared."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.registry import make_agent
from benchmarks import strength
from benchmarks.strength import OWN, Point, Stopwatch, compare, first_time

ROOT = Path(__file__).parents[2]
OTHER = "another"


def points(trainer: str, *strengths: float) -> list[Point]:
    """Tests after 1, 2, 4, … minutes."""
    return [Point(trainer, 2.0**i, 0, {"greedy": [rate, rate, rate]}) for i, rate in enumerate(strengths)]


def test_all_are_trained_and_tested_as_a_user_asks_for_it() -> None:
    command = [sys.executable, "-m", "benchmarks.strength", "--minutes", "0.01", "--deals", "2", "--json"]
    printed = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=True).stdout
    found = json.loads(printed)
    assert [point["trainer"] for point in found["points"]] == list(strength.LEARN)
    for point in found["points"]:
        assert point["minutes"] >= 0.01
        assert point["decisions"] > 0
        assert list(point["win_rates"]) == ["greedy", "sharp"]
        assert all(0 <= low <= rate <= high <= 1 for rate, low, high in point["win_rates"].values())
    assert [each["trainer"] for each in found["comparisons"]] == list(strength.LEARN)[1:]


def test_the_first_time_lies_on_a_straight_line_between_tests() -> None:
    tests = points(OWN, 0.2, 0.4, 0.3, 0.5)
    assert first_time(tests, 0.3) == pytest.approx(1.5)
    assert first_time(tests, 0.4) == pytest.approx(2)
    assert first_time(tests, 0.45) == pytest.approx(7)
    assert first_time(tests, 0.1) == 1
    assert first_time(tests, 0.6) is None


@pytest.mark.parametrize(
    ("own", "others", "minutes", "own_minutes", "ratio", "words"),
    [
        ((0.2, 0.4), (0.1, 0.2, 0.3), 4, 1.5, 4 / 1.5, "after 1.50: 2.7 times as fast"),
        ((0.2, 0.4), (0.1, 0.1, 0.2), 4, 1, 4, "before its first test, after 1.00: 4.0 times as fast or more"),
        ((0.2, 0.4), (0.1, 0.5, 0.3), 1.5, 1.5, 1, "after 1.50: 1.0 times as fast"),
        ((0.2, 0.4), (0.1, 0.5), 2, None, None, "never had as much"),
    ],
)
def test_times_to_the_same_strength_are_compared(own, others, minutes, own_minutes, ratio, words) -> None:
    (found,) = compare([*points(OWN, *own), *points(OTHER, *others)])
    assert (found.trainer, found.win_rate) == (OTHER, others[-1])
    assert found.minutes == pytest.approx(minutes)
    assert found.own_minutes == (own_minutes and pytest.approx(own_minutes))
    assert found.ratio == (ratio and pytest.approx(ratio))
    assert str(found).endswith(words)


def test_a_paused_stopwatch_stands_still() -> None:
    stopwatch = Stopwatch()
    with stopwatch.paused():
        sum(range(2_000_000))
    counted = stopwatch.minutes
    sum(range(2_000_000))
    assert 0 <= counted < stopwatch.minutes - counted


def test_ctrl_c_prints_what_there_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def learn(options, stopwatch, on_update) -> None:
        if not on_update(lambda: make_agent("sharp", 2), 7):
            raise KeyboardInterrupt

    monkeypatch.setattr(strength, "LEARN", {OWN: learn})
    monkeypatch.setattr(strength, "warm_up", lambda learn, options: None)
    assert strength.main(["--minutes", "1e-9", "--deals", "2", "--json"]) == 130
    (point,) = json.loads(capsys.readouterr().out)["points"]
    assert (point["trainer"], point["decisions"]) == (OWN, 7)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--minutes", "2", "1"], "minutes=(2.0, 1.0): expected numbers above 0"),
        (["--minutes", "0"], "minutes=(0.0,): expected numbers above 0"),
        (["--deals", "1"], "deals=1: expected 2 or more"),
    ],
)
def test_bad_input_is_refused(arguments, said, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        strength.main(arguments)
    assert said in capsys.readouterr().err
