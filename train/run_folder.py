"""A run's folder: whether a run begins there, goes on there, or may not touch what is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from train.config import SCHEMA, Config, ConfigError
from unoflip_env.files import write_text

CONFIG, METRICS, CARD = "config.json", "metrics.jsonl", "card.json"


def inspect_folder(config: Config, *, resume: bool = False) -> bool:
    """Whether the run in the folder goes on. Changes nothing.

    A run that was broken off goes on if it is told the same again, or by `resume`, which may change options and take a
    finished run further. Raises ConfigError for a folder that holds something that isn't to go.
    """
    folder = config.run
    if not (folder / CONFIG).exists():
        if resume:
            raise ConfigError(f"run={str(folder)!r}: expected the folder of a run ({CONFIG} in it)")
        if folder.is_dir() and any(folder.iterdir()):
            raise ConfigError(f"run={str(folder)!r} holds something else than a run (no {CONFIG}): it will not be overwritten")
        return False
    problem = None if resume else _obstacle(config)
    if problem and not config.overwrite:
        raise ConfigError(f"run={str(folder)!r} holds {problem}")
    return problem is None


def prepare_folder(config: Config, *, goes_on: bool, num_updates: int) -> None:
    """Write the configuration, and leave nothing of what comes after the last checkpoint, or of a run that is replaced."""
    folder = config.run
    if folder.exists() and not goes_on:
        shutil.rmtree(folder)
    (folder / CARD).unlink(missing_ok=True)
    write_text(folder / CONFIG, SCHEMA.dump_json(config, indent=2).decode() + "\n")
    metrics = folder / METRICS
    lines = metrics.read_text(encoding="utf-8").splitlines() if metrics.exists() else []
    write_text(metrics, "".join(f"{line}\n" for line in lines if _is_before(line, num_updates)))


def _obstacle(config: Config) -> str | None:
    """Why the run there cannot go on, and what to say instead."""
    folder = config.run
    if (folder / CARD).exists():
        return "a finished run: name another folder, say --overwrite, or take it further by --resume and a larger budget"
    before, now = json.loads((folder / CONFIG).read_text(encoding="utf-8")), SCHEMA.dump_python(config, mode="json")
    other = sorted(name for name in now if name not in ("run", "overwrite") and before.get(name) != now[name])
    if not other:
        return None
    changes = ", ".join(f"{name} was {before.get(name)}, is now {now[name]}" for name in other)
    return f"a run with other options ({changes}): name another folder, or say --overwrite or --resume"


def read_metrics(folder: Path) -> list[dict]:
    """The lines of metrics.jsonl."""
    return [json.loads(line) for line in (folder / METRICS).read_text(encoding="utf-8").splitlines()]


def _is_before(line: str, num_updates: int) -> bool:
    try:
        return json.loads(line)["updates"] <= num_updates
    except (ValueError, KeyError, TypeError):
        return False
