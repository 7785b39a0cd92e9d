"""The list of rules and the tests name each other: no rule and no value of an option is without a test."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

from unoflip_env.rules import STACK_KINDS, Rules, allowed_values

FOLDER = Path(__file__).parent


class Rule(NamedTuple):
    identifier: str
    options: dict[str, list[str]]

    @property
    def prefix(self) -> str:
        """How the names of its tests begin."""
        return f"test_{self.identifier.lower().replace('-', '_')}_"


def read_rules() -> list[Rule]:
    rules = []
    for line in (FOLDER / "identifiers.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            words, _, options = line.partition(" | ")
            values = (option.split("=") for option in options.split("; ") if option)
            rules.append(Rule(words.split()[0], {name.strip(): listed.split() for name, listed in values}))
    return rules


RULES = read_rules()
WITHOUT_IDENTIFIERS = {Path(__file__).name, "test_presets.py"}
TESTS = {
    node.name
    for path in FOLDER.glob("test_*.py")
    if path.name not in WITHOUT_IDENTIFIERS
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
}
UNLISTED = {"hand", "target"}
"""Options that take any number: they are tested under DEAL-2 and SCORE-5, with no value of their own to list."""

KINDS = {
    "pairing": {"table"},
    "dealer": {"seat"},
    "max_turns": {"0", "ends"},
    "stack": {"none", *chain(*STACK_KINDS.values())},
    "teams": {"0", "divides"},
    **{name: {"true", "false"} for name in ("accumulate", "rule_vote", "teammate_gift", "own_backs")},
}
"""Values that the rules do not name, as the list calls them."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.identifier)
def test_every_rule_has_a_test(rule: Rule) -> None:
    assert any(name.startswith(rule.prefix) for name in TESTS)


@pytest.mark.parametrize(
    ("rule", "option", "value"),
    [(rule, option, value) for rule in RULES for option, values in rule.options.items() for value in values],
)
def test_every_value_of_an_option_has_a_test(rule: Rule, option: str, value: str) -> None:
    assert any(name.startswith(rule.prefix) and f"_{option}_{value}" in name for name in TESTS)


@pytest.mark.parametrize("name", sorted(TESTS))
def test_every_test_belongs_to_a_rule(name: str) -> None:
    assert re.match(r"test_[a-z]+_\d+_[a-z]", name)
    assert any(name.startswith(rule.prefix) for rule in RULES)


def test_every_option_is_listed() -> None:
    listed = {option for rule in RULES for option in rule.options}
    assert listed | UNLISTED == {option.name for option in fields(Rules)}
    assert not listed & UNLISTED


@pytest.mark.parametrize("option", sorted({option.name for option in fields(Rules)} - UNLISTED))
def test_every_value_that_an_option_takes_is_listed(option: str) -> None:
    named = {str(value).replace("-", "minus_") for value in allowed_values(option) if not isinstance(value, type)}
    listed = {value for rule in RULES for value in rule.options.get(option, [])}
    assert listed == named | KINDS.get(option, set())
