"""The one decorator of all kernels: compiled on first use, kept in a cache that a change in any kernel empties.

Numba's own on-disk cache looks only at the file that holds a function, so it goes stale, silently, when a function in
*another* file changes. Ours lives in a folder named after a hash of everything that the kernels are made of.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent.parent


def _sources_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version_info[:2]}".encode())
    for path in sorted([*_PACKAGE.glob("*.py"), *_PACKAGE.glob("kernels/*.py"), *_PACKAGE.glob("data/*.csv")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    """`UNOFLIP_CACHE_DIR`, else the user's cache folder."""
    chosen = os.environ.get("UNOFLIP_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unoflip_env"


CACHE_DIR = _cache_root() / _sources_hash()


def kernel(function: _F | None = None, **options: Any) -> Any:
    """Compile a function with Numba on its first call, without the GIL, divisions unchecked, into CACHE_DIR."""
    if function is None:
        return lambda f: kernel(f, **options)
    previous, config.CACHE_DIR = config.CACHE_DIR, str(CACHE_DIR)
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = previous


def is_compiled() -> bool:
    """Whether an earlier run left compiled kernels for these sources."""
    return any(CACHE_DIR.rglob("*.nbi"))
