"""What a seat is asked. The rules are generators: each asks with `yield` and is sent the action chosen."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, TypeVar

from unoflip_env.actions import COLOR, SEAT

Returned = TypeVar("Returned")


class Decision(NamedTuple):
    """A seat, what it decides, and its actions. `wrong` holds those that are taken back with a penalty (TURN-5)."""

    seat: int
    phase: str
    legal: frozenset[int]
    wrong: frozenset[int] = frozenset()


Flow = Generator[Decision, int, Returned]
"""Asks decisions, one after the other, and returns something in the end."""
COLORS = frozenset(range(COLOR, COLOR + 4))


def seat_actions(seat: int, others: list[int], num_seats: int) -> dict[int, int]:
    """The seats to choose from, by the action that chooses each."""
    return {SEAT + (other - seat) % num_seats - 1: other for other in others}
