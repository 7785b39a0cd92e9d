"""The presets, option by option as the rulebook's table has them, and combinations that have no meaning."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from unoflip_env.engine import Engine
from unoflip_env.rules import PRESETS, Rules, RulesError, as_rules

TABLE = """
option             | official     | official_low | classic      | casual    | stacking     | icebreaker   | berserker
deck               | flip         | flip         | classic      | flip      | flip         | flip         | flip
hand               | 7            | 7            | 7            | 7         | 7            | 7            | 10
start_flip         | redraw       | redraw       | -            | flip      | redraw       | redraw       | redraw
draw               | optional     | optional     | optional     | stuck     | optional     | optional     | optional
drawn_card         | may_play     | may_play     | may_play     | may_play  | must_play    | must_play    | must_play
two_player_reverse | skip         | skip         | skip         | skip      | skip         | skip         | skip
wild_draw          | bluff        | bluff        | bluff        | bluff     | bluff        | free         | bluff
stack              | -            | -            | -            | -         | the three    | the three    | the three
double             | none         | none         | none         | none      | identical    | identical    | same_symbol
cut                | none         | none         | none         | none      | anyone       | anyone       | anyone
accumulate         | -            | -            | -            | -         | no           | no           | yes
uno                | declare      | declare      | declare      | declare   | declare      | declare      | declare
uno_window         | next_turn    | next_turn    | next_turn    | last_card | next_turn    | next_turn    | next_turn
score_side         | in_play      | in_play      | -            | light     | in_play      | in_play      | in_play
scoring            | winner_takes | own_hand     | winner_takes | own_hand  | winner_takes | winner_takes | winner_takes
illegal            | raise        | raise        | penalty      | raise     | raise        | raise        | raise
rule_vote          | no           | no           | no           | no        | no           | yes          | no
"""
WORDS = {
    "the three": ("draw_one", "draw_five", "wild_draw_two"),
    "no": False,
    "yes": True,
    "7": 7,
    "10": 10,
}
WITHOUT = {"start_flip": "redraw", "stack": (), "accumulate": False, "score_side": "in_play"}
"""What stands for '-' in the table."""
SAME_IN_ALL = {
    "pairing": "shuffled",
    "dealer": "random",
    "initial_direction": 1,
    "draw_count": "one",
    "max_turns": 0,
    "timeout_winner": "fewest_cards",
    "skip_role": "skip",
    "zero_role": "none",
    "target": 500,
    "teams": 0,
    "teammate_gift": False,
    "information": "table",
    "own_backs": True,
}


def read_table() -> dict[str, dict[str, Any]]:
    """The options of each preset."""
    (_, *names), *rows = ([cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines())
    presets: dict[str, dict[str, Any]] = {name: {} for name in names}
    for option, *cells in rows:
        for name, cell in zip(names, cells, strict=True):
            presets[name][option] = WITHOUT[option] if cell == "-" else WORDS.get(cell, cell)
    return presets


EXPECTED = read_table()


@pytest.mark.parametrize("name", EXPECTED)
def test_preset_has_exactly_the_options_of_the_table(name: str) -> None:
    assert asdict(PRESETS[name]) == EXPECTED[name] | SAME_IN_ALL
    assert as_rules(name) == PRESETS[name]


def test_there_are_no_other_presets() -> None:
    assert set(PRESETS) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_every_option_can_be_set_over_any_preset(name: str) -> None:
    changes = {"draw_count": "until_playable", "skip_role": "all_draw", "teams": 2, "rule_vote": True, "double": "identical"}
    assert asdict(PRESETS[name].replace(**changes)) == EXPECTED[name] | SAME_IN_ALL | changes


MEANINGLESS: list[tuple[dict[str, Any], str]] = [
    ({"zero_role": "swap"}, "zero_role='swap'.*deck='flip'"),
    ({"zero_role": "dump"}, "zero_role='dump'.*deck='flip'"),
    ({"stack": ("draw_two",)}, "stack=.*'draw_two'.*deck='flip'"),
    ({"stack": ("draw_one", "wild_draw_four")}, "stack=.*'wild_draw_four'.*deck='flip'"),
    ({"stack": ("draw_one", "draw_one")}, "stack=.*'draw_one', 'draw_one'"),
    ({"stack": ("wild_draw_color",)}, "stack=.*'wild_draw_color'"),
    ({"deck": "classic", "stack": ("draw_one",)}, "stack=.*'draw_one'.*deck='classic'"),
    ({"deck": "classic", "pairing": "printed"}, "pairing='printed'.*deck='classic'"),
    ({"deck": "classic", "start_flip": "flip"}, "start_flip='flip'.*deck='classic'"),
    ({"deck": "classic", "score_side": "light"}, "score_side='light'.*deck='classic'"),
    ({"deck": "classic", "own_backs": False}, "own_backs=False.*deck='classic'"),
    ({"deck": "classic", "hand": 108}, "hand=108.*deck='classic'"),
    ({"information": "open", "own_backs": False}, "own_backs=False.*information='open'"),
    ({"teammate_gift": True}, "teammate_gift=True.*teams=0"),
    ({"teams": 1}, "teams=1"),
]


@pytest.mark.parametrize(("options", "message"), MEANINGLESS, ids=[", ".join(options) for options, _ in MEANINGLESS])
def test_a_combination_without_a_meaning_is_refused_by_an_error_that_names_the_options(options, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**options)
    with pytest.raises(RulesError, match=message):
        as_rules({"preset": "official", **options})


@pytest.mark.parametrize("name", ["stacking", "icebreaker", "berserker"])
def test_a_preset_whose_stack_is_of_another_deck_is_refused_with_the_classic_deck(name: str) -> None:
    with pytest.raises(RulesError, match=r"stack=.*deck='classic'"):
        PRESETS[name].replace(deck="classic")


@pytest.mark.parametrize(
    ("options", "num_players", "message"),
    [
        ({"teams": 3}, 4, "teams=3.*num_players=4"),
        ({"teams": 4}, 2, "teams=4.*num_players=2"),
        ({"dealer": 3}, 3, "dealer=3.*num_players=3"),
        ({"hand": 28}, 4, "hand=28.*num_players=4"),
        ({"deck": "classic", "hand": 27}, 4, "hand=27.*num_players=4"),
    ],
)
def test_rules_that_a_table_cannot_play_are_refused(options: dict[str, Any], num_players: int, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Engine(Rules(**options), num_players=num_players)
