"""How often the test of `eval.sprt` errs and how long it takes, by simulation; benchmarks/duel_errors.py prints it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from eval.sprt import Sprt


@dataclass(frozen=True)
class ErrorRates:
    """What came of many simulated tests: how often each verdict fell, and how many deals it took."""

    num_tests: int
    score1_share: float
    score0_share: float
    mean_deals: float
    most_deals: int


def tilted(weights: np.ndarray, mean: float) -> np.ndarray:
    """The distribution on evenly spaced scores from 0 to 1, shape (values,), that has this mean and is nearest to `weights`.

    Nearest by relative entropy: the weights times an exponential of the score.
    """
    values = np.linspace(0, 1, len(weights))

    def chances(slope: float) -> np.ndarray:
        tilt = weights * np.exp(slope * (values - mean))
        return tilt / tilt.sum()

    return chances(brentq(lambda slope: chances(slope) @ values - mean, -50, 50))


def simulate(test: Sprt, chances: np.ndarray, num_tests: int, seed: int, max_deals: int = 50_000) -> ErrorRates:
    """Run tests on deals whose scores, evenly spaced from 0 to 1, have these chances, shape (values,).

    A test that has not ended after `max_deals` counts for neither verdict.
    """
    rng = np.random.default_rng(seed)
    values = np.linspace(0, 1, len(chances))
    ends, last = np.full(num_tests, max_deals), np.zeros(num_tests)
    for i in range(num_tests):
        scores, done = np.zeros(0), None
        while done is None and len(scores) < max_deals:
            num_before = len(scores)
            scores = np.append(scores, rng.choice(values, size=max(num_before, 64), p=chances))
            path = test.path(scores, num_before)
            done = test.end(path)
        if done is not None:
            ends[i], last[i] = num_before + done + 1, path[done]
    return ErrorRates(
        num_tests=num_tests,
        score1_share=float((last > 0).mean()),
        score0_share=float((last < 0).mean()),
        mean_deals=float(ends.mean()),
        most_deals=int(ends.max()),
    )
