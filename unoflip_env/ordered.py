"""`UnoFlipAEC` with the checks of PettingZoo's standard wrappers, at a fraction of their cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from unoflip_env.aec import Observation, UnoFlipAEC
from unoflip_env.render import Frame

_AFTER_RESET = {"agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos"}


class OrderedUnoFlipAEC(UnoFlipAEC):
    """Refuses calls out of order, with the errors of PettingZoo's `OrderEnforcingWrapper`; `UnoFlipAEC` refuses bad actions.

    A wrapper reads the environment's attributes through `__getattr__`, many times a step, and so takes longer over it than
    the game does; here only what is missing goes that way. The standard wrappers still fit around it.
    """

    _has_reset = False
    _has_stepped = False

    def __getattr__(self, name: str) -> Any:
        """What is not there: before `reset`, the state of the game."""
        if name in _AFTER_RESET and not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """See UnoFlipAEC.reset."""
        self._has_reset = self._has_stepped = True
        super().reset(seed, options)

    def step(self, action: int | None) -> None:
        """See UnoFlipAEC.step; warns when no agent is left."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_stepped = True
        if self.agents:
            super().step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()

    def observe(self, agent: str) -> Observation:
        """See UnoFlipAEC.observe."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return super().observe(agent)

    def state(self) -> np.ndarray:
        """See UnoFlipAEC.state."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> Frame:
        """See UnoFlipAEC.render."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # type: ignore[override]
        """The selected agent, again and again; each must step before the next is asked for."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return self._iterate(max_iter)

    def _iterate(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            assert self._has_stepped, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_stepped = False
            max_iter -= 1
            yield self.agent_selection
