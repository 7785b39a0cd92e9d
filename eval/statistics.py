"""How sure a figure is: confidence intervals by the bootstrap."""

from __future__ import annotations

import numpy as np

LEVEL = 0.95
FEW_DEALS = 50
"""Below so many units a bootstrap interval is too narrow, and wherever all units are alike it has no width."""
_CHUNK = 2_000_000  # numbers drawn at a time


class RatingError(ValueError):
    """Results from which no ratings follow; the message says why."""


def resample_means(values: np.ndarray, seed: int, num_resamples: int = 2000) -> np.ndarray:
    """Means of samples of as many units as there are, drawn with replacement (the bootstrap, Efron 1979).

    Args:
        values: shape (units, ...). What hangs together, such as all games of one deal, is one unit.
        seed: of the resampling; the same values and seed give the same samples.
        num_resamples: number of samples.

    Returns:
        Shape (num_resamples, ...) float64.

    Raises:
        ValueError: for fewer than two units, which tell nothing of the spread.
    """
    num_units = len(values)
    if num_units < 2:
        raise ValueError(f"{num_units} units: expected at least 2 for an interval")
    rng = np.random.default_rng(seed)
    flat = np.asarray(values, np.float64).reshape(num_units, -1)
    means = np.empty((num_resamples, flat.shape[1]))
    rows = max(1, _CHUNK // num_units)
    for start in range(0, num_resamples, rows):
        part = means[start : start + rows]
        chosen = rng.integers(num_units, size=(len(part), num_units))
        chosen += num_units * np.arange(len(part))[:, None]
        times = np.bincount(chosen.ravel(), minlength=num_units * len(part)).reshape(len(part), num_units)
        part[:] = times @ flat / num_units
    return means.reshape(num_resamples, *np.shape(values)[1:])


def percentiles(samples: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """The percentile interval of samples, shape (samples, ...): lower and upper end, shape (2, ...)."""
    return np.quantile(samples, [(1 - level) / 2, (1 + level) / 2], axis=0)


def bootstrap_interval(values: np.ndarray, seed: int, *, level: float = LEVEL, num_resamples: int = 2000) -> np.ndarray:
    """Confidence interval of the mean over units that are independent of each other: percentiles of `resample_means`.

    Returns shape (2, ...) float64: lower and upper end. Raises ValueError for fewer than two units.
    """
    return percentiles(resample_means(values, seed, num_resamples), level)


def variance_ratio(values: np.ndarray) -> float | None:
    """How many times the variance of the mean would be what it is, had every game been a unit of its own.

    Args:
        values: shape (units, games) float64, such as a figure of each game of a deal, by rotation; or (units, games, figures)
            of several. The games of a unit hang together; those of one column are alike.

    Returns:
        The sum of the columns' variances over the variance of their sum, each summed over the figures; None where that is 0.
    """
    by_unit = float(values.sum(axis=1).var(axis=0).sum())
    return float(values.var(axis=0).sum()) / by_unit if by_unit > 1e-12 else None


def in_games(ratio: float) -> str:
    """A `variance_ratio` in words."""
    return f"{ratio:.2f} times as many games with a new deal for each"
