"""Notebook 3 plays a tournament by its command, and reads it."""

import re

from tests.notebooks.running import execute_with


def test_tournament() -> None:
    shown = execute_with("3_tournament", NUM_DEALS=100, NUM_RUNS=10)
    assert "3 random_play" in shown
    assert "1,200 rows" in shown
    assert re.search(r"\d of 2 intervals miss", shown)
    assert re.search(r"17 looks +a 'winner' in", shown)
    assert re.search(r"greedy is (not )?better than random_play|not known", shown)
