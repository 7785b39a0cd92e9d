from collections.abc import Sequence

import numpy as np
import pytest

from agents.baselines import Baseline
from agents.reading import FRONTS, chance_to_play, read
from tests.agents.observing import LAYOUT, face, mask, observe, slot
from unoflip_env.actions import ACCEPT, CATCH, CHALLENGE, COLOR, DECLINE, DRAW_CARD, SAY_UNO, SEAT
from unoflip_env.deck import DARK, FACE_COLOR, FACE_SYMBOL, LIGHT
from unoflip_env.game import Phase
from unoflip_env.observation import LAYOUT_RECORD

RED, YELLOW, GREEN, BLUE = range(4)
COLORS = range(COLOR, COLOR + 4)


def act(observation: np.ndarray, *legal: int) -> int:
    return int(Baseline("sharp", LAYOUT).act(observation[None], mask(*legal)[None], np.zeros(1))[0])


def play(observation: np.ndarray, *cards: str, side: int = LIGHT) -> int:
    return act(observation, *(slot(name, side) for name in cards), DRAW_CARD)


def answer(known: Sequence[str], size: int, side: int = LIGHT) -> int:
    """What it says to a wild draw by the next seat, which was to play on colour 0 and has `size` cards left."""
    top = "wild_draw_two" if side == LIGHT else "wild_draw_color"
    observation = observe(
        ["blue 3"] if side == LIGHT else ["pink 3"],
        (size,),
        side=side,
        top=top,
        color=1,
        known=[known],
        phase=Phase.RESPOND,
        turn_seat=1,
        challenged_color=0,
    )
    return act(observation, ACCEPT, CHALLENGE)


def test_speaks_up() -> None:
    observation = observe(["red 3", "red 4"])
    assert act(observation, slot("red 3"), slot("red 4"), DRAW_CARD, SAY_UNO) == SAY_UNO
    assert act(observation, CATCH, DECLINE) == CATCH


def test_goes_out() -> None:
    assert play(observe(["wild"]), "wild") == slot("wild")


def test_draws_when_there_is_nothing_to_play() -> None:
    assert act(observe(["blue 3"]), DRAW_CARD) == DRAW_CARD


def test_makes_a_seat_with_one_card_draw() -> None:
    assert play(observe(["red 9", "red draw_one", "blue 2"], (1,)), "red 9", "red draw_one") == slot("red draw_one")


def test_plays_twice_to_go_out() -> None:
    """With two players a Skip gives another turn: the Skip first, then the card that goes onto it."""
    assert play(observe(["red skip", "red 9"], (5,)), "red skip", "red 9") == slot("red skip")


def test_keeps_its_wilds() -> None:
    assert play(observe(["red 9", "wild", "blue 2", "green 3"]), "red 9", "wild") == slot("red 9")


def test_plays_what_the_next_hand_cannot_follow() -> None:
    hand, fronts = ["red 9", "blue 5", "green 1"], ["red 1", "red 2"]
    assert play(observe(hand, (2,), known=[fronts]), "red 9", "blue 5") == slot("blue 5")
    assert play(observe(hand, (2,), known=[["blue 1", "blue 2"]]), "red 9", "blue 5") == slot("red 9")


def test_flips_when_that_leaves_the_next_hand_stuck() -> None:
    """After the Flip the top card is a purple 3, and the next hand's visible backs are what it has to answer with."""
    hand, backs = ["red 9", "red flip", "blue 2"], ["purple 1", "pink 1", "purple 2"]

    def choice(others: list[str]) -> int:
        observation = observe(hand, (2,), backs=backs, other_backs=[others], flip_face="purple 3")
        return play(observation, "red 9", "red flip")

    assert choice(["orange 1", "pink 2"]) == slot("red flip")
    assert choice(["wild", "wild_draw_color"]) == slot("red 9")


def test_names_its_own_color() -> None:
    observation = observe(["green 1", "green 2", "red 4"], top="wild", color=RED, phase=Phase.COLOR)
    assert act(observation, *COLORS) == COLOR + GREEN


def test_names_the_color_that_the_next_hand_lacks() -> None:
    known = [["green 5", "green 6"]]
    observation = observe(["green 1", "red 4"], (2,), top="wild", color=BLUE, known=known, phase=Phase.COLOR)
    assert act(observation, *COLORS) == COLOR + RED


@pytest.mark.parametrize(
    ("known", "size", "expected"),
    [
        (["red 3", "blue 1"], 2, CHALLENGE),  # it holds the colour for certain
        (["blue 1", "blue 2"], 2, ACCEPT),  # it certainly does not
        (["wild"], 1, ACCEPT),  # a wild has no colour
        ([], 0, ACCEPT),  # an empty hand cannot be guilty
        ([], 1, ACCEPT),
        ([], 7, CHALLENGE),
    ],
)
def test_challenges_by_the_chance_of_guilt(known: list[str], size: int, expected: int) -> None:
    assert answer(known, size) == expected


def test_challenges_sooner_on_the_dark_side() -> None:
    """Until the colour comes costs more than two cards, so a smaller chance is enough."""
    assert answer([], 2, LIGHT) == ACCEPT
    assert answer([], 2, DARK) == CHALLENGE


def test_gives_a_card_that_is_worth_little_to_the_hand_that_is_nearest_to_going_out() -> None:
    hand = ["wild", "red 3"]
    observation = observe(hand, (5, 2, 4), phase=Phase.GIVE_SEAT)
    assert act(observation, SEAT, SEAT + 1, SEAT + 2) == SEAT + 1
    assert act(observe(hand, (5, 2, 4), phase=Phase.GIVE_CARD), *map(slot, hand)) == slot("red 3")


def test_chance_to_play_counts_what_is_hidden() -> None:
    """One unknown card among the 110 hidden: 25 reds, 5 other fives and 8 wilds may go onto a red 5."""
    observation = observe(["blue 5"], (1,), top="red 5")
    seen = read(observation, LAYOUT.as_bytes.view(LAYOUT_RECORD)[0])
    assert seen.num_hidden == 110
    red_5 = face("red 5")
    fitting = 25 + 5 + 8
    chance = chance_to_play(seen, FRONTS, 1, FACE_COLOR[red_5], FACE_SYMBOL[red_5])
    assert chance == pytest.approx(fitting / 110)


def test_a_hand_that_is_known_is_certain() -> None:
    for known, expected in ((["red 1"], 1.0), (["blue 1"], 0.0), (["wild"], 1.0)):
        seen = read(observe(["blue 5"], (1,), known=[known]), LAYOUT.as_bytes.view(LAYOUT_RECORD)[0])
        assert chance_to_play(seen, FRONTS, 1, RED, 4) == expected
