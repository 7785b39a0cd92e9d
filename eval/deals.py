"""What there is to play, and what came of it: every deal once in each rotation of a line-up around the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unoflip_env.streams import closed_keys, random_words


@dataclass(frozen=True)
class Outcomes:
    """What came of the games, by place in the line-up; all of shape (deals, rotations, places) but for the last.

    `wins`: float64, 1 for the winner, a fraction for each of those who share a win.
    `points`: float64, the sum over a game's rounds of what `Engine(reward="points")` gives: a seat loses the points in its
    hand; under `winner_takes` the winners share what the others lose. A round that was not played to its end pays nothing.
    `decisions`: int64, how many each took.
    `is_forfeit`: bool, who gave up (agents.protocol.FORFEIT); its team wins nothing, all others share the win.
    `is_unfinished`: bool, shape (deals, rotations): broken off at MAX_TURNS (eval/play.py), the win shared by all.
    """

    wins: np.ndarray
    points: np.ndarray
    decisions: np.ndarray
    is_forfeit: np.ndarray
    is_unfinished: np.ndarray

    @property
    def num_deals(self) -> int:
        """Deals that were done in all their rotations."""
        return len(self.wins)

    @property
    def num_unfinished(self) -> int:
        """Games that were broken off."""
        return int(self.is_unfinished.sum())


class Games:
    """Deals `first_deal` and on, each in every rotation: seeds and seats, and what came of each game.

    Game i is rotation i mod seats of the deal i // seats on from the first; in rotation r the agent in place p sits at seat
    (p + r) mod seats. A deal's cards follow from its number and `seed` alone, and the random numbers that agents are given
    from these and the rotation.

    Args:
        line_up: the agent in each place, as a number; its length is the number of seats.
        num_deals: how many deals.
        seed: 64-bit seed.
        first_deal: the number of the first one.
    """

    def __init__(self, line_up: Sequence[int], num_deals: int, seed: int, first_deal: int = 0) -> None:
        self.num_seats, self.first_deal = len(line_up), first_deal
        self.num_games = num_deals * self.num_seats
        places = np.arange(self.num_seats)
        self.place_at = (places - places[:, None]) % self.num_seats
        """Shape (rotations, seats) int64."""
        self.agent_at = np.asarray(line_up, np.int64)[self.place_at]
        """Shape (rotations, seats) int64."""
        games = np.arange(self.num_games, dtype=np.uint64)
        deals, rotations = games // np.uint64(self.num_seats), games % np.uint64(self.num_seats)
        self.deal_seeds = random_words(np.full(self.num_games, seed % 2**64, np.uint64), deals + np.uint64(first_deal))
        """Shape (games,) uint64."""
        self.agent_keys = closed_keys(self.deal_seeds, rotations)
        """Shape (games,) uint64: the stream of the agents' random numbers; decision n of the game gets number n."""
        by_seat = self.num_games, self.num_seats
        self.winners = np.zeros(self.num_games, np.uint16)
        """The winning seats as bits; 0 while a game is not over, or for good if it was broken off."""
        self.points, self.decisions = np.zeros(by_seat), np.zeros(by_seat, np.int64)
        self.is_forfeit = np.zeros(by_seat, np.bool_)
        self.is_done = np.zeros(self.num_games, np.bool_)

    def outcomes(self) -> Outcomes:
        """The deals before the first that is not done in all its rotations: any other choice would favour short games."""
        is_whole = np.append(self.is_done.reshape(-1, self.num_seats).all(axis=1), False)
        num_games = int(is_whole.argmin()) * self.num_seats
        is_unfinished = self.winners[:num_games] == 0
        winners = np.where(is_unfinished, 2**self.num_seats - 1, self.winners[:num_games])
        is_winner = (winners[:, None] >> np.arange(self.num_seats)) & 1
        return Outcomes(
            wins=self._by_place(is_winner / is_winner.sum(axis=1, keepdims=True)),
            points=self._by_place(self.points[:num_games]),
            decisions=self._by_place(self.decisions[:num_games]),
            is_forfeit=self._by_place(self.is_forfeit[:num_games]),
            is_unfinished=is_unfinished.reshape(-1, self.num_seats),
        )

    def _by_place(self, by_seat: np.ndarray) -> np.ndarray:
        """From shape (games, seats) to (deals, rotations, places)."""
        by_rotation = by_seat.reshape(-1, self.num_seats, self.num_seats)
        by_place = np.empty_like(by_rotation)
        for rotation, places in enumerate(self.place_at):
            by_place[:, rotation, places] = by_rotation[:, rotation]
        return by_place
