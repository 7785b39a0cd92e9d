"""By how much duplicate deals shrink the variance, as a user reads it."""

import json
from pathlib import Path

import numpy as np
import pytest

from eval.export import read_games
from eval.statistics import variance_ratio

DEALS = ("--deals", "40", "--option", "hand=3", "--seed", "4")


def ratios(path: Path, typed) -> list[list[dict]]:
    return json.loads(typed("table", str(path), "--json")[1])["variance_ratios"]


@pytest.mark.parametrize("num_players", ["2", "3"])
def test_of_two_agents_it_is_that_of_their_match(num_players: str, tmp_path: Path, typed) -> None:
    """Whichever of them sits alone; and it is told in the table and in the report."""
    command = "tournament", "sharp", "random_play", *DEALS, "--players", num_players
    assert typed(*command, "--rules", "official", "casual", "--out", str(tmp_path / "a.db"))[0] == 0
    for rules, found in zip(("official", "casual"), ratios(tmp_path / "a.db", typed), strict=True):
        assert len(found) == int(num_players) - 1
        for entry in found:
            line_up = entry["line_up"]
            match = json.loads(typed("match", *line_up[:2], *DEALS, "--players", num_players, "--rules", rules, "--json")[1])
            assert match["line_up"] == line_up
            for agent in match["agents"]:
                assert entry["variance_ratio"] == pytest.approx(agent["variance_ratio"])
    shown = [entry["variance_ratio"] for entry in ratios(tmp_path / "a.db", typed)[1]]
    sentence = f"as sure of a line-up's win rates as {np.median(shown):.2f} times as many games with a new deal for each"
    assert f"\n{sentence}" in typed("table", str(tmp_path / "a.db"))[1]
    assert typed("report", str(tmp_path / "a.db"), "--out", str(tmp_path / "a.html"))[0] == 0
    assert f"<li>{sentence.replace(chr(39), '&#39;')}" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_all_orders_of_a_line_up_are_one(tmp_path: Path, typed) -> None:
    """A deal in all its orders and rotations is the unit; its agents are put together."""
    names = "sharp", "greedy", "random_play"
    command = "tournament", *names, *DEALS, "--players", "3", "--format", "head-to-head", "--orders", "all"
    assert typed(*command, "--out", str(tmp_path / "a.db"))[0] == 0
    [[found]] = ratios(tmp_path / "a.db", typed)
    rows = read_games(tmp_path / "a.db").to_pylist()
    wins = [[row["win"] for row in rows if (row["deal"], row["agent"]) == (deal, name)] for deal in range(40) for name in names]
    by_deal = np.array(wins).reshape(40, 3, 6).swapaxes(1, 2)  # [deal, game, agent]
    assert found == {"line_up": [*names], "variance_ratio": pytest.approx(variance_ratio(by_deal))}


def test_agents_that_play_alike_leave_nothing_to_chance(tmp_path: Path, typed) -> None:
    """Nothing varies, so nothing is said."""
    (tmp_path / "alike.py").write_text("from tests.eval.own_agents import FirstLegal as A, FirstLegal as B\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        command = "tournament", "alike:A", "alike:B", *DEALS, "--out", str(tmp_path / "a.db")
        _, out, _ = typed(*command)
    assert "as sure of" not in out
    assert [[entry["variance_ratio"] for entry in each] for each in ratios(tmp_path / "a.db", typed)] == [[None]]
