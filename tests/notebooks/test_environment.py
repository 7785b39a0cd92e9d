"""Notebook 1 runs, and shows what it says it shows."""

import re

from tests.notebooks.running import execute_with


def test_environment() -> None:
    shown = execute_with("1_environment", NUM_GAMES=20)
    worlds = re.findall(r"(?:as dealt|world \d): +(.*)", shown)
    assert len(worlds) == len(set(worlds)) == 4
    backs = re.search(r"before: backs of player_1: +(.*)", shown)
    fronts = re.search(r"after:  fronts known of it: +(.*)", shown)
    assert backs
    assert fronts
    assert backs[1] == fronts[1] != "nothing"
    assert "20 rounds" in shown
