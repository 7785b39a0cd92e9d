"""docs/records.md is true: its tables are the code's, its stream gives the recorded deals, its example is a real game."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from eval.record import describe, read_records
from tests.golden.games import FOLDER, TABLES
from tests.unoflip_env.test_notation import LINE
from unoflip_env.actions import AGREE, CARD, COLOR, DRAW_CARD, PROPOSE, REFUSE, SEAT
from unoflip_env.deck import CLASSIC_SLOTS, COLOR_NAMES, LIGHT, SIDE_NAMES, SLOT_FACE, SYMBOL_NAMES
from unoflip_env.notation import COLOR_LETTERS, SYMBOL_MARKS, action_text, parse_action
from unoflip_env.records import FORMAT, TURN_LIMIT, Decision, GameRecord, Result, Round, RoundEnd, RuleSet, check, shuffled
from unoflip_env.rules import Rules

GUIDE = (Path(__file__).parent.parent / "docs" / "records.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.DOTALL))
"""The last block of each language."""


def rows(heading: str) -> list[list[str]]:
    """The cells of all tables under a heading."""
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture(scope="module")
def code() -> dict[str, Any]:
    """What the guide's Python defines."""
    names: dict[str, Any] = {}
    exec(BLOCKS["python"], names)
    return names


@pytest.mark.parametrize("side", range(3), ids=SIDE_NAMES)
def test_the_notation_is_the_code_s(side: int) -> None:
    cells = {row[0]: row[side + 1] for row in rows("Notation")[1:]}
    letters = [word.split() for word in cells["colours"].split(", ")]
    assert {name: letter for letter, name in letters} == {name: COLOR_LETTERS[name] for name in COLOR_NAMES[side]}
    low, high = map(int, cells["numbers"].split(" to "))
    words = ", ".join(cells[name] for name in ("draw cards", "others", "wilds")).split(", ")
    marks = {name.replace(" ", "_"): mark for mark, name in (word.split(" ", 1) for word in words)}
    assert marks | {str(number): str(number) for number in range(low, high + 1)} == {
        name: SYMBOL_MARKS[name] for name in SYMBOL_NAMES[side]
    }


def test_the_actions_are_the_code_s() -> None:
    table = {row[0]: row[1] for row in rows("Actions")[1:]}
    starts = (CARD, COLOR, DRAW_CARD, SEAT, AGREE)
    assert list(table)[:5] == [
        *(f"{first} to {next_first - 1}" for first, next_first in pairwise(starts)),
        f"{AGREE}, {REFUSE}",
    ]
    assert table[f"{DRAW_CARD} to {SEAT - 1}"].split(", ") == [action_text(action, LIGHT) for action in range(DRAW_CARD, SEAT)]
    number = PROPOSE
    for place, words in list(table.items())[5:]:
        proposals = words.removeprefix("propose ").replace("propose ", "").split(", ")
        assert place == f"{number} to {number + len(proposals) - 1}"
        for proposal in proposals:
            assert parse_action(f"propose {proposal}", LIGHT) == number
            number += 1


def test_the_slots_are_the_code_s() -> None:
    for slot in range(104):
        color, symbol = divmod(int(SLOT_FACE[slot]), 13)
        assert slot in (26 * color + 2 * symbol, 26 * color + 2 * symbol + 1)
    assert sorted({*range(112)} - {*CLASSIC_SLOTS.tolist()}) == [25, 51, 77, 103]


def test_the_fields_are_the_code_s() -> None:
    told = {name for row in rows("Fields") for name in re.findall(r"`(\w+)`", row[0])}
    told |= {name for row in rows("Fields") for name in re.findall(r"`(\w+)`", row[2])}
    for kind in (GameRecord, RuleSet, Round, Decision, RoundEnd, Result):
        assert set(kind.__dataclass_fields__) <= told, kind
    assert f"| `format` | integer | {FORMAT} |" in GUIDE
    assert f"begins turn {TURN_LIMIT} of a round" in GUIDE


def test_the_words_of_a_position_are_those_of_the_grammar() -> None:
    told = [name for row in rows("Positions") for name in re.findall(r"[` ](\w+)=", row[0])]
    assert told == re.findall(r" (\w+)=", LINE.pattern.replace("\\ ", " "))


@pytest.mark.parametrize("name", TABLES)
def test_the_stream_gives_the_recorded_deals(name: str, code: dict[str, Any]) -> None:
    for game in read_records(FOLDER / f"{name}.jsonl"):
        rules = Rules().replace(**{option: tuple(v) if isinstance(v, list) else v for option, v in game.rules.options.items()})
        dealer = None if rules.dealer == "random" else rules.dealer
        for number, played in enumerate(game.rounds):
            voted = re.search(r"rules=.*hand=(\d+)", played.position)
            dealt = code["deal_round"](
                int(game.seed, 16),
                number,
                game.players,
                int(voted[1]) if voted else rules.hand,
                dealer,
                None if rules.pairing == "shuffled" else rules.dark_slots.tolist(),
                rules.deck == "classic",
                rules.start_flip == "flip",
            )
            assert dealt == (played.dealer, played.pairing, played.deal)
            dealer = (played.dealer + rules.initial_direction) % game.players


@pytest.mark.parametrize(("seed", "number", "k", "size"), [(1, 0, 1, 2), (2**64 - 1, 3, 2, 90), (7, 11, 40, 1)])
def test_the_stream_gives_the_reshuffles(code: dict[str, Any], seed: int, number: int, k: int, size: int) -> None:
    """As `shuffled` has them, which test_records.py holds to the engine."""
    cards = list(range(100, 100 - size, -1))
    assert code["reshuffle"](seed, number, k, cards) == shuffled(cards, seed, number << 32 | k << 16)


def test_the_example_is_a_game() -> None:
    record = TypeAdapter(GameRecord).validate_json(BLOCKS["json"])
    check(record)
    assert BLOCKS["text"].startswith(describe(record) + "\n")


def test_a_position_has_the_words_in_their_order() -> None:
    record = TypeAdapter(GameRecord).validate_json(BLOCKS["json"])
    words = re.search(r"```text\n(side .*)\n```", GUIDE)
    assert words
    names = words[1].split()
    text = record.rounds[0].position.split()
    assert [word.split("=")[0] for word in text[7:]] == names[7:-1]
