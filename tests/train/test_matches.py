"""Training in which a match is won or lost, not a round."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from agents.checkpoint import CARD, WEIGHTS
from tests.train.runs import crash_after
from train.__main__ import main
from train.config import Config
from train.testing import CHOOSING, identity
from train.trainer import Trainer
from unoflip_env.rules import Rules

RULES = Rules(hand=2, target=100)
SMALL = shlex.split(
    "--episode match --num-tables 16 --num-steps 16 --num-tests 1 --color-width 8 --trunk-width 16 --test-deals 2"
    " --test-against greedy --num-threads 1 --players 2 --rules official,hand=2,target=100 --total-decisions 3000"
    " --save-minutes 0"
)


def run(folder: Path, *arguments: str) -> int:
    return main(["--run", str(folder), *SMALL, *arguments])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matches") / "r"
    assert run(folder) == 0
    return folder


def test_a_run_on_matches_says_so_wherever_it_tells_of_itself(whole: Path) -> None:
    card, name = json.loads((whole / "card.json").read_text()), f"{RULES.id}_matches_2_players_greedy"
    assert card["config"]["episode"] == card["results"][name]["episode"] == "match"
    assert "| episode | match |" in (whole / "card.md").read_text()
    assert json.loads((whole / "agent" / CARD).read_text())["training"]["episode"] == "match"
    assert f"win_rate/{name}" in json.loads((whole / "figures.json").read_text())


def test_it_goes_on_as_if_nothing_had_been(tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def is_amid_matches(trainer: Trainer) -> None:
        assert trainer.tables[0].engine.games["num_rounds"].max() > 0

    folder = tmp_path / "r"
    with crash_after(8, is_amid_matches):
        run(folder)
    assert main(["--resume", str(folder), "--episode", "round"]) == 2
    assert "episode was match, is now round" in " ".join(capsys.readouterr().err.split())
    assert run(folder) == 0
    assert (folder / "agent" / WEIGHTS).read_bytes() == (whole / "agent" / WEIGHTS).read_bytes()


def test_tests_of_matches_are_not_compared_with_those_of_rounds() -> None:
    """Those of rounds are what they were before there were matches: an older checkpoint can be the best still."""
    rounds = Config(rules=(RULES,), players=(2,), test_against=("greedy",), test_deals=9, seed=3)
    assert identity(rounds) == [[RULES.id], [2], ["greedy"], 9, CHOOSING + 3]
    assert identity(replace(rounds, episode="match")) != identity(rounds)
