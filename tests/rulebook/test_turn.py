"""TURN: playing, drawing, and rounds that nobody wins by an empty hand."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, faces_of, position
from unoflip_env.actions import CHALLENGE, COLOR, DECLINE, DRAW_CARD, KEEP
from unoflip_env.engine import IllegalActionError
from unoflip_env.rules import Rules

AUTO = Rules(uno="auto")
CLASSIC = AUTO.replace(deck="classic")


def test_turn_1_play_matches_colour_or_symbol_or_is_wild() -> None:
    turn = position(AUTO, ["red 1, blue 5, green 2, yellow skip, wild", "blue 9"], top="red 5")
    assert turn.legal == {"red 1", "blue 5", "wild", "draw"}


def test_turn_1_play_matches_the_symbol_of_an_action_card() -> None:
    turn = position(AUTO, ["blue skip, blue 3, blue reverse", "blue 9"], top="red skip")
    assert turn.legal == {"blue skip", "draw"}


def test_turn_1_only_the_named_colour_or_a_wild_follows_a_wild() -> None:
    turn = position(AUTO, ["red 1, blue 2, wild", "blue 9"], top="wild", color="blue")
    assert turn.legal == {"blue 2", "wild", "draw"}


def test_turn_1_one_card_is_played_and_the_turn_passes() -> None:
    turn = position(AUTO, ["red 7 / pink 2, red 7 / pink 3, red 8", "blue 9", "blue 8"], top="red 5")
    turn.do("red 7 / pink 3")
    assert (turn.hand(0), turn.discards, turn.actor) == (["red 7", "red 8"], ["red 7", "red 5"], 1)
    assert turn.color == "red"


def test_turn_2_draw_optional_though_it_could_play() -> None:
    turn = position(AUTO.replace(draw="optional"), ["red 1", "blue 9"], top="red 5")
    assert turn.legal == {"red 1", "draw"}


def test_turn_2_draw_stuck_only_if_it_cannot_play() -> None:
    rules = AUTO.replace(draw="stuck")
    assert position(rules, ["red 1, blue 2", "blue 9"], top="red 5").legal == {"red 1"}
    assert position(rules, ["blue 2", "blue 9"], top="red 5").legal == {"draw"}


def test_turn_3_draw_count_one_card() -> None:
    turn = position(AUTO, ["blue 3", "blue 9"], top="red 5", draws=["green 1", "red 1"])
    turn.do("draw")
    assert (turn.hand(0), turn.actor) == (["green 1", "blue 3"], 1)


UNTIL_PLAYABLE = AUTO.replace(draw_count="until_playable")


def test_turn_3_draw_count_until_playable_stops_at_the_first_that_could_be_played() -> None:
    turn = position(UNTIL_PLAYABLE, ["blue 3", "blue 9"], top="red 5", draws=["green 1", "green 2", "red 1", "red 2"])
    turn.do("draw")
    assert (turn.hand(0), turn.actor, turn.legal) == (["red 1", "green 1", "green 2", "blue 3"], 0, {"red 1", "keep"})


def test_turn_3_draw_count_until_playable_passes_over_a_bluff() -> None:
    turn = position(UNTIL_PLAYABLE, ["red 9", "blue 9"], top="red 5", draws=["wild_draw_two", "green 1", "red 2"])
    turn.do("draw")
    assert (turn.hand(0), turn.legal) == (["red 2", "red 9", "green 1", "wild_draw_two"], {"red 2", "keep"})


def test_turn_3_draw_count_until_playable_stops_when_nothing_is_left() -> None:
    turn = position(UNTIL_PLAYABLE, ["blue 3", "blue 9"], top="red 5", draws=["green 1", "green 2"], has_rest=False)
    turn.do("draw")
    assert (turn.hand_sizes, turn.actor) == ([3, 1], 1)


def test_turn_4_drawn_card_may_play_is_played_or_kept() -> None:
    rules = AUTO.replace(drawn_card="may_play")
    for action, size in (("red 2", 2), ("keep", 3)):
        turn = position(rules, ["red 1, blue 3", "blue 9"], top="red 5", draws=["red 2"])
        turn.do("draw")
        assert (turn.phase, turn.legal) == ("drawn", {"red 2", "keep"})
        assert turn.do(action).hand_sizes[0] == size
        assert turn.actor == 1


def test_turn_4_drawn_card_must_play() -> None:
    turn = position(AUTO.replace(drawn_card="must_play"), ["red 1, blue 3", "blue 9"], top="red 5", draws=["red 2"])
    assert turn.do("draw").legal == {"red 2"}


def test_turn_4_drawn_card_must_play_does_not_force_a_bluff() -> None:
    rules = AUTO.replace(drawn_card="must_play")
    turn = position(rules, ["red 1", "blue 9"], top="red 5", draws=["wild_draw_two"])
    assert turn.do("draw").legal == {"wild_draw_two", "keep"}
    turn = position(rules, ["blue 1", "blue 9"], top="red 5", draws=["wild_draw_two"])
    assert turn.do("draw").legal == {"wild_draw_two"}


def test_turn_4_the_copy_that_was_drawn_is_played() -> None:
    turn = position(AUTO, ["red 2 / pink 1, blue 3", "blue 9"], top="red 5", draws=["red 2 / pink 9"])
    turn.do("draw")
    turn.do("red 2 / pink 9")
    assert turn.observe(1)["seen_backs"].tolist().count(1 + 8) == 1  # pink 9 is face 8
    assert turn.hand_sizes == [2, 1]


def test_turn_1_play_matches_with_the_classic_deck() -> None:
    turn = position(CLASSIC, ["red 1, blue 0, green 2, yellow skip, wild, red draw_two", "blue 9"], top="red 0")
    assert turn.legal == {"red 1", "blue 0", "wild", "red draw_two", "draw"}


@pytest.mark.parametrize("double", ["identical", "same_symbol"])
def test_turn_4_the_drawn_card_is_not_doubled(double: Literal["identical", "same_symbol"]) -> None:
    for rules in (AUTO, AUTO.replace(accumulate=True, cut="anyone")):
        hands = ["blue 3, red 2 / pink 1", "red 9", "red 8"]
        turn = position(rules.replace(double=double), hands, top="red 5", draws=["red 2 / pink 2"])
        turn.do("draw", "red 2 / pink 2")
        assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [2, 1, 1])


def refuses(turn: Position, action: int) -> bool:
    """Whether an action is an error that leaves the game as it was."""
    before = turn.record.tobytes()
    with pytest.raises(IllegalActionError, match=rf"seat {turn.actor}.*{action}|{action}.*seat {turn.actor}"):
        turn.engine.step([action])
    return turn.record.tobytes() == before


def test_turn_5_illegal_raise_is_an_error_and_changes_nothing() -> None:
    turn = position(AUTO.replace(illegal="raise"), ["red 1, blue 3", "blue 9"], top="red 5")
    assert refuses(turn, turn.number("blue 3"))


def test_turn_5_illegal_penalty_takes_the_card_back_draws_two_and_loses_the_turn() -> None:
    rules = AUTO.replace(illegal="penalty")
    turn = position(rules, ["red 1, blue 3", "blue 9"], top="red 5", draws=["green 1", "green 2"])
    assert "blue 3" not in turn.legal
    turn.do("blue 3")
    assert (turn.hand(0), turn.discards, turn.actor) == (["red 1", "green 1", "green 2", "blue 3"], ["red 5"], 1)


def test_turn_5_illegal_penalty_leaves_the_card_known_to_all() -> None:
    rules = AUTO.replace(illegal="penalty")
    turn = position(rules, ["red 1, blue 3", "blue 9"], top="red 5", draws=["green 1", "green 2"])
    turn.do("blue 3")
    assert faces_of(turn.observe(1)["other_known"][0], "light") == {"blue 3": 1}


def test_turn_5_illegal_penalty_holds_for_another_card_after_drawing() -> None:
    rules = AUTO.replace(illegal="penalty")
    turn = position(rules, ["red 1, blue 3", "blue 9"], top="red 5", draws=["red 2", "green 1", "green 2"])
    turn.do("draw", "red 1")
    assert (turn.hand_sizes, turn.discards, turn.actor) == ([5, 1], ["red 5"], 1)


def test_turn_5_illegal_penalty_with_the_classic_deck() -> None:
    rules = CLASSIC.replace(illegal="penalty")
    turn = position(rules, ["red 1, blue 0", "blue 9"], top="red 5", draws=["green 1", "green 2"]).do("blue 0")
    assert (turn.hand(0), turn.discards, turn.actor) == (["red 1", "green 1", "green 2", "blue 0"], ["red 5"], 1)


def test_turn_5_illegal_penalty_holds_for_plays_on_ones_own_turn_alone() -> None:
    rules = AUTO.replace(illegal="penalty", double="identical", stack=("draw_one",))
    turn = position(rules, ["red 1, red 1, blue 3", "blue 9"], top="red 5").do("red 1")
    assert refuses(turn, turn.number("blue 3"))
    turn = position(rules, ["red draw_one, red 1", "blue draw_one, blue 9"], top="red 5").do("red draw_one")
    assert refuses(turn, turn.number("blue 9"))


@pytest.mark.parametrize("illegal", ["raise", "penalty"])
def test_turn_5_any_other_illegal_action_is_an_error(illegal: Literal["raise", "penalty"]) -> None:
    turn = position(AUTO.replace(illegal=illegal), ["red 1, blue 3", "blue 9"], top="red 5")
    for action in (turn.number("green 4"), COLOR, KEEP, CHALLENGE, DECLINE, 999, -1):
        assert refuses(turn, action)
    turn = position(AUTO.replace(illegal=illegal, draw="stuck"), ["red 1", "blue 9"], top="red 5")
    assert refuses(turn, DRAW_CARD)


@pytest.mark.parametrize(("side", "cards"), [("light", ("red", "blue", "green")), ("dark", ("pink", "orange", "purple"))])
def test_turn_6_reshuffle_keeps_the_top_card(side: Literal["light", "dark"], cards: tuple[str, str, str]) -> None:
    one, other, third = cards
    turn = position(
        AUTO,
        [f"{other} 3", f"{other} 9"],
        top=f"{one} 5",
        under=[f"{third} 1", f"{third} 2", f"{other} 4"],
        has_rest=False,
        side=side,
    )
    turn.do("draw")
    assert turn.discards == [f"{one} 5"]
    (drawn,) = set(turn.hand(0)) - {f"{other} 3"}
    assert {drawn, *turn.draw_pile} == {f"{third} 1", f"{third} 2", f"{other} 4"}
    assert len(turn.draw_pile) == 2


def test_turn_6_reshuffle_draws_what_there_is() -> None:
    rules = AUTO
    turn = position(rules, ["red draw_one, blue 1", "blue 9"], top="red 5", has_rest=False)
    turn.do("red draw_one")
    assert (turn.hand_sizes, turn.draw_pile, turn.discards) == ([1, 2], [], ["red draw_one"])
    turn = position(
        rules, ["pink draw_five, pink 1", "pink 9"], top="pink 5", draws=["pink 2", "pink 3"], has_rest=False, side="dark"
    )
    turn.do("pink draw_five")
    assert (turn.hand_sizes, turn.draw_pile, turn.discards) == ([1, 4], [], ["pink draw_five"])


def test_turn_6_reshuffle_with_the_classic_deck() -> None:
    turn = position(CLASSIC, ["blue 3", "blue 9"], top="red 0", under=["green 1", "wild"], has_rest=False).do("draw")
    assert (turn.discards, len(turn.draw_pile)) == (["red 0"], 1)
    assert {*turn.hand(0), *turn.draw_pile} == {"blue 3", "green 1", "wild"}


BLOCKED_HANDS = ["blue 1, blue 2", "red 9, blue 3", "blue 4"]


def test_turn_7_blocked_round_ends_after_a_circle_and_the_fewest_points_win() -> None:
    turn = position(AUTO, BLOCKED_HANDS, top="red 5", has_rest=False)
    turn.do("draw", "draw")
    assert turn.termination == "none"
    turn.do("draw")
    assert (turn.actor, turn.termination, turn.winners) == (None, "blocked", {0})
    assert turn.hand_points == [3, 12, 4]
    assert turn.scores == [16, 0, 0]


def test_turn_7_blocked_counts_anew_once_a_card_is_drawn() -> None:
    turn = position(AUTO, BLOCKED_HANDS, top="red 5", draws=["green 1"], has_rest=False)
    turn.do("draw", "draw", "draw")
    assert turn.termination == "none"
    turn.do("draw")
    assert turn.termination == "blocked"


def test_turn_7_a_circle_of_gifts_is_not_blocked_while_something_is_left_to_draw() -> None:
    rules = AUTO.replace(teams=2, teammate_gift=True)
    hands = ["blue 1, blue 2", "green 1, green 2", "blue 3, blue 4", "green 3, green 4"]
    turn = position(rules, hands, top="red 5")
    turn.do("draw", "blue 3", "draw", "green 3", "draw", "blue 1", "draw", "green 1")
    assert (turn.termination, turn.actor, turn.hand_sizes) == ("none", 0, [2, 2, 2, 2])


def test_turn_8_max_turns_0_is_no_limit() -> None:
    turn = position(AUTO.replace(max_turns=0), ["red 1, blue 1", "blue 9"], top="red 5", num_turns=3000)
    turn.do("red 1")
    assert (turn.actor, turn.record.num_turns) == (1, 3001)


def test_turn_8_max_turns_ends_the_round_before_the_next_turn_begins() -> None:
    turn = position(AUTO.replace(max_turns=4), ["red 1, blue 1", "blue 9, blue 8"], top="red 5", draws=["green 2"], num_turns=3)
    turn.do("red 1")
    assert turn.termination == "none"
    turn.do("draw")
    assert (turn.actor, turn.termination, turn.record.num_turns) == (None, "timeout", 4)


def test_turn_8_max_turns_counts_one_for_each_go_whatever_its_decisions() -> None:
    turn = position(
        AUTO.replace(max_turns=3), ["pink skip_everyone, wild, pink 1", "pink 9"], top="pink 5", side="dark", num_turns=1
    )
    turn.do("pink skip_everyone", "wild", "color pink")
    assert (turn.actor, turn.record.num_turns) == (1, 3)


def timeout(timeout_winner: Literal["fewest_cards", "fewest_points"]) -> Position:
    rules = AUTO.replace(max_turns=1, timeout_winner=timeout_winner)
    return position(rules, ["red 1, blue 2, blue 3, red 3", "blue skip, blue 7"], top="red 5").do("red 3")


def test_turn_8_timeout_winner_fewest_cards() -> None:
    turn = timeout("fewest_cards")
    assert (turn.termination, turn.winners) == ("timeout", {1})


def test_turn_8_timeout_winner_fewest_points() -> None:
    turn = timeout("fewest_points")
    assert (turn.termination, turn.winners) == ("timeout", {0})


def test_turn_9_ties_share_the_points_of_the_other_hands_rounded_down() -> None:
    turn = position(AUTO, ["blue 1, blue 2", "blue 3", "blue 7, blue 8"], top="red 5", has_rest=False)
    turn.do("draw", "draw", "draw")
    assert (turn.termination, turn.winners, turn.scores) == ("blocked", {0, 1}, [7, 7, 0])


def test_turn_9_ties_of_a_timeout_share_the_win() -> None:
    rules = AUTO.replace(max_turns=1, scoring="own_hand")
    turn = position(rules, ["red 1, blue 2", "blue 3", "blue 7, blue 8"], top="red 5")
    turn.do("red 1")
    assert (turn.termination, turn.winners, turn.scores) == ("timeout", {0, 1}, [2, 3, 15])
