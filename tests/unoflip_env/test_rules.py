import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unoflip_env.actions import PROPOSALS
from unoflip_env.deck import FACE_NAMES, PRINTED_PAIRING, SLOT_FACE
from unoflip_env.engine import Engine
from unoflip_env.rules import (
    OPTION_DOCS,
    PRESET_DOCS,
    PRESETS,
    RANGES,
    STACK_KINDS,
    Rules,
    RulesError,
    allowed_values,
    as_rules,
    code,
    describe_values,
    load_rules,
    save_rules,
)

CONFIGS = Path(__file__).parents[2] / "configs" / "rules"
STACKING = {"drawn_card": "must_play", "stack": STACK_KINDS["flip"], "double": "identical", "cut": "anyone"}


def test_the_presets_are_what_their_sources_say():
    assert {name: rules.changes() for name, rules in PRESETS.items()} == {
        "official": {},
        "official_low": {"scoring": "own_hand"},
        "classic": {"deck": "classic", "illegal": "penalty"},
        "casual": {
            "start_flip": "flip",
            "draw": "stuck",
            "uno_window": "last_card",
            "score_side": "light",
            "scoring": "own_hand",
        },
        "stacking": STACKING,
        "icebreaker": {**STACKING, "wild_draw": "free", "rule_vote": True},
        "berserker": {**STACKING, "hand": 10, "double": "same_symbol", "accumulate": True},
    }
    assert PRESET_DOCS.keys() == PRESETS.keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hand": "7"}, "hand='7': expected a number 1 to 111"),
        ({"hand": 0}, "hand=0: expected a number 1 to 111"),
        ({"hand": True}, "hand=True: expected a number 1 to 111"),
        ({"hand": 7.0}, "hand=7.0: expected a number 1 to 111"),
        ({"hand": 108, "deck": "classic"}, "hand=108 with deck='classic': expected a number 1 to 107"),
        ({"wild_draw": "maybe"}, "wild_draw='maybe': expected 'strict', 'bluff' or 'free'"),
        ({"initial_direction": 0}, "initial_direction=0: expected 1 or -1"),
        (
            {"pairing": "random"},
            "pairing='random': expected 'shuffled', 'printed' or a table with each dark slot 0 to 111 once",
        ),
        ({"pairing": (1, 2)}, r"pairing=\(1, 2\): expected 'shuffled', 'printed' or a table"),
        ({"pairing": (True, 0, *range(2, 112))}, r"pairing=\(True, 0, 2, .*: expected"),
        ({"pairing": ("red", *range(1, 112))}, r"pairing=\('red', 1, .*: expected"),
        ({"dealer": 10}, "dealer=10: expected 'random' or a seat 0 to 9"),
        ({"dealer": "me"}, "dealer='me': expected 'random' or a seat 0 to 9"),
        ({"max_turns": -1}, "max_turns=-1: expected a number 0 to 65535"),
        ({"target": 0}, "target=0: expected a number 1 to 100000"),
        ({"teams": 11}, "teams=11: expected a number 0 to 10"),
        ({"teams": 1}, "teams=1: expected 0 for none, or a number 2 to 10"),
        ({"own_backs": 1}, "own_backs=1: expected True or False"),
        ({"stack": "draw_one"}, "stack='draw_one': expected a list of draw_one, draw_five, wild_draw_two"),
        ({"stack": ("skip",)}, r"stack=\('skip',\) with deck='flip': expected each at most once of draw_one, draw_five"),
        ({"stack": ("draw_one", "draw_one")}, "with deck='flip': expected each at most once of draw_one"),
        ({"stack": ("draw_one",), "deck": "classic"}, "with deck='classic': expected .* draw_two, wild_draw_four"),
        ({"own_backs": False, "information": "open"}, "own_backs=False with information='open'"),
        ({"zero_role": "swap"}, "zero_role='swap' with deck='flip'"),
        ({"teammate_gift": True}, "teammate_gift=True with teams=0"),
        ({"deck": "classic", "pairing": "printed"}, "pairing='printed' with deck='classic'.*expected 'shuffled'"),
        ({"deck": "classic", "start_flip": "flip"}, "start_flip='flip' with deck='classic'.*expected 'redraw'"),
        ({"deck": "classic", "score_side": "light"}, "score_side='light' with deck='classic'.*expected 'in_play'"),
        ({"deck": "classic", "own_backs": False}, "own_backs=False with deck='classic'.*expected True"),
    ],
)
def test_what_has_no_meaning_is_refused(options, message):
    with pytest.raises(RulesError, match=message):
        Rules(**options)


