"""Notebook 4 makes rules and a bot, and measures it."""

import re

from tests.notebooks.running import execute_with


def test_own_rules_own_bot() -> None:
    shown = execute_with("4_own_rules_own_bot", NUM_DEALS=50)
    assert "RulesError: zero_role='swap'" in shown
    assert 'draw = "stuck"' in shown
    assert len(re.findall(r"(color|slowing)_bot against", shown)) == 4
    assert "our rules: slowing_bot won" in shown
