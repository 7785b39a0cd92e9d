"""END of a round by an empty hand."""

from __future__ import annotations

from tests.rulebook.position import position
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")
STACK = AUTO.replace(stack=("draw_one",))


def test_end_1_an_empty_hand_ends_the_round_and_wins_it() -> None:
    turn = position(AUTO, ["green 9", "red 1", "green 8"], top="red 5", turn=1)
    turn.do("red 1")
    assert (turn.actor, turn.phase, turn.termination, turn.winners) == (None, "over", "empty_hand", {1})


def test_end_1_whoever_emptied_its_hand_first_wins() -> None:
    hands = ["green 8", "red draw_one", "blue draw_one", "green draw_one, green 9", "green 7"]
    turn = position(STACK, hands, top="red 5", turn=1).do("red draw_one", "blue draw_one", "green draw_one")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {1}, [1, 0, 0, 1, 4])
    hands = ["blue draw_one", "green 9", "red draw_one"]
    turn = position(STACK, hands, top="red 5", turn=2).do("red draw_one", "blue draw_one")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {2}, [0, 3, 0])


def test_end_1_an_empty_hand_comes_before_the_turn_limit() -> None:
    rules = AUTO.replace(max_turns=1, timeout_winner="fewest_points")
    turn = position(rules, ["red 1", "green 1"], top="red 5").do("red 1")
    assert (turn.termination, turn.winners) == ("empty_hand", {0})


def test_end_1_skip_everyone_as_the_last_card_ends_the_round() -> None:
    turn = position(AUTO, ["pink skip_everyone", "pink 9"], top="pink 5", side="dark").do("pink skip_everyone")
    assert (turn.termination, turn.winners) == ("empty_hand", {0})


def test_end_2_a_last_card_makes_the_next_seat_draw_first_and_the_cards_count() -> None:
    turn = position(AUTO, ["red draw_one", "blue 9"], top="red 5", draws=["wild"]).do("red draw_one")
    assert (turn.termination, turn.hand_points) == ("empty_hand", [0, 9 + 40])
    draws = ["wild", "wild", "pink 1", "pink 2", "pink 3", "pink 4"]
    turn = position(AUTO, ["pink draw_five", "pink 9"], top="pink 5", draws=draws, side="dark").do("pink draw_five")
    assert (turn.termination, turn.hand_points) == ("empty_hand", [0, 9 + 40 + 40 + 1 + 2 + 3])


def test_end_2_a_challenge_is_played_out_first() -> None:
    turn = position(AUTO, ["wild_draw_two", "green 9", "green 8"], top="red 5")
    turn.do("wild_draw_two", "color blue")
    assert (turn.actor, turn.phase, turn.termination) == (1, "respond", "none")
    turn.do("challenge")  # an empty hand is never guilty
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {0}, [0, 5, 1])


def test_end_2_a_last_skip_makes_the_opponents_draw_first() -> None:
    turn = position(AUTO.replace(skip_role="all_draw"), ["red skip", "green 9", "green 8"], top="red 5").do("red skip")
    assert (turn.termination, turn.hand_sizes) == ("empty_hand", [0, 2, 2])


def test_end_3_play_goes_on_if_cards_come_back_to_whoever_had_gone_out() -> None:
    hands = ["red draw_one", "blue draw_one, green 9", "green draw_one, green 8"]
    turn = position(STACK, hands, top="red 5").do("red draw_one", "blue draw_one", "green draw_one")
    assert (turn.actor, turn.phase, turn.termination, turn.hand_sizes) == (1, "play", "none", [3, 1, 1])


def test_end_3_who_went_out_meanwhile_wins_if_cards_come_back_to_the_first() -> None:
    hands = ["red draw_one", "blue draw_one", "green draw_one, green 8"]
    turn = position(STACK, hands, top="red 5").do("red draw_one", "blue draw_one", "green draw_one")
    assert (turn.termination, turn.winners, turn.hand_sizes) == ("empty_hand", {1}, [3, 0, 1])
