"""What there is to play, and what came of it: every deal once in each order and rotation of a line-up around the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unoflip_env.streams import closed_keys, random_words


@dataclass(frozen=True)
class Outcomes:
    """What came of the games, by place in the line-up; all of shape (deals, seatings, places) but for the last.

    `wins`: float64, 1 for the winner, a fraction for each of those who share a win.
    `points`: float64, the sum over a game's rounds of what `Engine(reward="points")` gives: a seat loses the points in its
    hand; under `winner_takes` the winners share what the others lose. A round that was not played to its end pays nothing.
    `decisions`: int64, how many each took.
    `is_forfeit`: bool, who gave up (agents.protocol.FORFEIT); its team wins nothing, all others share the win.
    `is_unfinished`: bool, shape (deals, seatings): broken off at MAX_TURNS (eval/play.py), the win shared by all.
    """

    wins: np.ndarray
    points: np.ndarray
    decisions: np.ndarray
    is_forfeit: np.ndarray
    is_unfinished: np.ndarray

    @property
    def num_deals(self) -> int:
        """Deals that were done in all their seatings."""
        return len(self.wins)

    @property
    def num_unfinished(self) -> int:
        """Games that were broken off."""
        return int(self.is_unfinished.sum())


class Games:
    """Deals `first_deal` and on, each in every seating: seeds and seats, and what came of each game.

    A seating is an order and a rotation of it, all rotations of the first order first. Game i is seating i mod seatings of
    the deal i // seatings on from the first; in rotation r the agent in place order[k] sits at seat (k + r) mod seats. A
    deal's cards follow from its number and `seed` alone, and the random numbers that agents are given from these and the
    rotation.

    Args:
        line_up: the agent in each place, as a number; its length is the number of seats.
        num_deals: how many deals.
        seed: 64-bit seed.
        first_deal: the number of the first one.
        orders: the places in the order in which they sit around the table (eval.match.orders_of); by default that of the
            line-up alone.
        is_rotated: whether each order is played in all its rotations, or as it is named alone.
    """

    def __init__(
        self,
        line_up: Sequence[int],
        num_deals: int,
        seed: int,
        first_deal: int = 0,
        orders: Sequence[Sequence[int]] | None = None,
        is_rotated: bool = True,
    ) -> None:
        self.num_seats, self.first_deal = len(line_up), first_deal
        seats = np.arange(self.num_seats)
        rotations = (seats - seats[: None if is_rotated else 1, None]) % self.num_seats
        self.place_at = np.array(orders or [range(self.num_seats)])[:, rotations].reshape(-1, self.num_seats)
        """Shape (seatings, seats) int64."""
        self.agent_at = np.asarray(line_up, np.int64)[self.place_at]
        """Shape (seatings, seats) int64."""
        self.num_seatings = len(self.place_at)
        self.num_games = num_deals * self.num_seatings
        games = np.arange(self.num_games, dtype=np.uint64)
        deals, seatings = games // np.uint64(self.num_seatings), games % np.uint64(self.num_seatings)
        self.deal_seeds = random_words(np.full(self.num_games, seed % 2**64, np.uint64), deals + np.uint64(first_deal))
        """Shape (games,) uint64."""
        self.agent_keys = closed_keys(self.deal_seeds, seatings % np.uint64(len(rotations)))
        """Shape (games,) uint64: the stream of the agents' random numbers; decision n of the game gets number n."""
        by_seat = self.num_games, self.num_seats
        self.winners = np.zeros(self.num_games, np.uint16)
        """The winning seats as bits; 0 while a game is not over, or for good if it was broken off."""
        self.points, self.decisions = np.zeros(by_seat), np.zeros(by_seat, np.int64)
        self.is_forfeit = np.zeros(by_seat, np.bool_)
        self.is_done = np.zeros(self.num_games, np.bool_)

    def outcomes(self) -> Outcomes:
        """The deals before the first that is not done in all its seatings: any other choice would favour short games."""
        is_whole = np.append(self.is_done.reshape(-1, self.num_seatings).all(axis=1), False)
        num_games = int(is_whole.argmin()) * self.num_seatings
        is_unfinished = self.winners[:num_games] == 0
        winners = np.where(is_unfinished, 2**self.num_seats - 1, self.winners[:num_games])
        is_winner = (winners[:, None] >> np.arange(self.num_seats)) & 1
        return Outcomes(
            wins=self._by_place(is_winner / is_winner.sum(axis=1, keepdims=True)),
            points=self._by_place(self.points[:num_games]),
            decisions=self._by_place(self.decisions[:num_games]),
            is_forfeit=self._by_place(self.is_forfeit[:num_games]),
            is_unfinished=is_unfinished.reshape(-1, self.num_seatings),
        )

    def _by_place(self, by_seat: np.ndarray) -> np.ndarray:
        """From shape (games, seats) to (deals, seatings, places)."""
        by_seating = by_seat.reshape(-1, self.num_seatings, self.num_seats)
        by_place = np.empty_like(by_seating)
        for seating, places in enumerate(self.place_at):
            by_place[:, seating, places] = by_seating[:, seating]
        return by_place
