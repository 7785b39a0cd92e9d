"""Agents that Stable-Baselines3 has saved: `sb3:PATH.zip`, for those whom one trusts (see agents.trust)."""

from __future__ import annotations

from pickle import UnpicklingError

import numpy as np
import torch

from agents.protocol import AgentError
from agents.trust import is_trusting
from unoflip_env.actions import MAX_SEATS
from unoflip_env.observation import ObservationLayout, observation_layout

PREFIX = "sb3:"
_DAMAGED = (
    *(ImportError, OSError, ValueError, KeyError, AttributeError),
    *(AssertionError, RuntimeError, TypeError, UnpicklingError),
)
"""What SB3 and torch raise for files that are none of theirs, or damaged."""


class SB3Agent:
    """A policy of sb3-contrib's MaskablePPO as an agent (agents.protocol.Agent): its most probable action.

    Args:
        spec: `sb3:` and the file's path.
        information: what the table's seats see (INFO-4).

    Raises AgentError for a file that is not one, that reads no layout of this kit, or while nobody has said `trust`.
    """

    def __init__(self, spec: str, information: str) -> None:
        if not is_trusting():
            raise AgentError(f"agent {spec!r}: loading it may run code (it is a pickle); say --trust if you trust who made it")
        try:
            from sb3_contrib import MaskablePPO

            self.policy = MaskablePPO.load(spec.removeprefix(PREFIX), device="cpu").policy
            self.layout = _layout_of(self.policy.observation_space.shape, information)
        except _DAMAGED as error:
            raise AgentError(f"agent {spec!r}: {next(iter(str(error).splitlines()), type(error).__name__)}") from error
        self.policy.set_training_mode(False)
        self.name = "sb3"

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        """Actions of shape (batch,) int64; see Agent."""
        with torch.inference_mode():
            distribution = self.policy.get_distribution(torch.from_numpy(observations), action_masks=legal_mask)
            return distribution.get_actions(deterministic=True).numpy().astype(np.int64)


def _layout_of(shape: tuple[int, ...] | None, information: str) -> ObservationLayout:
    """The layout whose observations have this shape; of `table` and `fronts`, which have the same, the table's own."""
    for name in ("table" if information == "open" else information, "open"):
        for max_players in range(2, MAX_SEATS + 1):
            layout = observation_layout(max_players, name)
            if shape == (layout.size,):
                return layout
    raise ValueError(f"it reads observations of shape {shape}, which no layout has")
