"""The sequential probability ratio test of which of two agents is better, deal by deal.

It is the generalised test (GSPRT) that chess engines are tested with: the score of a deal, all its rotations together, is the
unit, and its distribution is the most likely one that has the mean in question (for two seats, where a deal scores 0, 1/4, 1/2,
3/4 or 1, the 'pentanomial' of fishtest; Van den Bergh, 'The generalized maximum likelihood ratio for the expectation value
of a distribution'). So luck that the rotations of a deal share, which duplicate deals take out, is taken out here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_FLOOR = 1e-3  # deals added at either end of the scale, so that some distribution has the mean in question
_NUM_HALVINGS = 50


class SprtError(ValueError):
    """A test without a meaning; the message names the value and what was expected."""


def expected_score(elo: float, num_seats: int) -> float:
    """What one seat wins of the games against `num_seats` - 1 others, from its Elo over theirs (see eval.ratings.Ratings)."""
    with np.errstate(over="ignore"):
        return float(1 / (1 + (num_seats - 1) * np.float_power(10, -elo / 400)))


@dataclass(frozen=True)
class Sprt:
    """A test of `score` <= score0 against >= score1, where a score is a win rate.

    `alpha` is the chance to take the second for true where the score is score0, `beta` to take the first where it is
    score1; in between, either is right. Raises SprtError for numbers without a meaning.
    """

    score0: float
    score1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.score0 < self.score1 < 1:
            raise SprtError(f"win rates {self.score0:.4g} and {self.score1:.4g}: expected 0 < the first < the second < 1")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise SprtError(f"{name}={getattr(self, name)}: expected more than 0 and less than 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the log-likelihood ratio ends the test: at the lower for score0, at the upper for score1 (Wald 1945)."""
        return float(np.log(self.beta / (1 - self.alpha))), float(np.log((1 - self.beta) / self.alpha))

    def path(self, scores: np.ndarray, start: int = 0) -> np.ndarray:
        """The log-likelihood ratio after each deal from number `start` on, counted from 0.

        Args:
            scores: shape (..., deals), each 0 to 1.
            start: the first deal to tell of; those before it count, too.

        Returns:
            Shape (..., deals - start) float64.
        """
        values = np.unique(np.append(scores, [0.0, 1.0]))
        counts = np.cumsum(scores[..., None] == values, axis=-2, dtype=np.float64)[..., start:, :]
        counts[..., [0, -1]] += _FLOOR
        first, second = (_log_tilt(counts, values - mean) for mean in (self.score0, self.score1))
        return (counts * (first - second)).sum(axis=-1)

    def end(self, path: np.ndarray) -> int | None:
        """The place in a path at which the test ends; None where it goes on."""
        lower, upper = self.bounds
        ended = np.flatnonzero((path <= lower) | (path >= upper))
        return int(ended[0]) if ended.size else None


def _log_tilt(counts: np.ndarray, above: np.ndarray) -> np.ndarray:
    """log(1 + x above), where the frequencies / (1 + x above) are the most likely distribution with mean 0 of `above`.

    x is the root of a falling function, found by halving. Shapes (..., values), (values,) to (..., values).
    """
    low = np.full(counts.shape[:-1], -1 / above[-1])
    high = np.full(counts.shape[:-1], -1 / above[0])
    for _ in range(_NUM_HALVINGS):
        middle = (low + high) / 2
        is_before = (counts * above / (1 + middle[..., None] * above)).sum(axis=-1) > 0
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    return np.log1p((low + high)[..., None] / 2 * above)
