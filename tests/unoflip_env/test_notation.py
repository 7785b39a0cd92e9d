"""Actions and positions as text."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rulebook.position import position
from tests.unoflip_env.play import play, tables
from unoflip_env.actions import ACCEPT, COLOR, NUM_ACTIONS, PROPOSALS, PROPOSE, SEAT, action_name
from unoflip_env.deck import CLASSIC, DARK, FACE_START, LIGHT, NUM_FACES, SIDE_NAMES, face_name
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.notation import NotationError, action_text, face_text, parse_action, position_text
from unoflip_env.rules import PRESETS, Rules

SIDES = (LIGHT, DARK, CLASSIC)
RULES = PRESETS
NAMES = {face_text(LIGHT, face): face_name(LIGHT, face) for face in range(NUM_FACES)}
BLUFF = ["W+2, R1, B2", "R3, G4"]


@pytest.mark.parametrize("side", SIDES, ids=SIDE_NAMES)
def test_every_action_has_a_text_of_its_own_that_is_read_back(side):
    texts = [action_text(action, side) for action in range(NUM_ACTIONS)]
    assert len(set(texts)) == NUM_ACTIONS == 156
    assert [parse_action(text, side) for text in texts] == list(range(NUM_ACTIONS))


@pytest.mark.parametrize(
    ("side", "text", "words"),
    [
        (LIGHT, "R7", "red 7"),
        (LIGHT, "Y+1", "yellow draw_one"),
        (LIGHT, "Gr", "green reverse"),
        (LIGHT, "Bs", "blue skip"),
        (LIGHT, "Rf", "red flip"),
        (LIGHT, "W", "wild"),
        (LIGHT, "W+2", "wild_draw_two"),
        (LIGHT, "→G", "color green"),
        (DARK, "P1", "pink 1"),
        (DARK, "T+5", "turquoise draw_five"),
        (DARK, "Oe", "orange skip_everyone"),
        (DARK, "Uf", "purple flip"),
        (DARK, "W+c", "wild_draw_color"),
        (DARK, "→U", "color purple"),
        (CLASSIC, "R0", "red 0"),
        (CLASSIC, "B+2", "blue draw_two"),
        (CLASSIC, "W+4", "wild_draw_four"),
        (LIGHT, "draw", "draw"),
        (DARK, "uno", "uno"),
        (LIGHT, "seat +9", "seat +9"),
        (CLASSIC, "propose drawn_card=must_play", "propose drawn_card=must_play"),
    ],
)
def test_people_write_so(side, text, words):
    assert action_name(parse_action(text, side), side) == words
    assert action_text(parse_action(text, side), side) == text


def test_a_mark_tells_the_copies_of_a_face():
    start = int(FACE_START[NUM_FACES - 2])
    assert [action_text(start + copy, LIGHT) for copy in range(4)] == ["W", "W'", "W''", "W'''"]
    assert parse_action("R7'", LIGHT) == parse_action("R7", LIGHT) + 1


def test_faces_of_a_side_differ():
    for side in SIDES:
        assert len({face_text(side, face) for face in range(NUM_FACES)}) == NUM_FACES


@pytest.mark.parametrize("text", ["->P", " ->P ", " →P "])
def test_an_arrow_may_be_written_in_ascii(text):
    assert parse_action(text, DARK) == COLOR


def test_spaces_around_words_do_not_matter():
    assert parse_action("  seat   +1\n", LIGHT) == SEAT
    assert parse_action("accept ", DARK) == ACCEPT
    assert parse_action("propose hand=5", LIGHT) == PROPOSE + PROPOSALS.index(("hand", 5))


@pytest.mark.parametrize("text", ["", "P7", "r7", "R7''", "R10", "→P", "R+5", "seat 1", "keep it", "Re", "W+4"])
def test_other_texts_are_refused(text):
    with pytest.raises(
        NotationError, match=rf"^{re.escape(repr(text))}: no action on the light side; expected a colour R \(red\)"
    ):
        parse_action(text, LIGHT)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS])
def test_other_numbers_are_refused(action):
    with pytest.raises(NotationError, match=f"action {action}: expected 0 to 155"):
        action_text(action, LIGHT)


CARD = r"(?:[A-Z][0-9a-z]|[A-Z]\+[125]|W|W\+[24c])"
LINE = re.compile(
    rf"""(light|dark|classic)\ [+-]\ {CARD}(/{CARD})?\ [RYGBPTOU-]\ \d+/\d+
    \ (-|{CARD}(/{CARD})?(,{CARD}(/{CARD})?)*)(\|(-|{CARD}(/{CARD})?(,{CARD}(/{CARD})?)*))+
    \ ([0-9]:({"|".join(phase.name.lower() for phase in Phase)})|-:over)
    \ round=\d+\ dealer=\d\ turn=\d+\ idle=\d+\ shuffles=\d+\ scores=\d+(,\d+)+
    (\ said=\d(,\d)*)?(\ out=\d(,\d)*)?(\ at=\d)?(\ drawn={CARD}'*)?(\ pair=2)?(\ owes=\d+)?
    (\ was=[RYGBPTOU]\ bluff=(yes|no))?(\ to=\d)?(\ ask=\d(,\d)*)?(\ silent=\d)?(\ cut=\d:{CARD}'*)?
    (\ proposal=\w+=\w+)?(\ refused=yes)?(\ rules=\w+=\w+(,\w+=\w+)*)?""",
    re.VERBOSE,
)
"""The grammar of docs/records.md."""


@settings(deadline=None, max_examples=40)
@given(tables(), st.integers(0, 2**32), st.sampled_from(["round", "match"]))
def test_positions_keep_to_the_grammar(table, seed, episode):
    rules, num_players = table
    engine = Engine(rules, seed=seed, num_players=num_players, episode=episode)
    for _ in play(engine, np.random.default_rng(seed), 60):
        line = position_text(engine.snapshot(), rules)
        assert LINE.fullmatch(line), line


def test_a_position_reads_so():
    engine = Engine("official", num_players=2, seed=1)
    record = engine.snapshot()
    assert position_text(record, engine.rules) == position_text(record.copy(), Rules())
    side, direction, top, color, piles, hands, decision, *counts = position_text(record, engine.rules).split()
    assert (side, direction, piles, decision[1:]) == ("light", "+", "97/1", ":play")
    assert color == top[0]
    assert [hand.count(",") for hand in hands.split("|")] == [6, 6]
    assert counts == ["round=1", f"dealer={record['dealer']}", "turn=1", "idle=1", "shuffles=0", "scores=0,0"]


@pytest.mark.parametrize("preset", PRESETS)
def test_different_positions_have_different_lines(preset):
    """Along a game no two positions are the same, and neither are their lines."""
    engine = Engine(preset, num_players=3, seed=5, episode="match")
    lines = [position_text(engine.snapshot(), engine.rules) for _ in play(engine, np.random.default_rng(5), 300)]
    assert len(set(lines)) == len(lines)


DETAILS = {
    "a bluff before its colour": (RULES["official"], BLUFF, ["W+2"], "0:color was=R bluff=yes"),
    "a bluff to be answered": (RULES["official"], BLUFF, ["W+2", "→G"], "1:respond at=0 owes=2 was=R bluff=yes"),
    "no bluff": (RULES["official"], ["W+2, B1, B2", "R3, G4"], ["W+2", "→G"], "1:respond at=0 owes=2 was=R bluff=no"),
    "a stack": (
        RULES["icebreaker"],
        ["W+2, B1, B2", "W+2, B3, B4", "W+2, B5, B6"],
        ["W+2", "→B", "W+2", "→R"],
        "2:respond at=1 owes=4",
    ),
    "said": (RULES["official"], ["R1, R2", "B3, B4"], ["uno"], "0:play said=0"),
    "drawn": (RULES["official"], ["B1, B2", "B3, B4"], ["draw"], "0:drawn drawn=R1"),
    "a second copy drawn": (RULES["official"], ["R2, B2", "B3, B4"], ["draw"], "0:drawn drawn=R1"),
    "cuts": (RULES["stacking"], ["R5, R5, B2", "R3, B4", "R4, B3"], ["R5", "decline"], "2:cut at=0"),
    "a card that cuts in": (
        RULES["stacking"],
        ["R5, R5", "R3, B4", "R4, B3"],
        ["R5", "R3"],
        "2:uno at=0 ask=0,1 silent=0 cut=1:R3",
    ),
    "a pair of wilds": (RULES["berserker"], ["W, W, B2, B3", "B5, B6"], ["W", "W"], "0:color pair=2"),
    "a receiver": (Rules(skip_role="give"), ["Rs, R1, R2", "B5, B6"], ["Rs", "seat +1"], "0:give_card to=1"),
    "out and not yet over": (RULES["stacking"], ["R+1", "G+1, B6", "B5, B6"], ["R+1"], "1:respond out=0 at=0 owes=1"),
}
"""Rules, hands, moves, and what the line then says of the decision and what matters in it."""


@pytest.mark.parametrize("name", DETAILS)
def test_a_line_says_what_matters(name):
    rules, hands, moves, expected = DETAILS[name]
    table = position(rules, [", ".join(NAMES[text] for text in hand.split(", ")) for hand in hands], top="red 9")
    for move in moves:
        table.engine.step([parse_action(move, LIGHT)])
    words = position_text(table.engine.snapshot(), rules).split()
    assert " ".join([words[6], *words[13:]]) == expected


def test_a_line_says_what_is_voted_on():
    rules = RULES["icebreaker"]
    table = position(rules, ["red 1", "red 2, red 3", "red 4, red 5"], top="red 9", said_uno=[0], episode="match")
    for move, expected in [
        ("R1", "0:propose"),
        ("propose hand=5", "1:vote proposal=hand=5"),
        ("refuse", "2:vote proposal=hand=5 refused=yes"),
    ]:
        table.engine.step([parse_action(move, LIGHT)])
        words = position_text(table.engine.snapshot(), rules).split()
        assert " ".join([words[6], *words[13:]]) == expected
        assert words[7] == "round=1"


def test_a_line_says_which_rules_a_vote_has_changed():
    rules = RULES["icebreaker"]
    table = position(rules, ["red 1", "red 2, red 3"], top="red 9", said_uno=[0], episode="match")
    for move in ("R1", "propose stack=none", "agree"):
        table.engine.step([parse_action(move, LIGHT)])
    words = position_text(table.engine.snapshot(), rules).split()
    assert (words[7], words[13:]) == ("round=2", ["rules=stack=none"])


@pytest.mark.parametrize(("side", "hand"), [("light", "Y2/P1,W/W"), ("dark", "P1/Y2,W/W")])
def test_hands_show_fronts_and_backs(side, hand):
    cards = {"light": "wild / wild, yellow 2 / pink 1", "dark": "wild / wild, pink 1 / yellow 2"}[side]
    table = position(Rules(), [cards, "wild, wild"], top="wild", color={"light": "red", "dark": "pink"}[side], side=side)
    assert position_text(table.engine.snapshot(), Rules()).split()[5].split("|")[0] == hand


def test_classic_cards_have_no_backs():
    table = position(RULES["classic"], ["red 0, wild_draw_four", "blue draw_two"], top="red 9")
    line = position_text(table.engine.snapshot(), table.engine.rules)
    assert line.startswith("classic + R9 R 104/1 R0,W+4|B+2 0:play ")
