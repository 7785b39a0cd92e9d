import dataclasses

import pytest

from unoflip_env.deck import PRINTED_PAIRING
from unoflip_env.engine import Engine
from unoflip_env.rules import PRESETS, Rules, RulesError, allowed_values, as_rules, code


def test_the_presets_are_what_their_sources_say():
    assert PRESETS["official"] == Rules()
    changed = {
        name: {f.name: getattr(rules, f.name) for f in dataclasses.fields(Rules) if getattr(rules, f.name) != f.default}
        for name, rules in PRESETS.items()
    }
    assert changed == {
        "official": {},
        "official_low": {"scoring": "own_hand"},
        "casual": {
            "start_flip": "flip",
            "draw": "stuck",
            "uno_window": "last_card",
            "score_side": "light",
            "scoring": "own_hand",
        },
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand": "7"}, "hand='7': expected one of int"),
        ({"hand": 0}, "hand=0: expected 1 to 111"),
        ({"hand": True}, "hand=True: expected one of int"),
        ({"wild_draw": "maybe"}, "wild_draw='maybe': expected one of 'strict', 'bluff', 'free'"),
        ({"initial_direction": 0}, "initial_direction=0: expected one of 1, -1"),
        ({"pairing": "random"}, r"pairing='random': expected one of 'shuffled', 'printed', a table \(tuple\)"),
        ({"pairing": (1, 2)}, "pairing: a table holds each dark slot 0 to 111 once"),
        ({"dealer": 10}, "dealer=10: expected 0 to 9"),
        ({"max_turns": -1}, "max_turns=-1: expected 0 to 65535"),
        ({"target": 0}, "target=0: expected 1 to"),
        ({"own_backs": 1}, "own_backs=1: expected one of bool"),
        ({"own_backs": False, "information": "open"}, "own_backs=False with information='open'"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    with pytest.raises(RulesError, match=message):
        Rules(**options)


def test_rules_come_from_a_name_a_mapping_or_themselves():
    assert as_rules("casual") is PRESETS["casual"]
    assert as_rules({"preset": "casual", "hand": 5}) == PRESETS["casual"].replace(hand=5)
    assert as_rules({"hand": 5}) == Rules(hand=5)
    assert as_rules(Rules(hand=5)) == Rules(hand=5)
    with pytest.raises(RulesError, match="rules='home': expected Rules or one of official, official_low, casual"):
        as_rules("home")
    with pytest.raises(RulesError, match="'hands' is not an option; the options are pairing, dealer"):
        Rules().replace(hands=3)


def test_the_id_names_the_options_and_nothing_else():
    assert Rules(hand=7).id == Rules().id
    ids = {Rules().id, Rules(hand=8).id, Rules(uno="auto").id, Rules(pairing="printed").id, Rules(pairing=PRINTED_PAIRING).id}
    assert len(ids) == 5
    assert all(len(i) == 8 and int(i, 16) >= 0 for i in ids)


def test_the_id_of_official_stays_the_same():
    """Results and checkpoints carry it: a change here means that they no longer match."""
    assert Rules().id == "1d696915"


def test_codes_follow_the_order_of_the_values():
    for option in dataclasses.fields(Rules):
        for value in allowed_values(option.name):
            assert allowed_values(option.name)[code(option.name, value)] is value


def test_a_table_of_the_users_own_is_played():
    table = tuple(reversed(range(112)))
    assert tuple(Engine({"pairing": table}).games[0].partner[0]) == table
