"""Whether files may be loaded that can hold code: `sb3:PATH.zip`, which is a pickle, and runs whatever its author put there.

A checkpoint of this kit holds no code and needs no trust.
"""

from __future__ import annotations

import os

_TRUST = "UNOFLIP_TRUST_PICKLES"  # in the environment, so that worker processes know it too


def trust() -> None:
    """From here on, in this process and those that it starts, they may."""
    os.environ[_TRUST] = "1"


def is_trusting() -> bool:
    """Whether `trust` was called."""
    return _TRUST in os.environ


def take_trust(arguments: list[str]) -> list[str]:
    """A command line without its `--trust`, which is heeded."""
    if "--trust" in arguments:
        trust()
    return [argument for argument in arguments if argument != "--trust"]
