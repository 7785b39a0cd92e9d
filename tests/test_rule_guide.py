"""The rule guide, docs/rules.md, names every rule, option and value, and cites code and tests that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from unoflip_env.game import VOTABLE
from unoflip_env.rules import OPTION_DOCS, PRESETS, STACK_KINDS, Rules, allowed_values

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### ([A-Z]+-\d+) (.*?)(?=^##|\Z)", GUIDE, re.MULTILINE | re.DOTALL))
"""What it says of each rule, by identifier."""
ROWS = {
    cells[0].strip("`"): cells[1:]
    for cells in (
        [cell.strip() for cell in line.strip("|").split("|")] for line in GUIDE.splitlines() if line.startswith("| `")
    )
    if len(cells) == 5
}
"""The table of options: values, the value in `official`, whether a vote can change it, rules."""
IDENTIFIERS = re.findall(r"^([A-Z]+-\d+)", (ROOT / "tests/rulebook/identifiers.txt").read_text(encoding="utf-8"), re.MULTILINE)


@cache
def functions(path: str) -> list[str]:
    return [
        node.name for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    ]


def words(option: str) -> set[str]:
    """The values of an option that have a name, as the guide writes them."""
    values = {str(value) for value in allowed_values(option) if not isinstance(value, type)}
    if bool in allowed_values(option):
        values |= {"true", "false"}
    return values | ({kind for kinds in STACK_KINDS.values() for kind in kinds} if option == "stack" else set())


def test_every_rule_has_a_section_and_every_section_a_rule() -> None:
    headings = re.findall(r"^### (\S+)", GUIDE, re.MULTILINE)
    assert sorted(headings) == sorted(IDENTIFIERS)
    assert list(SECTIONS) == headings


@pytest.mark.parametrize("option", OPTION_DOCS)
def test_every_option_is_in_the_table_and_with_its_rule(option: str) -> None:
    values, official, vote, rules = ROWS[option]
    assert set(re.findall(r"`([^`]*)`", values)) == words(option)
    default = getattr(Rules(), option)
    assert official == ("none" if default == () else f"`{str(default).lower() if type(default) is bool else default}`")
    assert vote == ("yes" if option in VOTABLE else "no")
    assert rules == OPTION_DOCS[option].partition(": ")[0]
    section = "".join(SECTIONS[rule] for rule in rules.split(", "))
    assert f"`{option}`" in section
    assert not {value for value in words(option) if f"`{value}`" not in section}


def test_the_table_has_no_other_option() -> None:
    assert list(ROWS) == list(OPTION_DOCS)


@pytest.mark.parametrize("rule", SECTIONS)
def test_every_rule_cites_sources_code_and_tests_that_are_there(rule: str) -> None:
    _, code, cited = re.split(r"^Code: |Tests:\s", SECTIONS[rule], flags=re.MULTILINE)
    for path, name in re.findall(r"`(kernels/\w+\.py):(\w+)`", code):
        assert name in functions(f"unoflip_env/{path}")
    assert re.fullmatch(r"(`(kernels/\w+\.py:\w+|\w+\.py)`[,.]\s)+", code)
    for path in re.findall(r"`(\w+\.py)`", code):
        assert (ROOT / "unoflip_env" / path).exists()
    path, prefix = re.fullmatch(r"`(tests/rulebook/test_\w+\.py):(\w+_)\*`\.\n*", cited).groups()  # type: ignore[union-attr]
    assert prefix == f"test_{rule.lower().replace('-', '_')}_"
    assert [name for name in functions(path) if name.startswith(prefix)]
    assert re.search(r"^- \S", SECTIONS[rule], re.MULTILINE), "no source, and not marked as ours"


def test_every_preset_and_vote_is_named() -> None:
    assert not {name for name in PRESETS if f"`{name}`" not in GUIDE}
    assert not {name for name in VOTABLE if f"`{name}`" not in SECTIONS["MODE-1"]}


def test_the_option_that_contributing_adds_is_where_it_says() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding a rule")[2].partition("\n## ")[0]
    places = {
        "unoflip_env/rules.py": 'two_player_reverse: Literal["skip", "plain"] = _option("skip", "ACT-2',
        "unoflip_env/game.py": "REVERSE_SKIPS",
        "unoflip_env/kernels/effects.py": "if g.num_seats == 2 and r.two_player_reverse == REVERSE_SKIPS:",
        "tests/rulebook/identifiers.txt": "ACT-2    Reverse | two_player_reverse=skip plain",
        "tests/rulebook/test_act.py": "test_act_2_two_player_reverse_skip_lets_the_same_player_go_again",
    }
    for path, words in places.items():
        assert words in text
        assert words in (ROOT / path).read_text(encoding="utf-8")
    assert "two_player_reverse" in (ROOT / "tests/reference/effects.py").read_text(encoding="utf-8")
    assert not [
        path for path in re.findall(r"`([\w/]+\.(?:py|txt|md|toml))`", text) if "/" in path and not (ROOT / path).exists()
    ]
