"""The compiled engine against the reference: the same random games, compared after every decision."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.reference import compare as comparison
from tests.reference.compare import DifferenceError, compare
from tests.reference.game import ReferenceGame
from tests.reference.setups import Setup, all_pairs, draw_rows, draw_setups, row_pairs
from unoflip_env.rules import PRESETS, Rules

ROOT = Path(__file__).parents[2]
SEED = 0
NUM_DECISIONS = 200_000
EVENTS = [
    "redeal",
    "reshuffle",
    "flip",
    "penalty",
    "all_draw",
    "gift",
    "guilty",
    "not_guilty",
    "catch",
    "own_uno",
    "empty_hand",
    "blocked",
    "timeout",
    "match",
]


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    setups = draw_setups(SEED)
    share = NUM_DECISIONS // len(setups) + 1
    return sum((compare(setup, share, seed=place) for place, setup in enumerate(setups)), Counter())


def test_engines_agree(counts: Counter[str]) -> None:
    assert counts["decisions"] >= NUM_DECISIONS


@pytest.mark.parametrize("event", EVENTS)
def test_it_happened(counts: Counter[str], event: str) -> None:
    assert counts[event] > 0


def test_setups_hold_every_pair_of_values() -> None:
    held = set().union(*map(row_pairs, draw_rows(random.Random(SEED))))
    assert held == all_pairs()


@pytest.mark.parametrize("preset", PRESETS)
def test_engines_agree_on_presets(preset: str) -> None:
    assert compare(Setup(PRESETS[preset], 4, "match", "plays"), 1000, seed=1)["flip"] > 0


def test_a_difference_is_found_and_can_be_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Rules(drawn_card="must_play")
    monkeypatch.setattr(comparison, "ReferenceGame", lambda _, *table: ReferenceGame(other, *table))
    with pytest.raises(DifferenceError, match=r"(?s)seed \d+, decision \d+, Setup.*legal: reference.*engine.*actions: \["):
        compare(Setup(Rules(), 3, "round", "draws"), 1000, seed=2)


def verify(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.verify", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_verify_reports_what_it_played() -> None:
    done = verify("--decisions", "500", "--processes", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b5\d\d  decisions", done.stdout)
    assert re.search(r"\b0  differences", done.stdout)


def test_verify_refuses_nothing_to_do() -> None:
    done = verify("--decisions", "0")
    assert done.returncode != 0
    assert "--decisions 0" in done.stderr