@pytest.mark.parametrize(
    ("options", "num_players", "message"),
    [
        ({}, 11, "num_players=11: expected 2 to 10"),
        ({"hand": 28}, 4, "hand=28 with num_players=4: .* at most 27 each"),
        ({"hand": 27, "deck": "classic"}, 4, "leaves none of the 108 to turn up; at most 26 each"),
        ({"teams": 2}, 5, "teams=2 with num_players=5: expected a number that divides the players"),
        ({"dealer": 3}, 3, "dealer=3 with num_players=3: expected a seat 0 to 2"),
    ],
)
def test_tables_that_do_not_fit_are_refused(options, num_players, message):
    with pytest.raises(RulesError, match=message):
        Rules(**options).check_seats(num_players)


def test_rules_come_from_a_name_a_mapping_or_themselves(tmp_path):
    assert as_rules("casual") is PRESETS["casual"]
    assert as_rules({"preset": "casual", "hand": 5}) == PRESETS["casual"].replace(hand=5)
    assert as_rules({"hand": 5, "stack": ["draw_one"]}) == Rules(hand=5, stack=("draw_one",))
    assert Rules(stack=["draw_one"]) == Rules(stack=("draw_one",))  # type: ignore[arg-type]
    assert as_rules(Rules(hand=5)) == Rules(hand=5)
    path = tmp_path / "mine.toml"
    save_rules(Rules(hand=5), path)
    assert as_rules(str(path)) == as_rules(path) == Rules(hand=5)
    assert as_rules({"preset": str(path), "target": 100}) == Rules(hand=5, target=100)
    assert Engine(str(path)).rules == Rules(hand=5)
    for unknown in ("home", 3, ["official"]):
        with pytest.raises(RulesError, match=r"expected Rules, options, one of official, .* or the path of a \.toml file"):
            as_rules(unknown)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="hands=3: 'hands' is not an option; the options are deck, pairing, dealer"):
        Rules().replace(hands=3)


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_has_its_file(name):
    assert load_rules(CONFIGS / f"{name}.toml") == PRESETS[name]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_files_of_the_kit_can_be_dealt(path):
    load_rules(path).check_seats(4)


def test_the_file_of_the_official_rules_names_every_option_and_value():
    text = (CONFIGS / "official.toml").read_text()
    for name in OPTION_DOCS:
        assert f"\n{name} = " in text
        assert all(json.dumps(value) in text for value in allowed_values(name) if not isinstance(value, type))
    assert all(json.dumps(kind) in text for kinds in STACK_KINDS.values() for kind in kinds)


