"""UNO FLIP as a compiled environment for reinforcement learning.

>>> import gymnasium
>>> from unoflip_env import Engine, unoflip_v0
>>> env = unoflip_v0.env(rules="official", num_players=4)  # PettingZoo
>>> env = gymnasium.make("UnoFlip-v0", num_players=2)  # Gymnasium: one learner against given opponents
>>> engine = Engine("official", num_games=1024, num_players=4)  # a batch of games

Importing the package compiles nothing: what needs Numba is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from unoflip_env.deck import load_pairing
from unoflip_env.observation import ObservationLayout, describe_observation
from unoflip_env.rules import PRESETS, Rules, load_rules, save_rules

if TYPE_CHECKING:
    from unoflip_env import unoflip_v0
    from unoflip_env.engine import Engine, IllegalActionError

__all__ = [
    "PRESETS",
    "Engine",
    "IllegalActionError",
    "ObservationLayout",
    "Rules",
    "__version__",
    "describe_observation",
    "load_pairing",
    "load_rules",
    "register_gymnasium",
    "register_pettingzoo",
    "save_rules",
    "unoflip_v0",
]

__version__ = version("unoflip-env")

GYMNASIUM_ID = "UnoFlip-v0"
PETTINGZOO_ID = "unoflip_v0"


def register_gymnasium() -> None:
    """Make `gymnasium.make("UnoFlip-v0")` known; once is enough, and importing the package does it."""
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="unoflip_env.gym_env:UnoFlipEnv",
            vector_entry_point="unoflip_env.vector_env:UnoFlipVectorEnv",
        )


def register_pettingzoo() -> None:
    """Make `pettingzoo.make("aec", "unoflip_v0")` and "parallel" known; importing the package does it."""
    if not any(spec.name == "unoflip" for spec in pettingzoo.aec_registry.values()):
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="unoflip_env.unoflip_v0:env")
        pettingzoo.register("parallel", PETTINGZOO_ID, entry_point="unoflip_env.unoflip_v0:parallel_env")


def __getattr__(name: str) -> Any:
    """Import on first use what brings Numba along."""
    if name == "unoflip_v0":
        return import_module("unoflip_env.unoflip_v0")
    if name in ("Engine", "IllegalActionError"):
        return getattr(import_module("unoflip_env.engine"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_gymnasium()
register_pettingzoo()
