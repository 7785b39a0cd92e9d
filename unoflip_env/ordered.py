"""`UnoFlipAEC` with the checks of PettingZoo's standard wrappers, at a fraction of their cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pettingzoo.utils.env_logger import EnvLogger

from unoflip_env.aec import UnoFlipAEC

_AFTER_RESET = {"agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos"}


class OrderedUnoFlipAEC(UnoFlipAEC):
    """Refuses calls out of order, with the errors of PettingZoo's `OrderEnforcingWrapper`; `UnoFlipAEC` refuses bad actions.

    A wrapper reads the environment's attributes through `__getattr__`, many times a step, and so takes longer over it than
    the game does. The standard wrappers still fit around it.
    """

    _has_stepped = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """See UnoFlipAEC.reset."""
        self._has_stepped = True
        super().reset(seed, options)

    def step(self, action: int | None) -> None:
        """See UnoFlipAEC.step; warns when no agent is left."""
        self._has_stepped = True
        if self.agents:
            super().step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # type: ignore[override]
        """The selected agent, again and again; each must step before the next is asked for."""
        while self.agents and max_iter > 0:
            assert self._has_stepped, "need to call step() or reset() in a loop over `agent_iter`"
            self._has_stepped = False
            max_iter -= 1
            yield self.agent_selection


def _refused(error: Callable[[], None]) -> Any:
    """A method that only raises this error."""

    def refuse(*_args: Any, **_kwargs: Any) -> None:
        error()

    return refuse


class UnbegunUnoFlipAEC(OrderedUnoFlipAEC):
    """An `OrderedUnoFlipAEC` until it is reset: then it becomes one, for what refuses calls before that would slow down all."""

    def __getattr__(self, name: str) -> Any:
        """What is not there yet: the state of the game."""
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """See UnoFlipAEC.reset."""
        self.__class__ = OrderedUnoFlipAEC  # type: ignore[assignment]
        try:
            self.reset(seed, options)
        except BaseException:
            self.__class__ = UnbegunUnoFlipAEC
            raise

    step: Any = _refused(EnvLogger.error_step_before_reset)
    observe: Any = _refused(EnvLogger.error_observe_before_reset)
    state: Any = _refused(EnvLogger.error_state_before_reset)
    render: Any = _refused(EnvLogger.error_render_before_reset)
    agent_iter: Any = _refused(EnvLogger.error_agent_iter_before_reset)
