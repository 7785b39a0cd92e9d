"""The course of a game: rounds, how they end, points, matches."""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from tests.reference.cards import LIGHT
from tests.reference.decision import Decision, Flow
from tests.reference.table import Table
from tests.reference.turn import start, take_turn
from tests.reference.votes import vote
from unoflip_env.rules import Rules


class ReferenceGame:
    """One game from its seed: a round, or a match. `decision` is None once it is over."""

    def __init__(self, rules: Rules, num_seats: int, seed: int, episode: Literal["round", "match"] = "round") -> None:
        self.table = Table(rules, num_seats, seed)
        self.scores = [0] * num_seats
        self.hand_points = [0] * num_seats
        self.winners: set[int] = set()
        self.round_winners: set[int] = set()
        self.termination = "none"
        self._flow = self._play_rounds(is_match=episode == "match")
        self.decision: Decision | None = next(self._flow)

    def legal(self) -> frozenset[int]:
        """The numbers of the legal actions; none once the game is over."""
        return self.decision.legal if self.decision else frozenset()

    def step(self, action: int) -> None:
        """Take an action. Raises ValueError, the game unchanged, for one that is not open to the seat that decides."""
        if not self.decision or action not in self.decision.legal | self.decision.wrong:
            raise ValueError(f"action {action}: expected one of {sorted(self.legal())}")
        self.decision = self._flow.send(action)

    # ------------------------------------------------------------------ rounds and their ends

    def _play_rounds(self, is_match: bool) -> Generator[Decision | None, int, None]:
        is_over = False
        while not is_over:
            self.table.deal()
            yield from self._play_round()
            self._score()
            is_over = not is_match or self._end_match()
            if self.table.rules.rule_vote and not is_over:
                yield from vote(self.table, self._round_winner())
        yield None

    def _play_round(self) -> Flow[None]:
        seat = yield from start(self.table)
        while not self._end_round():
            seat = yield from take_turn(self.table, seat)

    def _end_round(self) -> bool:
        """END-1, TURN-7, TURN-8: whether the round ends before another turn; then how, and who won it (TEAM-3)."""
        table, rules = self.table, self.table.rules
        sizes = [len(hand) for hand in table.hands]
        if 0 in sizes:
            self.termination, self.winners = "empty_hand", set(self._team(self._first_out()))
        elif table.idle_turns >= table.num_seats and not table.can_draw():
            self.termination, self.winners = "blocked", self._lowest(self._points())
        elif rules.max_turns and table.num_turns == rules.max_turns:
            by_cards = rules.timeout_winner == "fewest_cards"
            self.termination, self.winners = "timeout", self._lowest(sizes if by_cards else self._points())
        else:
            return False
        table.happened[self.termination] += 1
        table.happened["several_out"] += sizes.count(0) > 1
        return True

    def _lowest(self, values: list[int]) -> set[int]:
        """The seats of the teams with the smallest sum."""
        sums = self._by_team(values)
        return {seat for seat, value in enumerate(sums) if value == min(sums)}

    def _first_out(self) -> int:
        """END-1: of the seats whose hands are empty, the one that emptied its hand first."""
        return next(seat for seat in self.table.went_out if not self.table.hands[seat])

    def _round_winner(self) -> int:
        """MODE-1: who proposes: the one that went out; if nobody did, the first of the winners."""
        return self._first_out() if self.termination == "empty_hand" else min(self.winners)

    def _team(self, seat: int) -> list[int]:
        """TEAM-1: the seats of a team; without teams the seat alone."""
        return [other for other in range(self.table.num_seats) if self.table.are_teammates(seat, other)]

    def _points(self) -> list[int]:
        """SCORE-1 to SCORE-3: the points in each hand."""
        side = LIGHT if self.table.rules.score_side == "light" else self.table.side
        return [sum(card.faces[side].points for card in hand) for hand in self.table.hands]

    def _score(self) -> None:
        """SCORE-4, TURN-9, TEAM-1: by team, and every seat has its team's score."""
        self.hand_points = self._points()
        num_teams = len({tuple(self._team(seat)) for seat in self.winners})
        pot = sum(points for seat, points in enumerate(self.hand_points) if seat not in self.winners)
        for seat, points in enumerate(self._by_team(self.hand_points)):
            if self.table.rules.scoring == "own_hand":
                self.scores[seat] += points
            elif seat in self.winners:
                self.scores[seat] += pot // num_teams
        self.round_winners = self.winners
        self.table.num_rounds += 1

    def _by_team(self, values: list[int]) -> list[int]:
        """For each seat the sum of its team."""
        return [sum(values[other] for other in self._team(seat)) for seat in range(self.table.num_seats)]

    def _end_match(self) -> bool:
        """SCORE-5: whether the target is reached; then who won the match."""
        rules = self.table.rules
        if max(self.scores) < rules.target:
            return False
        best = min(self.scores) if rules.scoring == "own_hand" else max(self.scores)
        self.winners = {seat for seat, score in enumerate(self.scores) if score == best}
        self.table.happened["match"] += 1
        return True
