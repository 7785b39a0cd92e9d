"""Notebook 2 trains an agent."""

import re

import pytest

from tests.notebooks.running import execute_with


def test_training() -> None:
    shown = execute_with("2_training", TOTAL_DECISIONS=4000, NUM_TABLES=32, TEST_DEALS=2, MATCH_DEALS=4)
    assert "metrics.jsonl" in shown
    assert len(re.findall(r"against (random_play|greedy|sharp) .*of 8 rounds", shown)) == 3
    shares = [float(share) for share in re.findall(r"^ *(\d+\.\d)%  ", shown, re.MULTILINE)]
    assert sum(shares) == pytest.approx(100, abs=1)
    assert re.search(r"value [+-][01]\.\d\d", shown)
