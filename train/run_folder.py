"""A run's folder: whether a run begins there, goes on there, or may not touch what is there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from train.config import SCHEMA, Config, ConfigError, load_config
from unoflip_env.files import write_text

CONFIG, METRICS, CARD = "config.json", "metrics.jsonl", "card.json"


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """One run at a time in a folder; the system frees the lock if the process dies.

    Raises ConfigError if it is taken, or where no folder can be.
    """
    real = folder.resolve()  # by whatever name it goes
    if not real.name or (real.exists() and not real.is_dir()):
        raise ConfigError(f"run={str(folder)!r}: expected a folder, there or to be made")
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"run={str(folder)!r}: expected a folder, there or to be made: {error}") from error
    lock = FileLock(real.with_name(f".{real.name}.lock"))  # beside: the folder itself may be replaced
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ConfigError(f"run={str(folder)!r}: another run is under way there; wait for it, or stop it") from None
    try:
        yield
    finally:
        lock.release()


def is_finished(config: Config) -> bool:
    """Whether the folder holds the very run that is asked for, come to its end, and it isn't to be replaced."""
    folder = config.run
    return not config.overwrite and (folder / CARD).exists() and (folder / CONFIG).exists() and not _changes(config)


def inspect_folder(config: Config, *, resume: bool = False) -> bool:
    """Whether the run in the folder goes on. Changes nothing.

    A run that was broken off goes on if it is told the same again, or by `resume`, which may change options and take a
    finished run further. Raises ConfigError for a folder that holds something that isn't to go.
    """
    folder = config.run
    if not (folder / CONFIG).exists():
        if resume:
            raise ConfigError(f"run={str(folder)!r}: expected the folder of a run ({CONFIG} in it)")
        if not is_free(folder, CONFIG):
            raise ConfigError(f"run={str(folder)!r} holds something else than a run (no {CONFIG}): it will not be overwritten")
        return False
    load_config(folder / CONFIG)  # raises for the config.json of something else
    problem = None if resume else _obstacle(config)
    if problem and not config.overwrite:
        raise ConfigError(f"run={str(folder)!r} holds {problem}")
    return problem is None


def prepare_folder(config: Config, tell: Callable[[str], None], *, goes_on: bool, num_updates: int) -> None:
    """Write the configuration, and leave nothing of what comes after the last checkpoint, or of a run that is replaced.

    `tell` takes a line for people.
    """
    folder = config.run
    if not goes_on:
        if (folder / CONFIG).exists():
            tell(f"replacing the {'finished' if (folder / CARD).exists() else 'unfinished'} run in {folder}")
        empty_folder(folder)
    (folder / CARD).unlink(missing_ok=True)
    write_text(folder / CONFIG, SCHEMA.dump_json(config, indent=2).decode() + "\n")
    metrics = folder / METRICS
    lines = metrics.read_text(encoding="utf-8").splitlines() if metrics.exists() else []
    write_text(metrics, "".join(f"{line}\n" for line in lines if _is_before(line, num_updates)))


def is_free(folder: Path, first: str) -> bool:
    """Whether nothing is there, but for what a kill left of a run's first file, while that was written beside its place."""
    return not folder.is_dir() or all(path.name.startswith(f".{first}-") for path in folder.iterdir())


def empty_folder(folder: Path) -> None:
    """Put an empty folder in place of what is there, if anything.

    That is moved aside as one, then deleted, by the next run if this one is killed: no part of a run is left in its place.
    Raises ConfigError for a folder that this process works in.
    """
    real = folder.resolve()
    aside = real.with_name(f".{real.name}.replaced")
    if aside.exists():
        shutil.rmtree(aside)
    if real.is_dir() and any(real.iterdir()):
        if Path.cwd().is_relative_to(real):
            raise ConfigError(f"run={str(folder)!r}: expected another than the working folder: what it holds is to be replaced")
        real.rename(aside)
        real.mkdir()
        shutil.rmtree(aside)


def _obstacle(config: Config) -> str | None:
    """Why the run there cannot go on, and what to say instead."""
    folder = config.run
    if (folder / CARD).exists():
        return "a finished run: name another folder, say --overwrite, or take it further by --resume and a larger budget"
    changes = _changes(config)
    return f"a run with other options ({changes}): name another folder, or say --overwrite or --resume" if changes else None


def _changes(config: Config) -> str:
    """Which options differ from those of the run there, in words; nothing if none. Raises ConfigError."""
    before, now = (SCHEMA.dump_python(each, mode="json") for each in (load_config(config.run / CONFIG), config))
    other = sorted(name for name in now if name not in ("run", "overwrite") and before[name] != now[name])
    return ", ".join(f"{name} was {before[name]}, is now {now[name]}" for name in other)


def read_metrics(folder: Path) -> list[dict]:
    """The lines of metrics.jsonl."""
    return [json.loads(line) for line in (folder / METRICS).read_text(encoding="utf-8").splitlines()]


def _is_before(line: str, num_updates: int) -> bool:
    try:
        return json.loads(line)["updates"] <= num_updates
    except (ValueError, KeyError, TypeError):
        return False
