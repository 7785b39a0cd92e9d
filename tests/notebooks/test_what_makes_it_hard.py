"""Notebook 5 measures what it says it measures."""

import re

from tests.notebooks.running import execute_with


def test_what_makes_it_hard() -> None:
    shown = execute_with("5_what_makes_it_hard", NUM_DEALS=60, NUM_ROUNDS=60, NUM_WATCHED=2, NUM_WORLDS=20)
    bits = {
        pairing: (float(before), float(after))
        for pairing, before, after in re.findall(r"(shuffled|printed): (\d\.\d) \[.*\] bits .* Flip, (\d\.\d) right", shown)
    }
    assert bits["shuffled"][0] > bits["printed"][0] > bits["printed"][1]
    assert bits["shuffled"][1] < 1
    assert len(re.findall(r"players, (shuffled|printed): seeing won", shown)) == 4
    assert "challenging always won" in shown
    assert "another seat leads than before" in shown
