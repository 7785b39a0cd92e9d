"""What tells an agent from one of the same name: a hash of all that decides what it does, as far as files say it."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from agents.baselines import BASELINES
from agents.external.agent import read_bot
from agents.shipped import SHIPPED, folder_of

_BASELINE_SOURCES = [Path(__file__).with_name(name) for name in ("baselines.py", "games.py", "reading.py", "sharp.py")]
_NETWORK_SOURCES = [Path(__file__).with_name(name) for name in ("features.py", "network.py", "sampling.py")]


def fingerprint(spec: str) -> str:
    """Sixteen hexadecimal digits for an agent that `agents.registry.make_agent` takes.

    They are a hash of `spec` and of files: a baseline's sources, a checkpoint's files and the network's sources, a class's
    module, those that the words of a command line name, a bot's file and those that its command names. What such code reads
    besides is not seen. Raises AgentError for a bot's file that is none.
    """
    digest = hashlib.sha256(spec.encode())
    for path in _files(spec):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _files(spec: str) -> list[Path]:
    if spec in BASELINES:
        return _BASELINE_SOURCES
    path = folder_of(spec) if spec in SHIPPED else Path(spec.removeprefix("sb3:"))
    if path.is_dir():
        is_run = not (path / "agent.json").exists() and (path / "agent").is_dir()  # as agents.checkpoint.load_agent has it
        folder = path / "agent" if is_run else path
        return [*_NETWORK_SOURCES, *sorted(file for file in folder.iterdir() if file.is_file())]
    if path.suffix == ".toml" and path.is_file():
        return [path, *_named([str(path.parent / word) for word in read_bot(spec).command])]
    if path.is_file():
        return [path]
    kind, _, rest = spec.partition(":")
    if kind == "process":
        return _files(rest)
    if kind in ("cmd", "sb3"):
        return _named(shlex.split(rest))
    try:
        module = find_spec(kind)
    except (ImportError, ValueError):  # a path that is not there: making the agent says so
        return []
    return [Path(module.origin)] if module and module.origin else []


def _named(words: Iterable[str]) -> list[Path]:
    return [Path(word) for word in words if Path(word).is_file()]
