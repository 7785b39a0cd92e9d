"""The one decorator of all kernels: compiled on first use, kept in a cache that a change in any kernel empties.

Numba's own on-disk cache looks only at the file that holds a function, so it goes stale, silently, when a function in
*another* file changes. Ours lives in a folder named after a hash of everything that the kernels are made of.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config

_PACKAGE = Path(__file__).resolve().parent.parent
settings: Any = config  # Numba fills this module in at run time
_CONSTANTS = (
    "actions.py",
    "deck.py",
    "game.py",
    "observation.py",
    "rules.py",
)  # modules that kernels take constants from


def sources_hash(package: Path = _PACKAGE) -> str:
    """Sixteen hexadecimal digits that change with any source of the kernels, and with Numba, NumPy and Python."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version_info[:2]}".encode())
    for path in sorted([*package.glob("kernels/*.py"), *package.glob("data/*.csv"), *(package / n for n in _CONSTANTS)]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """`UNOFLIP_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("UNOFLIP_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unoflip_env"


CACHE_DIR = _cache_root() / sources_hash()


@lru_cache
def cache_dir(folder: Path) -> Path:
    """Where the kernels of a folder are kept: outside this package, apart by a hash of the folder's files that hold kernels.

    A constant of these kernels must stand in one of those files too, for a change in any other is not noticed.
    """
    if folder == _PACKAGE / "kernels":
        return CACHE_DIR
    sources = (path.read_bytes() for path in sorted(folder.glob("*.py")))
    with_kernels = (source for source in sources if __name__.encode() in source)
    return CACHE_DIR / hashlib.sha256(b"".join(with_kernels)).hexdigest()[:16]


def _compile(function: Callable[..., Any], *, forceinline: bool = False, **options: Any) -> Any:
    """A function compiled on its first call, without the GIL and with divisions unchecked, kept in its folder's cache."""
    options["forceinline"] = forceinline  # said each time, since else it is inherited from whatever calls it first
    folder = Path(function.__code__.co_filename).resolve().parent
    previous, settings.CACHE_DIR = settings.CACHE_DIR, str(cache_dir(folder))
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = previous


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with Numba on its first call, without the GIL and with divisions unchecked, into its cache."""
    return _compile(function)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """The same for a function that kernels alone call: it compiles faster for having no entrance from Python."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def hot_kernel(function: Callable[..., Any]) -> Any:
    """The same for one that most decisions pass through: it becomes a part of every caller."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def part_of_kernel(function: Callable[..., Any]) -> Any:
    """The same for a function that is called from one place and calls much: it becomes a part of its caller.

    Numba optimises a kernel together with all that it calls, and again for each kernel that calls it; this saves a level.
    """
    return _compile(function, inline="always")


def is_compiled() -> bool:
    """Whether an earlier run left compiled kernels for these sources."""
    return any(CACHE_DIR.rglob("*.nbi"))