def values(name):
    """Values that an option takes."""
    if name == "stack":
        return st.lists(st.sampled_from(STACK_KINDS["flip"] + STACK_KINDS["classic"]), unique=True).map(tuple)
    strategies = {
        int: st.integers(*RANGES.get(name, (0, 0))),
        bool: st.booleans(),
        tuple: st.permutations(range(112)).map(tuple),
    }
    return st.one_of(*(strategies[v] if isinstance(v, type) else st.just(v) for v in allowed_values(name)))


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries({}, optional={name: values(name) for name in OPTION_DOCS}))
def test_a_file_gives_back_what_was_written(tmp_path_factory, options):
    try:
        rules = Rules(**options)
    except RulesError:
        return
    path = tmp_path_factory.getbasetemp() / "written.toml"
    save_rules(rules, path)
    again = load_rules(path)
    assert again == rules
    assert again.id == rules.id
    assert rules.id in path.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hands = 3", "hands=3: 'hands' is not an option; the options are deck"),
        ("hand = 200", "hand=200: expected a number 1 to 111"),
        ("accumulate = 1", "accumulate=1: expected True or False"),
        ('preset = "home"', "preset='home': expected one of official"),
        ('preset = "other.toml"', "preset='other.toml': expected one of official"),
        ('preset = ["official"]', r"preset=\['official'\]: expected one of official"),
        ('stack = ["draw_one", 2]', r"stack=\('draw_one', 2\) with deck='flip'"),
        ("[stack]\ndraw_one = true", "stack={'draw_one': True}: expected a list of draw_one"),
        ('zero_role = "dump"', "zero_role='dump' with deck='flip'"),
        ('pairing = "none.csv"', r"pairing='none\.csv': .*No such file"),
        ("hand == 3", r"Invalid value \(at line 1"),
        (b"\xff", "'utf-8' codec can't decode byte"),
    ],
)
def test_a_file_without_a_meaning_is_refused_by_name(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(RulesError, match=rf"mine\.toml: {message}"):
        load_rules(path)


def test_a_file_that_is_not_there_is_refused_by_name():
    with pytest.raises(RulesError, match=r"^nowhere\.toml: .*No such file"):
        as_rules("nowhere.toml")


def test_a_file_may_name_a_pairing_beside_it(tmp_path):
    light, dark = FACE_NAMES[0], FACE_NAMES[1]
    rows = [",".join((*light[SLOT_FACE[slot]], *dark[SLOT_FACE[111 - slot]])) for slot in range(112)]
    header = "light_color,light_symbol,dark_color,dark_symbol"
    (tmp_path / "mine.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "mine.toml").write_text('pairing = "mine.csv"')
    pairing = load_rules(tmp_path / "mine.toml").dark_slots
    assert [SLOT_FACE[slot] for slot in pairing] == [SLOT_FACE[111 - slot] for slot in range(112)]
    (tmp_path / "mine.csv").write_text("\n".join([header, *rows[:-1]]))
    with pytest.raises(RulesError, match=r"mine\.toml: pairing='mine\.csv': .*mine\.csv: 111 cards, expected 112"):
        load_rules(tmp_path / "mine.toml")


def test_a_table_of_the_users_own_is_played():
    table = tuple(reversed(range(112)))
    assert tuple(Engine({"pairing": table}).games[0].partner[0]) == table


def test_the_id_names_the_options_and_nothing_else():
    assert Rules(hand=7).id == Rules().id
    ids = {Rules().id, Rules(hand=8).id, Rules(uno="auto").id, Rules(pairing="printed").id, Rules(pairing=PRINTED_PAIRING).id}
    assert len(ids) == 5
    assert all(len(i) == 8 and int(i, 16) >= 0 for i in ids)
    assert Rules(stack=("draw_five", "draw_one")).id == Rules(stack=("draw_one", "draw_five")).id


def test_the_ids_of_the_presets_stay_the_same():
    """Results and checkpoints carry them: a change here means that they no longer match."""
    assert {name: rules.id for name, rules in PRESETS.items()} == {
        "official": "44136fa3",
        "official_low": "4bb1718c",
        "classic": "b85ffd8a",
        "casual": "f6dc7d7b",
        "stacking": "971b0018",
        "icebreaker": "effedb5f",
        "berserker": "daf81c92",
    }


def test_codes_follow_the_order_of_the_values():
    for name in OPTION_DOCS:
        allowed = allowed_values(name)
        assert [code(name, value) for value in allowed if isinstance(value, str)] == [
            place for place, value in enumerate(allowed) if isinstance(value, str)
        ]
    assert code("pairing", PRINTED_PAIRING) == 2
    assert code("hand", 9) == 9
    assert [code("accumulate", value) for value in (False, True)] == [0, 1]
    assert [code("stack", (kind,)) for kind in STACK_KINDS["flip"]] == [1, 2, 4]
    assert code("stack", STACK_KINDS["classic"]) == 5


def test_each_option_names_its_rules_and_what_it_takes():
    for option in dataclasses.fields(Rules):
        identifiers, colon, meaning = OPTION_DOCS[option.name].partition(": ")
        assert colon
        assert meaning
        assert all(part.rpartition("-")[2].isdigit() for part in identifiers.split(", "))
        words = describe_values(option.name)
        for value in allowed_values(option.name):
            assert isinstance(value, type) or repr(value) in words


@pytest.mark.parametrize("proposal", range(len(PROPOSALS)), ids=lambda proposal: "{}={}".format(*PROPOSALS[proposal]))
def test_a_proposal_changes_one_option(proposal):
    name, value = PROPOSALS[proposal]
    for deck in ("flip", "classic"):
        if (name, value, deck) == ("score_side", "light", "classic"):
            continue  # a card with one side has no other to count: it is not proposed there
        changed = Rules(deck=deck).propose(proposal)
        kinds = STACK_KINDS[deck] if value == "all" else ()
        assert getattr(changed, name) == (kinds if name == "stack" else value)
        assert changed.replace(**{name: getattr(Rules(), name)}) == Rules(deck=deck)
