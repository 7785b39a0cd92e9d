"""MODE: Ice-breaker with its votes on rules, and Berserker."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.rulebook.position import Position, dealt, position
from unoflip_env.rules import PRESETS, STACK_KINDS, Rules

VOTE = Rules(uno="auto", rule_vote=True)
ICEBREAKER = PRESETS["icebreaker"].replace(uno="auto")
BERSERKER = PRESETS["berserker"].replace(uno="auto")


def ended(rules: Rules = VOTE, winner: int = 1, num_players: int = 3) -> Position:
    """A match whose first round has just been won by a seat."""
    hands = [f"blue {seat + 1}" for seat in range(num_players)]
    hands[winner] = "red 1"
    return position(rules, hands, top="red 5", turn=winner, episode="match").do("red 1")


def voted(proposal: str, *votes: str, rules: Rules = VOTE) -> Position:
    return ended(rules).do(f"propose {proposal}", *votes)


def is_dealt_anew(turn: Position) -> bool:
    """Whether the round after the one that `ended` plays has begun."""
    return turn.record.num_rounds == 1 and turn.phase in ("play", "color") and turn.record.num_turns <= 1


def test_mode_1_rule_vote_false_deals_the_next_round_at_once() -> None:
    turn = ended(VOTE.replace(rule_vote=False))
    assert is_dealt_anew(turn)
    assert sum(turn.hand_sizes) in (21, 22)


def test_mode_1_rule_vote_true_lets_the_winner_of_the_round_propose() -> None:
    for winner in range(3):
        turn = ended(winner=winner)
        assert (turn.actor, turn.phase, turn.record.turn_seat) == (winner, "propose", winner)
    assert (turn.scores, turn.record.num_rounds, turn.winners) == ([0, 0, 3], 1, {2})


def test_mode_1_rule_vote_true_lists_only_what_would_change_something() -> None:
    assert ended().legal == {
        "decline",
        "propose draw=stuck",
        "propose draw_count=until_playable",
        "propose drawn_card=must_play",
        "propose wild_draw=strict",
        "propose wild_draw=free",
        "propose double=identical",
        "propose double=same_symbol",
        "propose stack=all",
        "propose skip_role=give",
        "propose skip_role=all_draw",
        "propose score_side=light",
        "propose hand=5",
        "propose hand=10",
    }
    assert ended(ICEBREAKER).legal == {
        "decline",
        "propose draw=stuck",
        "propose draw_count=until_playable",
        "propose drawn_card=may_play",
        "propose wild_draw=strict",
        "propose wild_draw=bluff",
        "propose double=none",
        "propose double=same_symbol",
        "propose stack=none",
        "propose skip_role=give",
        "propose skip_role=all_draw",
        "propose score_side=light",
        "propose hand=5",
        "propose hand=10",
    }


def test_mode_1_rule_vote_true_lists_every_value_where_another_is_in_force() -> None:
    turn = ended(VOTE.replace(stack=("draw_one",), hand=6))
    assert {"propose stack=none", "propose stack=all", "propose hand=5", "propose hand=7", "propose hand=10"} <= turn.legal


def test_mode_1_rule_vote_true_leaves_out_the_side_that_scores_with_the_classic_deck() -> None:
    legal = ended(VOTE.replace(deck="classic", draw="stuck")).legal
    assert not any(action.startswith("propose score_side") for action in legal)
    assert {"propose stack=all", "propose double=identical", "propose skip_role=give"} <= legal


def test_mode_1_rule_vote_true_asks_the_other_seats_in_seat_order() -> None:
    turn = ended(num_players=4, winner=2).do("propose hand=5")
    for seat in (0, 1, 3):
        assert (turn.actor, turn.phase, turn.legal) == (seat, "vote", {"agree", "refuse"})
        turn.do("agree")
    assert is_dealt_anew(turn)


def test_mode_1_rule_vote_true_takes_a_proposal_if_all_agree() -> None:
    turn = voted("hand=5", "agree", "agree")
    assert is_dealt_anew(turn)
    assert sum(turn.hand_sizes) in (15, 16)
    assert turn.is_in_force("hand", 5)


@pytest.mark.parametrize("votes", [("refuse", "agree"), ("agree", "refuse"), ("refuse", "refuse")])
def test_mode_1_rule_vote_true_takes_nothing_if_one_refuses(votes: tuple[str, str]) -> None:
    turn = voted("hand=5", *votes)
    assert is_dealt_anew(turn)
    assert sum(turn.hand_sizes) in (21, 22)
    assert turn.is_in_force("hand", 7)


def test_mode_1_rule_vote_true_lets_the_winner_propose_nothing() -> None:
    turn = ended().do("decline")
    assert is_dealt_anew(turn)
    for option in ("draw", "draw_count", "drawn_card", "wild_draw", "double", "stack", "skip_role", "score_side", "hand"):
        assert turn.is_in_force(option, getattr(VOTE, option))


CHANGES = [
    ("draw=stuck", "draw", "stuck", VOTE),
    ("draw=optional", "draw", "optional", VOTE.replace(draw="stuck")),
    ("draw_count=until_playable", "draw_count", "until_playable", VOTE),
    ("draw_count=one", "draw_count", "one", VOTE.replace(draw_count="until_playable")),
    ("drawn_card=must_play", "drawn_card", "must_play", VOTE),
    ("drawn_card=may_play", "drawn_card", "may_play", ICEBREAKER),
    ("wild_draw=strict", "wild_draw", "strict", VOTE),
    ("wild_draw=bluff", "wild_draw", "bluff", ICEBREAKER),
    ("wild_draw=free", "wild_draw", "free", VOTE),
    ("double=none", "double", "none", ICEBREAKER),
    ("double=identical", "double", "identical", VOTE),
    ("double=same_symbol", "double", "same_symbol", VOTE),
    ("stack=none", "stack", (), ICEBREAKER),
    ("stack=all", "stack", STACK_KINDS["flip"], VOTE),
    ("stack=all", "stack", STACK_KINDS["classic"], VOTE.replace(deck="classic")),
    ("skip_role=skip", "skip_role", "skip", VOTE.replace(skip_role="give")),
    ("skip_role=give", "skip_role", "give", VOTE),
    ("skip_role=all_draw", "skip_role", "all_draw", VOTE),
    ("score_side=light", "score_side", "light", VOTE),
    ("score_side=in_play", "score_side", "in_play", VOTE.replace(score_side="light")),
    ("hand=7", "hand", 7, BERSERKER.replace(rule_vote=True)),
    ("hand=10", "hand", 10, VOTE),
]


@pytest.mark.parametrize(("proposal", "option", "value", "rules"), CHANGES)
def test_mode_1_each_proposal_changes_its_option_and_no_other(proposal, option: str, value, rules: Rules) -> None:
    turn = voted(proposal, "agree", "agree", rules=rules)
    assert is_dealt_anew(turn)
    for other in {name for _, name, _, _ in CHANGES}:
        assert turn.is_in_force(other, value if other == option else getattr(rules, other))
    assert turn.observe(0)["rules"].tolist() == dealt(rules.replace(**{option: value}), 3, "5").observe(0)["rules"].tolist()


def rules_changed(proposal: str, hands: list[str], rules: Rules = VOTE, **options) -> Position:
    """A position in the round after a change of rule was taken."""
    taken = voted(proposal, "agree", "agree", rules=rules).record.rules.copy()
    turn = position(rules, hands, **{"episode": "match", **options})
    turn.record.rules = taken
    return turn


def test_mode_1_the_match_goes_on_under_the_changed_rules() -> None:
    assert rules_changed("draw=stuck", ["red 1, blue 2", "blue 9"], top="red 5").legal == {"red 1"}
    turn = rules_changed("draw_count=until_playable", ["blue 2", "blue 9"], top="red 5", draws=["green 1", "green 2", "red 3"])
    assert turn.do("draw").hand_sizes == [4, 1]
    assert rules_changed("drawn_card=must_play", ["blue 2", "blue 9"], top="red 5", draws=["red 3"]).do("draw").legal == {
        "red 3"
    }
    assert "wild_draw_two" not in rules_changed("wild_draw=strict", ["wild_draw_two, red 1", "blue 9"], top="red 5").legal
    hands = ["red 7, red 7, red 1", "blue 9"]
    assert rules_changed("double=identical", hands, top="red 5").do("red 7").phase == "second"
    assert rules_changed("double=none", hands, ICEBREAKER, top="red 5").do("red 7").phase == "play"
    hands = ["red draw_one, red 1", "blue draw_one, blue 9"]
    assert rules_changed("stack=all", hands, top="red 5").do("red draw_one").phase == "respond"
    assert rules_changed("stack=none", hands, ICEBREAKER, top="red 5").do("red draw_one").phase == "play"
    assert rules_changed("skip_role=give", ["red skip, red 1", "blue 9"], top="red 5").do("red skip").phase == "give_seat"
    hands = ["pink 1", "orange skip_everyone / blue 7"]
    assert rules_changed("score_side=light", hands, top="pink 5", side="dark").do("pink 1").scores == [7, 0]


def test_mode_1_a_change_lasts_for_the_rest_of_the_match_and_can_be_taken_back() -> None:
    turn = rules_changed("hand=5", ["red 1", "blue 9", "blue 8"], top="red 5").do("red 1")
    assert (turn.actor, turn.phase) == (0, "propose")
    assert {"propose hand=7", "propose hand=10"} <= turn.legal
    assert "propose hand=5" not in turn.legal
    turn.do("decline")
    assert sum(turn.hand_sizes) in (15, 16)
    turn = rules_changed("hand=5", ["red 1", "blue 9", "blue 8"], top="red 5").do("red 1", "propose hand=7", "agree", "agree")
    assert sum(turn.hand_sizes) in (21, 22)


def test_mode_1_a_new_match_begins_with_the_rules_of_its_own() -> None:
    turn = voted("hand=5", "agree", "agree")
    turn.engine.reset()
    assert turn.is_in_force("hand", 7)
    assert sum(turn.hand_sizes) in (21, 22)


def test_mode_1_nothing_is_voted_on_after_the_last_round_of_a_match() -> None:
    turn = position(VOTE, ["red 1", "blue 9"], top="red 5", scores=[491, 0], episode="match").do("red 1")
    assert (turn.actor, turn.phase) == (None, "over")


def test_mode_1_nothing_is_voted_on_where_the_round_is_all() -> None:
    turn = position(VOTE, ["red 1", "blue 9"], top="red 5", episode="round").do("red 1")
    assert (turn.actor, turn.phase) == (None, "over")


def test_mode_1_the_lowest_of_those_who_share_a_blocked_round_proposes() -> None:
    hands = ["blue 7, blue 8", "blue 3", "blue 1, blue 2"]
    turn = position(VOTE, hands, top="red 5", has_rest=False, episode="match").do("draw", "draw", "draw")
    assert (turn.termination, turn.winners, turn.actor, turn.phase) == ("blocked", {1, 2}, 1, "propose")


def test_mode_1_the_one_that_went_out_proposes_and_its_teammates_vote_like_all_others() -> None:
    hands = ["blue 1", "blue 2", "red 1", "blue 4"]
    turn = position(VOTE.replace(teams=2), hands, top="red 5", turn=2, episode="match").do("red 1")
    assert (turn.winners, turn.actor, turn.phase) == ({0, 2}, 2, "propose")
    turn.do("propose hand=5")
    assert turn.actor == 0


def test_mode_1_all_see_what_is_voted_on_and_the_rules_in_force() -> None:
    turn = ended()
    before = turn.observe(0)["rules"].tolist()
    assert all(turn.observe(seat)["proposal"].tolist() == [0] for seat in range(3))
    turn.do("propose hand=5")
    proposals = {int(turn.observe(seat)["proposal"][0]) for seat in range(3)}
    assert len(proposals) == 1
    assert proposals != {0}
    turn.do("agree", "agree")
    assert turn.observe(0)["proposal"].tolist() == [0]
    assert turn.observe(0)["rules"].tolist() != before


def test_mode_1_icebreaker_stacks_all_three_kinds_without_restriction_or_challenge() -> None:
    hands = ["red draw_one, red 1", "blue draw_one, blue 9", "green 8"]
    assert position(ICEBREAKER, hands, top="red 5").do("red draw_one").legal == {"accept", "blue draw_one"}
    hands = ["wild_draw_two, red 1", "wild_draw_two, green 9", "green 8"]
    turn = position(ICEBREAKER, hands, top="red 5").do("wild_draw_two", "color green")
    assert turn.legal == {"accept", "wild_draw_two"}
    hands = ["pink draw_five, pink 1", "orange draw_five, pink 9", "pink 8"]
    turn = position(ICEBREAKER, hands, top="pink 5", side="dark").do("pink draw_five")
    assert turn.legal == {"accept", "orange draw_five"}


def test_mode_1_icebreaker_doubles_identical_cards_with_cuts_that_do_not_add_up() -> None:
    hands = ["red skip, red skip, blue skip, red 1", "green 9", "green 8", "red 4"]
    turn = position(ICEBREAKER, hands, top="red 5").do("red skip")
    assert (turn.actor, turn.phase) == (3, "cut")
    turn.do("decline")
    assert turn.legal == {"red skip", "decline"}
    assert turn.do("red skip").actor == 2


def test_mode_2_berserker_deals_ten_cards() -> None:
    assert dealt(PRESETS["berserker"], 4, "5").hand_sizes == [10] * 4


def test_mode_2_berserker_stacks_all_three_kinds() -> None:
    sides: tuple[tuple[Literal["light", "dark"], str, str, str], ...] = (
        ("light", "red draw_one", "blue draw_one", "red 5"),
        ("dark", "pink draw_five", "orange draw_five", "pink 5"),
    )
    for side, card, other, top in sides:
        turn = position(BERSERKER, [f"{card}, wild", f"{other}, wild", "wild"], top=top, side=side).do(card)
        assert turn.legal == {"accept", other}
    turn = position(BERSERKER, ["wild_draw_two, red 1", "wild_draw_two, blue 9", "wild"], top="red 5")
    assert turn.do("wild_draw_two", "color green").legal == {"accept", "challenge", "wild_draw_two"}


def test_mode_2_berserker_doubles_the_same_symbol_with_cuts_and_adds_up() -> None:
    hands = ["red draw_one, blue draw_one, red 1", "green 9", "green 8", "red 4"]
    turn = position(BERSERKER, hands, top="red 5").do("red draw_one")
    assert (turn.actor, turn.phase) == (3, "cut")
    turn.do("decline")
    assert turn.legal == {"blue draw_one", "decline"}
    turn.do("blue draw_one")
    assert (turn.hand_sizes, turn.actor) == ([1, 3, 1, 1], 2)
