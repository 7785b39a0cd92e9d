"""Rankings that need no single scale, from OpenSpiel: they say who matters where agents beat each other in circles."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from eval.statistics import RatingError


def nash_average(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nash averaging (Balduzzi et al. 2018): how agents do against the best mixture of agents there is.

    Args:
        payoff: win rates, shape (agents, agents), as `eval.ratings.Ratings.payoff`; every pair must have met.

    Returns:
        The mixture, shape (agents,), the widest of those that nothing beats; and what each agent's win rate against it
        is above one half, shape (agents,): 0 within the mixture, below it outside.

    Raises RatingError where a pair never met or OpenSpiel is not installed.
    """
    _check(payoff)
    solver, pyspiel = _open_spiel("algorithms.nash_averaging"), _import("pyspiel")
    advantage = (payoff - payoff.T) / 2  # antisymmetric to the last bit
    mixture, average = solver.nash_averaging(pyspiel.create_matrix_game(advantage, advantage.T))
    return np.asarray(mixture).ravel(), np.asarray(average).ravel()


def alpha_rank(payoff: np.ndarray) -> np.ndarray:
    """Alpha-rank (Omidshafiei et al. 2019): how often each agent is played in the long run, shape (agents,).

    In a population in which the fitter strategy nearly always takes over; that is alpha-rank's limit of strong selection.
    `payoff` and errors are those of `nash_average`.
    """
    _check(payoff)
    shares = _open_spiel("egt.alpharank").compute([payoff], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    return np.asarray(shares)


def _check(payoff: np.ndarray) -> None:
    if not np.isfinite(payoff).all():
        raise RatingError("payoff: not a number in some cells; expected a win rate for every pair of agents")


def _open_spiel(module: str) -> Any:
    return _import(f"open_spiel.python.{module}")


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise RatingError(f"{error}: expected OpenSpiel, the extra `spiel` (pip install open-spiel cvxpy)") from error
