"""Agents of one's own, as a user would write them: some play, some do what none should."""

from __future__ import annotations

import os
import signal

import numpy as np

from agents.protocol import FORFEIT, Agent
from unoflip_env.observation import ObservationLayout, observation_layout


class FirstLegal:
    """Always the first legal action."""

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout
        self.name = type(self).__name__
        self.num_calls = 0

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        self.num_calls += 1
        return legal_mask.argmax(axis=1)


class ForTwo(FirstLegal):
    """Reads tables of two alone."""

    def __init__(self, layout: ObservationLayout) -> None:
        super().__init__(observation_layout(2, layout.information))


class Cheat(FirstLegal):
    """Plays what it does not hold."""

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return legal_mask.argmin(axis=1)


class OutOfRange(FirstLegal):
    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return np.full(len(observations), 1000)


class OneForAll(FirstLegal):
    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return legal_mask.argmax(axis=1)[:1]


class Floating(FirstLegal):
    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return legal_mask.argmax(axis=1) + 0.5


class AllSeeing(FirstLegal):
    """Reads all cards."""

    def __init__(self, layout: ObservationLayout) -> None:
        super().__init__(observation_layout(layout.max_players, "open"))


class Interrupting(FirstLegal):
    """Presses Ctrl-C at its 150th step."""

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        if self.num_calls == 150:
            os.kill(os.getpid(), signal.SIGINT)
        return super().act(observations, legal_mask, uniforms)


class Wrapped:
    """Another agent, unrecognised."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.layout, self.act = agent.name, agent.layout, agent.act


class Quitting(FirstLegal):
    """Gives up its game where it holds one card."""

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        num_cards = self.layout.view(observations)["hand_sizes"][:, 0]
        return np.where(num_cards == 1, FORFEIT, legal_mask.argmax(axis=1))


class Uniform:
    """Tells that every legal action is as good as another, and takes the first."""

    name = "uniform"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return legal_mask.argmax(axis=1)

    def evaluate(self, observations: np.ndarray, legal_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert observations.shape[1] == self.layout.size
        return legal_mask / legal_mask.sum(axis=1, keepdims=True), np.full(len(legal_mask), 0.25)
