"""TEAM: seats that play together. Four seats in two teams, 0 and 2 against 1 and 3, unless a test says otherwise."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, position
from unoflip_env.engine import Engine
from unoflip_env.rules import Rules, RulesError

AUTO = Rules(uno="auto")
TEAMS = AUTO.replace(teams=2)
HANDS = ["red 1", "blue 2", "blue 4", "blue 8"]


def test_team_1_teams_0_lets_every_seat_play_for_itself() -> None:
    turn = position(AUTO.replace(teams=0), HANDS, top="red 5").do("red 1")
    assert (turn.winners, turn.scores) == ({0}, [2 + 4 + 8, 0, 0, 0])


def test_team_1_teams_divides_the_seats_by_turns_and_a_win_is_the_whole_teams() -> None:
    turn = position(TEAMS, HANDS, top="red 5").do("red 1")
    assert (turn.termination, turn.winners) == ("empty_hand", {0, 2})
    turn = position(AUTO.replace(teams=3), [*HANDS, "blue 9", "blue 7"], top="red 5").do("red 1")
    assert turn.winners == {0, 3}


def test_team_1_teams_divides_the_points_winner_takes_the_hands_of_the_other_teams() -> None:
    turn = position(TEAMS, HANDS, top="red 5").do("red 1")
    assert (turn.scores, turn.hand_points) == ([2 + 8, 0, 2 + 8, 0], [0, 2, 4, 8])


def test_team_1_teams_divides_the_points_own_hand_adds_up_each_teams_own() -> None:
    turn = position(TEAMS.replace(scoring="own_hand"), HANDS, top="red 5", scores=[100, 20, 100, 20], episode="match")
    assert turn.do("red 1").scores == [104, 30, 104, 30]


def test_team_1_teams_divides_the_players_or_is_refused() -> None:
    for num_players in (2, 4, 6, 10):
        assert Engine(TEAMS, num_players=num_players).num_seats == num_players
    for teams, num_players in ((2, 3), (3, 4), (4, 6), (5, 4)):
        with pytest.raises(RulesError, match=rf"teams={teams} with num_players={num_players}.*divides"):
            Engine(AUTO.replace(teams=teams), num_players=num_players)


def test_team_1_a_match_is_won_by_the_whole_team() -> None:
    turn = position(TEAMS, HANDS, top="red 5", scores=[490, 499, 490, 499], episode="match").do("red 1")
    assert (turn.actor, turn.scores, turn.winners) == (None, [500, 499, 500, 499], {0, 2})


def test_team_1_a_match_of_own_hands_is_won_by_the_team_with_the_lowest_total() -> None:
    rules = TEAMS.replace(scoring="own_hand")
    turn = position(rules, HANDS, top="red 5", scores=[490, 489, 490, 489], episode="match")
    turn.do("red 1")
    assert (turn.actor is None, turn.scores) == (False, [494, 499, 494, 499])
    turn = position(rules, HANDS, top="red 5", scores=[490, 490, 490, 490], episode="match").do("red 1")
    assert (turn.actor, turn.scores, turn.winners) == (None, [494, 500, 494, 500], {0, 2})


def test_team_1_a_blocked_round_is_won_by_the_team_with_the_fewest_points() -> None:
    hands = ["blue 1", "blue 3, blue 2", "blue 9", "blue 4"]
    turn = position(TEAMS, hands, top="red 5", has_rest=False).do("draw", "draw", "draw", "draw")
    assert (turn.termination, turn.winners, turn.scores) == ("blocked", {1, 3}, [0, 10, 0, 10])


@pytest.mark.parametrize(("timeout_winner", "winners"), [("fewest_cards", {0, 2}), ("fewest_points", {1, 3})])
def test_team_1_a_timeout_is_decided_by_what_a_team_holds(
    timeout_winner: Literal["fewest_cards", "fewest_points"], winners: set[int]
) -> None:
    rules = TEAMS.replace(max_turns=1, timeout_winner=timeout_winner)
    hands = ["red 1, blue skip, blue 8", "blue 2", "blue skip", "blue 1, blue 3, blue 4"]
    assert position(rules, hands, top="red 5").do("red 1").winners == winners


def test_team_1_ties_between_teams_share_the_points_of_the_others() -> None:
    hands = ["blue 1", "blue 2", "blue 9", "blue 4", "blue 3", "green 8"]
    rules = AUTO.replace(teams=3)
    turn = position(rules, hands, top="red 5", has_rest=False).do(*["draw"] * 6)
    assert (turn.termination, turn.winners) == ("blocked", {0, 1, 3, 4})
    assert turn.scores == [8, 8, 0, 8, 8, 0]  # 17 points of the third team, for two teams


GIFT = TEAMS.replace(teammate_gift=True)
STUCK = ["blue 1", "green 9", "red 2, green 3", "green 8"]


def test_team_2_teammate_gift_false_just_draws() -> None:
    turn = position(GIFT.replace(teammate_gift=False), STUCK, top="red 5", draws=["yellow 1"]).do("draw")
    assert (turn.actor, turn.hand(0)) == (1, ["yellow 1", "blue 1"])


def test_team_2_teammate_gift_true_asks_a_teammate_first() -> None:
    turn = position(GIFT, STUCK, top="red 5", draws=["yellow 1"]).do("draw")
    assert (turn.actor, turn.phase, turn.legal) == (2, "gift", {"red 2", "green 3", "decline"})
    assert turn.hand_sizes == [1, 1, 2, 1]


def test_team_2_teammate_gift_true_is_treated_as_the_drawn_card() -> None:
    for action, size in (("red 2", 1), ("keep", 2)):
        turn = position(GIFT, STUCK, top="red 5", draws=["yellow 1"]).do("draw", "red 2")
        assert (turn.actor, turn.phase, turn.legal) == (0, "drawn", {"red 2", "keep"})
        assert (turn.hand(0), turn.hand(2), turn.draw_pile[0]) == (["red 2", "blue 1"], ["green 3"], "yellow 1")
        turn.do(action)
        assert (turn.hand_sizes, turn.actor, turn.phase) == ([size, 1, 1, 1], 1, "play")
    assert position(GIFT.replace(drawn_card="must_play"), STUCK, top="red 5").do("draw", "red 2").legal == {"red 2"}


def test_team_2_teammate_gift_true_passes_the_turn_if_the_gift_cannot_be_played() -> None:
    for draw_count in ("one", "until_playable"):
        turn = position(GIFT.replace(draw_count=draw_count), STUCK, top="red 5", draws=["yellow 1"]).do("draw", "green 3")
        assert (turn.actor, turn.phase, turn.hand(0)) == (1, "play", ["green 3", "blue 1"])
        assert turn.draw_pile[0] == "yellow 1"


def test_team_2_teammate_gift_true_draws_if_the_teammate_declines() -> None:
    turn = position(GIFT, STUCK, top="red 5", draws=["red 3"]).do("draw", "decline")
    assert (turn.actor, turn.phase, turn.hand(0), turn.hand_sizes[2]) == (0, "drawn", ["red 3", "blue 1"], 2)
    turn = position(GIFT, STUCK, top="red 5", draws=["yellow 1"]).do("draw", "decline")
    assert (turn.actor, turn.phase, turn.hand(0)) == (1, "play", ["yellow 1", "blue 1"])


def test_team_2_teammate_gift_true_asks_nobody_if_the_player_could_play() -> None:
    turn = position(GIFT, ["red 1, blue 1", *STUCK[1:]], top="red 5", draws=["yellow 1"]).do("draw")
    assert (turn.actor, turn.hand_sizes) == (1, [3, 1, 2, 1])
    turn = position(GIFT.replace(wild_draw="strict"), ["wild, blue 1", *STUCK[1:]], top="red 5", draws=["yellow 1"]).do("draw")
    assert (turn.actor, turn.hand_sizes) == (1, [3, 1, 2, 1])


def test_team_2_teammate_gift_true_passes_over_a_teammate_with_one_card() -> None:
    turn = position(GIFT, ["blue 1", "green 9", "red 2", "green 8"], top="red 5", draws=["yellow 1"]).do("draw")
    assert (turn.actor, turn.hand_sizes) == (1, [2, 1, 1, 1])


SIX = ["blue 1", "green 9", "green 3, red 2", "green 8", "green 4, red 6", "green 7"]


def test_team_2_teammate_gift_true_asks_the_next_teammate_in_the_direction_of_play() -> None:
    assert position(GIFT, SIX, top="red 5").do("draw").actor == 2
    assert position(GIFT, SIX, top="red 5", direction=-1).do("draw").actor == 4
    assert position(GIFT, [*SIX[:2], "green 3", *SIX[3:]], top="red 5").do("draw").actor == 4


def test_team_2_teammate_gift_true_asks_one_teammate_only() -> None:
    turn = position(GIFT, SIX, top="red 5", draws=["yellow 1"]).do("draw", "decline")
    assert (turn.actor, turn.phase, turn.hand_sizes) == (1, "play", [2, 1, 2, 1, 2, 1])


def test_team_2_teammate_gift_true_holds_when_nothing_is_left_to_draw() -> None:
    turn = position(GIFT, STUCK, top="red 5", has_rest=False).do("draw", "red 2", "red 2")
    assert (turn.actor, turn.hand_sizes) == (1, [1, 1, 1, 1])


def test_team_2_teammate_gift_true_is_no_card_played_nor_drawn() -> None:
    hands = ["blue 1", "green 9", "green 3, green 4", "green 8"]
    turn = position(GIFT, hands, top="red 5", has_rest=False).do("draw", "green 3", "draw", "draw", "decline", "draw")
    assert turn.termination == "blocked"


def test_team_2_teammate_gift_true_does_not_answer_a_draw_card() -> None:
    turn = position(GIFT, ["red draw_one, red 1", "green 9", "green 8", "red 2, green 3"], top="red 5").do("red draw_one")
    assert (turn.hand_sizes, turn.actor, turn.phase) == ([1, 2, 1, 2], 2, "play")


def test_team_2_teammate_gift_true_is_known_to_the_giver_alone() -> None:
    turn = position(GIFT, STUCK, top="red 5").do("draw", "green 3")
    assert turn.observe(2)["other_known"][1].sum() == 1  # seat 0 is two places on from seat 2
    assert not turn.observe(1)["other_known"].any()
    assert not turn.observe(3)["other_known"].any()


def test_team_2_teammate_gift_true_needs_teams() -> None:
    with pytest.raises(RulesError, match=r"teammate_gift=True with teams=0"):
        AUTO.replace(teammate_gift=True)


def four(rules: Rules, card: str, **options) -> Position:
    """Seat 0 has played a card and keeps two; the others hold one each."""
    return position(rules, [f"{card}, blue 1, green 1", "blue 9", "blue 8", "blue 7"], top="red 5", **options).do(card)


def test_team_3_only_seats_of_other_teams_are_given_a_card_for_a_skip() -> None:
    turn = four(TEAMS.replace(skip_role="give"), "red skip")
    assert (turn.phase, turn.legal) == ("give_seat", {"seat +1", "seat +3"})
    assert turn.do("seat +3", "blue 1").hand(3) == ["blue 1", "blue 7"]


def test_team_3_only_seats_of_other_teams_draw_for_a_skip() -> None:
    draws = ["yellow 1", "yellow 2", "yellow 3"]
    turn = four(TEAMS.replace(skip_role="all_draw"), "red skip", draws=draws)
    assert [turn.hand(seat) for seat in range(4)] == [
        ["green 1", "blue 1"],
        ["yellow 1", "blue 9"],
        ["blue 8"],
        ["yellow 2", "blue 7"],
    ]


def test_team_3_only_hands_of_other_teams_are_swapped_for() -> None:
    turn = four(TEAMS.replace(deck="classic", zero_role="swap"), "red 0")
    assert (turn.phase, turn.legal) == ("swap", {"seat +1", "seat +3"})


def test_team_3_a_win_is_rewarded_to_the_whole_team() -> None:
    turn = position(TEAMS, HANDS, top="red 5").do("red 1")
    assert turn.rewards[0] == turn.rewards[2] > 0
    assert turn.rewards[1] == turn.rewards[3] < 0
