"""The PettingZoo environment `unoflip_v0`: `raw_env`, `env` with checks of the order of calls, and `parallel_env`.

>>> from unoflip_env import unoflip_v0
>>> env = unoflip_v0.env(rules="official", num_players=4, render_mode="human")

All three take the arguments of `UnoFlipAEC`, which is also where rewards and dead steps are explained.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from unoflip_env.aec import UnoFlipAEC
from unoflip_env.ordered import UnbegunUnoFlipAEC

__all__ = ["env", "parallel_env", "raw_env"]

raw_env = UnoFlipAEC
env = UnbegunUnoFlipAEC


def parallel_env(*args: Any, **kwargs: Any) -> ParallelEnv[str, Any, Any]:
    """The same game for code that wants a parallel environment: `step` takes an action of every agent.

    Only the action of the agent whose decision it is counts, the others' are ignored; `infos[agent]["active_agent"]`
    names whose is next. Illegal actions raise as in `env`.
    """
    return turn_based_aec_to_parallel(env(*args, **kwargs))
