"""What an agent does, or would do, at one decision: it is given what the seat sees, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.protocol import Agent, AgentError, Evaluator, ask
from unoflip_env.actions import NUM_ACTIONS


@dataclass(frozen=True)
class Asked:
    """One decision put to an agent; each array has one row (agents.protocol.Agent.act)."""

    agent: Agent
    observation: np.ndarray
    legal_mask: np.ndarray
    uniforms: np.ndarray

    def choose(self) -> int:
        """The action that the agent takes: the first legal one if it gives up or answers with one that is not.

        Raises AgentError where it answers with what is no action.
        """
        action = self._answer()
        return int(self.legal_mask[0].argmax()) if action is None else action

    def weigh(self) -> list[tuple[int, float | None]]:
        """The legal actions and their probabilities, the likeliest first; of an agent without any its choice, with None.

        Raises AgentError where it gives up or answers with what is not legal.
        """
        if not isinstance(self.agent, Evaluator):
            action = self._answer()
            if action is None:
                raise AgentError(f"agent {self.agent.name}: knows no legal answer")
            return [(action, None)]
        probabilities = self.agent.evaluate(self.observation, self.legal_mask)[0][0]
        order = np.argsort(-probabilities, kind="stable")
        return [(int(action), float(probabilities[action])) for action in order if self.legal_mask[0, action]]

    def _answer(self) -> int | None:
        """The agent's action; None if it is not legal."""
        action = int(ask(self.agent, self.observation, self.legal_mask, self.uniforms)[0])
        return action if 0 <= action < NUM_ACTIONS and self.legal_mask[0, action] else None
