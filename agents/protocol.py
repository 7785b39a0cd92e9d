"""What an agent is: a policy that reads observations and chooses actions, a batch of decisions at a time."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from unoflip_env.observation import ObservationLayout

FORFEIT = -1
"""What an agent answers in place of an action to give up the game: it loses, and the game ends for all (eval.play)."""


class AgentError(ValueError):
    """An agent that is not known, does not fit the table or breaks the rules; the message names it."""


class MisfitError(AgentError):
    """An agent that does not fit the table: it reads fewer seats, or more than the rules show."""


@runtime_checkable
class Agent(Protocol):
    """A policy. It gets observations, never the game, and keeps nothing from one decision to the next.

    `name` is what results call it; `layout` is the observation that it reads. It serves every table of up to
    `layout.max_players` seats.
    """

    name: str
    layout: ObservationLayout

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Choose an action for each of `batch` decisions, which are independent of each other.

        Args:
            observations: shape (batch, layout.size) uint8.
            legal_mask: shape (batch, NUM_ACTIONS) bool, True = legal; at least one a row.
            uniforms: shape (batch,) float64 in [0, 1), one for each row. They are the agent's only source of randomness
                and come from whoever runs the game, so that a game is a pure function of rules, deal, agents and seed.

        Returns:
            Legal actions, or FORFEIT, shape (batch,) int64. Row i depends on row i of the arguments alone.
        """
        ...


@runtime_checkable
class Evaluator(Agent, Protocol):
    """An agent that can tell how it weighs its actions and what it expects of a position."""

    def evaluate(self, observations: np.ndarray, legal_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Look at `batch` decisions without choosing.

        Args:
            observations: shape (batch, layout.size) uint8.
            legal_mask: shape (batch, NUM_ACTIONS) bool, True = legal; at least one a row.

        Returns:
            The policy's probabilities, shape (batch, NUM_ACTIONS) float32, exactly 0 where not legal; and the reward that the
            seat which decides can expect, shape (batch,) float32, NaN where the agent has no trained value.
        """
        ...


def misfit(layout: ObservationLayout, table: ObservationLayout) -> str | None:
    """Why an agent that reads `layout` cannot play where seats see `table`, in words; None where it can (INFO-4)."""
    if layout.max_players < table.max_players:
        return f"reads tables of up to {layout.max_players} seats, expected {table.max_players}"
    if _BY_WHAT_THEY_SHOW.index(layout.information) > _BY_WHAT_THEY_SHOW.index(table.information):
        return f"reads information={layout.information!r}, and these rules show {table.information!r} only"
    return None


_BY_WHAT_THEY_SHOW = ("fronts", "table", "open")


def ask(agent: Agent, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """The agent's actions, see `Agent.act`; whether they are legal is the engine's to say.

    Raises AgentError for what is not one integer a row.
    """
    actions = np.asarray(agent.act(observations, legal_mask, uniforms))
    if actions.shape != uniforms.shape or actions.dtype.kind not in "iu":
        got = f"{actions.dtype} of shape {actions.shape}"
        raise AgentError(f"agent {agent.name}: actions are {got}, expected integers of shape {uniforms.shape}")
    return actions
