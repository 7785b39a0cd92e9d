"""The compiled engine against the reference: the same random games, compared after every decision."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.reference import compare as comparison
from tests.reference.compare import DifferenceError, compare
from tests.reference.game import ReferenceGame
from tests.reference.setups import (
    NUM_RANDOM,
    VALUES,
    Setup,
    all_pairs,
    draw_rows,
    draw_setups,
    forbidden_pairs,
    make_setup,
    preset_setups,
    row_pairs,
)
from tests.verify import Share, play
from unoflip_env.rules import PRESETS, Rules, RulesError

ROOT = Path(__file__).parents[2]
SEED = 0
NUM_DECISIONS = 500_000
EVENTS = [
    *("redeal", "reshuffle", "flip", "penalty", "all_draw", "give", "guilty", "not_guilty", "catch", "own_uno"),
    *("stack", "second", "cut", "swap", "dump", "team_gift", "team_gift_refused"),
    *("uno_at_play", "uno_at_drawn", "uno_at_respond", "uno_at_second", "uno_at_cut"),
    *("two_reverse", "two_skip", "two_skip_everyone", "two_flip", "two_wild", "two_0"),
    *("two_draw_one", "two_draw_five", "two_draw_two", "two_wild_draw_two", "two_wild_draw_four", "two_wild_draw_color"),
    *("vote_taken", "vote_refused", "nothing_proposed"),
    *("empty_hand", "several_out", "blocked", "timeout", "match"),
]


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    setups = draw_setups(SEED)
    shares = [Share(setup, NUM_DECISIONS // len(setups) + 1, place) for place, setup in enumerate(setups)]
    with get_context("spawn").Pool(2) as pool:
        happened, differences = zip(*pool.imap_unordered(play, shares), strict=True)
    assert not any(differences), "\n".join(filter(None, differences))
    return sum(happened, Counter())


def test_engines_agree(counts: Counter[str]) -> None:
    assert counts["decisions"] >= NUM_DECISIONS


@pytest.mark.parametrize("event", EVENTS)
def test_it_happened(counts: Counter[str], event: str) -> None:
    assert counts[event] > 0


def test_setups_hold_every_pair_of_values() -> None:
    rows = draw_rows(random.Random(SEED))
    assert len(rows) >= NUM_RANDOM
    assert set().union(*map(row_pairs, rows)) == all_pairs()


def is_refused(row: dict[str, Any]) -> bool:
    try:
        setup = make_setup(row, random.Random(SEED))
        setup.rules.check_seats(setup.num_seats)
    except RulesError:
        return True
    return False


def test_the_rules_refuse_every_pair_that_setups_lack() -> None:
    base = asdict(Rules()) | {"episode": "round", "policy": "uniform"}
    for pair, deck, teams in product(forbidden_pairs(), VALUES["deck"], VALUES["teams"]):
        table = {"deck": deck, "teams": teams, "num_seats": teams or 2}
        assert is_refused(base | table | dict(pair)), pair


def test_each_preset_is_played_at_every_table() -> None:
    tables = {(setup.rules, setup.num_seats, setup.episode) for setup in preset_setups()}
    assert tables == set(product(PRESETS.values(), range(2, 11), ("round", "match")))


def test_a_difference_is_found_and_can_be_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Rules(uno="auto")
    monkeypatch.setattr(comparison, "ReferenceGame", lambda _, *table: ReferenceGame(other, *table))
    with pytest.raises(DifferenceError, match=r"(?s)seed \d+, decision \d+, Setup.*legal: reference.*engine.*actions: \["):
        compare(Setup(Rules(), 3, "round", "plays"), 1000, seed=2)


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
