"""INFO: who knows what."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from tests.rulebook.position import Position, faces_of, position
from unoflip_env.deck import DARK, LIGHT, face_name
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.observation import observation_layout
from unoflip_env.rules import PRESETS, STACK_KINDS, Rules

AUTO = Rules(uno="auto")
HANDS = ["red 1 / pink 2, blue 3 / wild", "green 9 / purple 8, yellow flip / pink 7", "green 6 / pink 6"]
BACK_FIELDS = ("own_backs", "other_backs", "seen_backs", "flip_face", "draw_back")


def table(rules: Rules = AUTO) -> Position:
    draws, under = ["yellow 2 / orange 3", "yellow 3 / orange 4"], ["red 4 / turquoise 1", "red 3 / turquoise 2"]
    return position(rules, HANDS, top="red 5 / pink 5", under=under, draws=draws)


def own_cards(seen: dict[str, np.ndarray], side: int) -> dict[str, str | None]:
    """One's own hand, card by card: the front and the back (None where it is not seen)."""
    cards = {}
    for slot in np.flatnonzero(seen["own_hand"]):
        back = int(seen["own_backs"][slot])
        cards[slot_name(side, int(slot))] = face_name(1 - side, back - 1) if back else None
    return cards


def slot_name(side: int, slot: int) -> str:
    return face_name(side, slot // 2 if slot < 104 else 52 + (slot - 104) // 4)


def test_info_1_own_backs_true_shows_both_sides_of_your_cards() -> None:
    cards = own_cards(table(AUTO.replace(own_backs=True)).observe(0), LIGHT)
    assert cards == {"red 1": "pink 2", "blue 3": "wild"}


def test_info_1_own_backs_false_shows_the_side_in_play_alone() -> None:
    cards = own_cards(table(AUTO.replace(own_backs=False)).observe(0), LIGHT)
    assert cards == {"red 1": None, "blue 3": None}


def test_info_2_backs_and_sizes_of_the_other_hands_and_the_back_of_the_draw_pile() -> None:
    seen = table().observe(0)
    assert [faces_of(backs, "dark") for backs in seen["other_backs"]] == [{"purple 8": 1, "pink 7": 1}, {"pink 6": 1}]
    assert not seen["other_known"].any()
    assert seen["hand_sizes"].tolist() == [2, 2, 1]
    assert face_name(DARK, int(seen["draw_back"][0]) - 1) == "orange 3"


def test_info_2_seats_are_seen_from_ones_own() -> None:
    seen = table().observe(1)
    assert [faces_of(backs, "dark") for backs in seen["other_backs"]] == [{"pink 6": 1}, {"pink 2": 1, "wild": 1}]
    assert seen["hand_sizes"].tolist() == [2, 1, 2]


def seen_cards(seen: dict[str, np.ndarray], side: int) -> dict[str, str]:
    """The cards that lay face up: the front and the back."""
    backs = seen["seen_backs"]
    return {slot_name(side, int(slot)): face_name(1 - side, int(backs[slot]) - 1) for slot in np.flatnonzero(backs)}


DISCARDED = {"red 5": "pink 5", "red 4": "turquoise 1", "red 3": "turquoise 2"}


def test_info_3_every_card_discarded_is_remembered_with_both_its_faces() -> None:
    turn = table()
    assert seen_cards(turn.observe(2), LIGHT) == DISCARDED
    turn.do("red 1")
    for seat in range(3):
        assert seen_cards(turn.observe(seat), LIGHT) == DISCARDED | {"red 1": "pink 2"}
        assert faces_of(turn.observe(seat)["discards"], "light") == dict.fromkeys(["red 1", "red 5", "red 4", "red 3"], 1)


def test_info_3_cards_discarded_before_a_reshuffle_are_remembered() -> None:
    turn = position(AUTO, ["green 1", "blue 9, blue 8"], top="red 5", under=["red 4", "red 3"], has_rest=False)
    before = seen_cards(turn.observe(1), LIGHT)
    turn.do("draw")
    assert (turn.record.num_reshuffles, set(before)) == (1, {"red 5", "red 4", "red 3"})
    assert seen_cards(turn.observe(1), LIGHT) == before
    assert faces_of(turn.observe(1)["discards"], "light") == {"red 5": 1}


def test_info_3_the_face_that_a_flip_would_bring_up_is_remembered() -> None:
    turn = table()
    assert face_name(DARK, int(turn.observe(1)["flip_face"][0]) - 1) == "turquoise 2"
    turn = position(AUTO, ["red flip, blue 1", "blue 9"], top="red 5 / pink 5", under=["red 3 / turquoise 2"])
    assert turn.do("red flip").discards[0] == "turquoise 2"


def test_info_3_a_flip_makes_the_backs_that_were_seen_known_fronts() -> None:
    turn = position(AUTO, ["red flip, blue 1 / pink 9", "green 9 / purple 8", "green 6"], top="red 5 / pink 1")
    turn.do("red flip")
    assert faces_of(turn.observe(0)["other_known"][0], "dark") == {"purple 8": 1}
    assert faces_of(turn.observe(1)["other_known"][1], "dark") == {"pink 9": 1}
    assert faces_of(turn.observe(0)["other_backs"][0], "light") == {"green 9": 1}


def test_info_3_a_known_card_is_no_longer_known_once_it_is_played() -> None:
    turn = position(AUTO, ["red flip, blue 1", "green 9 / pink 8, green 8 / pink 9"], top="red 5 / pink 1")
    turn.do("red flip", "pink 8")
    assert faces_of(turn.observe(0)["other_known"][0], "dark") == {"pink 9": 1}


def test_info_3_a_card_drawn_is_not_known() -> None:
    turn = position(AUTO, ["red flip, blue 1", "green 9 / pink 8"], top="red 5 / purple 1", draws=["red 2"])
    turn.do("red flip")
    known = faces_of(turn.observe(0)["other_known"][0], "dark")
    turn.do("draw")
    assert turn.hand_sizes[1] == 2
    assert faces_of(turn.observe(0)["other_known"][0], "dark") == known == {"pink 8": 1}


def test_info_3_what_a_challenge_showed_is_remembered_on_the_other_side_too() -> None:
    rules = AUTO.replace(information="table")
    turn = position(rules, ["wild_draw_two, red 1 / pink 2", "blue flip, blue 8", "green 6"], top="red 5 / orange 1")
    turn.do("wild_draw_two", "color blue", "challenge")
    assert faces_of(turn.observe(1)["other_known"][1], "light") == {"red 1": 1}
    turn.do("blue flip")
    assert faces_of(turn.observe(1)["other_known"][1], "dark")["pink 2"] == 1


def test_info_3_a_gift_is_known_to_the_giver_and_confuses_the_others() -> None:
    hands = ["wild_draw_two, red 1, red skip", "blue 8, red 8", "green 6"]
    draws = ["yellow 1", "yellow 2", "yellow 3"]
    turn = position(AUTO.replace(skip_role="give"), hands, top="red 5", draws=draws)
    turn.do("wild_draw_two", "color red", "challenge")  # seat 1 sees seat 0's hand, which then draws two
    turn.do("red 8", "draw")
    assert turn.actor == 0
    assert faces_of(turn.observe(1)["other_known"][1], "light") == {"red 1": 1, "red skip": 1}
    turn.do("red skip", "seat +2", "red 1")
    assert faces_of(turn.observe(0)["other_known"][1], "light") == {"red 1": 1}
    assert not turn.observe(1)["other_known"].any()


def test_info_4_information_table_shows_backs() -> None:
    seen = table(AUTO.replace(information="table")).observe(0)
    assert all(seen[field].any() for field in BACK_FIELDS)
    assert not seen["other_known"].any()


def test_info_4_information_fronts_shows_no_backs_at_all() -> None:
    seen = table(AUTO.replace(information="fronts")).observe(0)
    assert not any(seen[field].any() for field in BACK_FIELDS)
    assert own_cards(seen, LIGHT) == {"red 1": None, "blue 3": None}
    assert faces_of(seen["discards"], "light") == {"red 5": 1, "red 4": 1, "red 3": 1}


def test_info_4_information_fronts_forgets_fronts_at_a_flip() -> None:
    rules = AUTO.replace(information="fronts")
    turn = position(rules, ["wild_draw_two, red 1", "blue flip, blue 8", "green 6"], top="red 5")
    turn.do("wild_draw_two", "color blue", "challenge")
    assert faces_of(turn.observe(1)["other_known"][1], "light") == {"red 1": 1}
    turn.do("blue flip")
    assert not turn.observe(1)["other_known"].any()


def test_info_4_information_open_shows_everything() -> None:
    turn = table(AUTO.replace(information="open"))
    seen = turn.observe(0)
    assert [faces_of(known, "light") for known in seen["other_known"]] == [{"green 9": 1, "yellow flip": 1}, {"green 6": 1}]
    assert [face_name(LIGHT, int(face) - 1) for face in seen["draw_pile"] if face] == turn.draw_pile
    assert all(seen[field].any() for field in BACK_FIELDS)


CLASSIC = AUTO.replace(deck="classic")


@pytest.mark.parametrize("information", ["table", "fronts"])
def test_info_2_the_classic_deck_has_no_backs_to_see(information: Literal["table", "fronts"]) -> None:
    turn = position(CLASSIC.replace(information=information), ["red 1, blue 0", "green 9, wild", "green 6"], top="red 5")
    seen = turn.observe(0)
    assert not any(seen[field].any() for field in BACK_FIELDS)
    assert (seen["side"].tolist(), seen["hand_sizes"].tolist()) == ([2], [2, 2, 1])
    assert not seen["other_known"].any()


def test_info_3_what_a_challenge_showed_is_remembered_with_the_classic_deck() -> None:
    turn = position(CLASSIC, ["wild_draw_four, red 1, blue 0", "blue 8, blue 7", "green 6"], top="red 5")
    turn.do("wild_draw_four", "color blue", "challenge")
    assert faces_of(turn.observe(1)["other_known"][1], "classic") == {"red 1": 1, "blue 0": 1}
    assert not turn.observe(2)["other_known"].any()


def test_info_3_hands_that_are_swapped_stay_known_to_who_knew_them() -> None:
    hands = ["wild_draw_four, red 1, red 0", "red 8, yellow 8", "green 6"]
    draws = ["yellow 1", "yellow 2", "yellow 3", "yellow 4", "yellow 6"]
    turn = position(CLASSIC.replace(zero_role="swap"), hands, top="red 5", draws=draws)
    turn.do("wild_draw_four", "color red", "challenge", "red 8", "draw")
    assert (turn.actor, turn.hand_sizes) == (0, [6, 1, 2])
    given = dict.fromkeys(turn.hand(0), 1)
    del given["red 0"]
    turn.do("red 0", "seat +2")
    assert faces_of(turn.observe(0)["other_known"][1], "classic") == given
    assert faces_of(turn.observe(2)["other_known"][0], "classic") == {"green 6": 1, "yellow 6": 1}
    assert [faces_of(known, "classic") for known in turn.observe(1)["other_known"]] == [{"red 1": 1}, {}]


def test_info_3_cards_that_are_dumped_are_remembered() -> None:
    turn = position(CLASSIC.replace(zero_role="dump"), ["red 0, blue 3, blue skip, red 1", "green 9"], top="red 5")
    turn.do("red 0", "color blue")
    expected = dict.fromkeys(["red 0", "red 5", "blue 3", "blue skip"], 1)
    assert faces_of(turn.observe(1)["discards"], "classic") == expected


def test_info_3_a_card_that_cuts_in_is_seen_by_all_before_it_lands() -> None:
    rules = Rules(uno="declare", double="identical", cut="anyone")
    hands = ["red 7, red 7", "blue 9, blue 8", "red 3 / pink 1, green 9, green 8"]
    turn = position(rules, hands, top="red 5").do("red 7", "red 3")
    assert turn.phase == "uno"
    for seat, place in ((0, 1), (1, 0)):
        seen = turn.observe(seat)
        assert faces_of(seen["other_known"][place], "light") == {"red 3": 1}
        assert face_name(LIGHT, int(seen["cut_face"][0]) - 1) == "red 3"


def observations(engine: Engine, seat: int) -> np.ndarray:
    layout = observation_layout(engine.num_seats, engine.rules.information)
    return engine.observe(layout, np.full(engine.num_games, seat))


def redeal_and_compare(engine: Engine, other: Engine, seat: int, rng: np.random.Generator) -> int:
    """Re-deal every game for a seat, to which nothing may look different; returns in how many the draw pile has changed."""
    for game in range(engine.num_games):
        other.restore(game, engine.determinize(game, seat, seed=int(rng.integers(2**63))))
    np.testing.assert_array_equal(observations(engine, seat), observations(other, seat))
    decides = engine.actor == seat
    np.testing.assert_array_equal(engine.legal_mask()[decides], other.legal_mask()[decides])
    return int((engine.games.draw_pile != other.games.draw_pile).any(1).sum())


@pytest.mark.parametrize("pairing", ["shuffled", "printed"])
@pytest.mark.parametrize(
    ("information", "own_backs"),
    [("table", True), ("table", False), ("fronts", True), ("fronts", False), ("open", True)],
)
def test_info_5_nothing_else_leaks(
    information: Literal["table", "fronts", "open"], own_backs: bool, pairing: Literal["shuffled", "printed"]
) -> None:
    rules = Rules(information=information, own_backs=own_backs, pairing=pairing, skip_role="give")
    engine, other = (Engine(rules, 20, seed=5, num_players=3) for _ in range(2))
    rng = np.random.default_rng(5)
    for _ in range(60):
        engine.step([rng.choice(np.flatnonzero(row)) if row.any() else 0 for row in engine.legal_mask()])
    num_changed = 0
    for seat in range(3):
        num_changed += redeal_and_compare(engine, other, seat, rng)
    assert num_changed == 0 if information == "open" else num_changed > 40


CLASSIC_ALL = Rules(deck="classic", double="same_symbol", cut="anyone", accumulate=True, stack=STACK_KINDS["classic"])
EVERYTHING = {
    "swap": (CLASSIC_ALL.replace(zero_role="swap"), 3, "round", {"swap", "respond", "second", "cut", "uno"}),
    "dump": (CLASSIC_ALL.replace(zero_role="dump"), 3, "round", {"dump"}),
    "penalty": (PRESETS["classic"].replace(wild_draw="strict"), 3, "round", {"drawn"}),
    "stacking": (PRESETS["stacking"], 3, "round", {"respond", "color"}),
    "berserker": (PRESETS["berserker"].replace(information="fronts"), 3, "round", {"second", "cut"}),
    "votes": (PRESETS["icebreaker"].replace(hand=2), 3, "match", {"propose", "vote"}),
    "teams": (Rules(teams=2, teammate_gift=True, skip_role="give", hand=3), 4, "round", {"gift", "give_card"}),
}


@pytest.mark.parametrize(("rules", "num_players", "episode", "phases"), EVERYTHING.values(), ids=EVERYTHING)
def test_info_5_nothing_leaks_in_any_decision(rules: Rules, num_players: int, episode, phases: set[str]) -> None:
    engine, other = (Engine(rules, 20, 7, num_players=num_players, episode=episode, auto_reset=True) for _ in range(2))
    rng = np.random.default_rng(7)
    seen, num_changed = set(), 0
    for _ in range(80):
        seen |= {Phase(phase).name.lower() for phase in engine.phase}
        for seat in range(num_players):
            num_changed += redeal_and_compare(engine, other, seat, rng)
        engine.step([rng.choice(np.flatnonzero(row)) for row in engine.legal_mask()])
    assert phases <= seen
    assert num_changed > 1000


def test_info_5_cards_that_a_seat_does_not_know_are_dealt_anew() -> None:
    turn = table()
    fronts = set()
    for seed in range(30):
        other = Engine(AUTO, num_players=3)
        other.restore(0, turn.engine.determinize(0, 0, seed))
        dealt = Position(other)
        assert dealt.hand(0) == turn.hand(0)
        assert dealt.discards == turn.discards
        fronts.add((*dealt.hand(1), *dealt.hand(2)))
    assert len(fronts) > 20


def test_info_5_a_redeal_keeps_the_card_that_has_cut_in() -> None:
    rules = Rules(double="identical", cut="anyone")
    hands = ["red 7, red 7", "red 3 / pink 1, red 3 / pink 2, blue 4", "blue 9, green 9, green 8"]
    turn = position(rules, hands, top="red 5", seed=2).do("red 7", "red 3 / pink 2")
    assert (turn.phase, turn.record.cutter) == ("uno", 1)
    for seed in range(40):
        other = position(rules, hands, top="red 5")
        other.engine.restore(0, turn.engine.determinize(0, 2, seed))
        assert other.observe(2)["cut_face"] == turn.observe(2)["cut_face"]
        while other.phase == "uno":
            other.do("decline")
        assert other.discards[0] == "red 3"
        assert other.hand_sizes[1] == 2


def test_info_5_who_could_cut_in_does_not_show() -> None:
    rules = Rules(uno="auto", double="identical", cut="anyone")
    for seed in range(20):
        turns = [
            position(rules, ["red 7, red 7, green 1", "red 3, blue 4", f"{color} 9, green 8"], top="red 5", seed=seed).do(
                "red 7"
            )
            for color in ("red", "blue")
        ]
        if {turn.actor for turn in turns} == {1}:
            assert turns[0].record.to_ask == turns[1].record.to_ask
            return
    raise AssertionError("seat 1 was never asked first")


def test_info_5_a_card_drawn_that_a_redeal_makes_unplayable_is_kept() -> None:
    turn = position(Rules(drawn_card="must_play"), ["blue 1, blue 2", "green 9"], top="red 5", draws=["red 1"]).do("draw")
    assert turn.phase == "drawn"
    for seed in range(30):
        other = position(Rules(drawn_card="must_play"), ["blue 1, blue 2", "green 9"], top="red 5")
        other.engine.restore(0, turn.engine.determinize(0, 1, seed))
        for words in other.legal - {"keep", "uno"}:
            color, _, symbol = words.partition(" ")
            assert color in ("red", "wild", "wild_draw_two") or symbol == "5"
        assert other.legal
