"""Self-play PPO, from the first random moves to a saved agent. Begin reading at `train`."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from rich.console import Console

from agents.checkpoint import CARD, WEIGHTS, write_folder
from train.checkpoints import Checkpoints
from train.config import Config, ConfigError
from train.logs import Logs
from train.report import write_report
from train.run_folder import inspect_folder, is_finished, lock_folder, prepare_folder
from train.testing import CHOOSING, check_opponents, identity, strength, test
from train.trainer import Trainer
from train.world import join_world


@dataclass(frozen=True)
class Ending:
    """How a run ended: its agent's folder, and the signal that broke it off, 0 if it came to its end."""

    agent: Path
    signal: int = 0


def train(
    config: Config,
    console: Console,
    *,
    resume: bool = False,
    force: bool = False,
    is_asked_to_stop: Callable[[], bool] = lambda: False,
) -> Ending:
    """Train an agent and save it, with all that was measured, in the run's folder.

    A run that was broken off there goes on, and one that is finished stays as it is; Ctrl-C and SIGTERM break it off so that
    nothing is lost. Raises ConfigError for a folder in use, by another run or for something else, or a run that is not to be
    changed so, AgentError for an opponent, in play or in a test, that is not known or does not fit, before anything is written.

    Args:
        config: what to do.
        console: for people.
        resume: go on with the run in the folder though options have changed; see `inspect_folder`.
        force: though even rules, network or opponents have changed; see `Trainer.restore`.
        is_asked_to_stop: asked once an update; breaks the run off as SIGTERM does.
    """
    torch.set_num_threads(config.num_threads)
    tell = partial(console.print, markup=False, soft_wrap=True)
    with join_world() as world, ExitStack() as held:
        world.decide(lambda: held.enter_context(lock_folder(config.run)))
        if world.decide(lambda: not resume and is_finished(config)):
            if world.is_writer:
                tell(f"{config.run} is finished: --overwrite begins anew, --resume with a larger budget takes it further")
            return Ending(config.run / "agent")
        world.decide(lambda: check_opponents(config))
        checkpoints = Checkpoints(config.run / "checkpoints", config.keep, tell, identity(config))
        goes_on, files = world.decide(lambda: find_run(config, checkpoints, resume=resume))
        trainer = Trainer(config, world, files)
        begin(trainer, checkpoints, files, goes_on=goes_on, force=force)
        logs = Logs(config.run, console, is_quiet=not world.is_writer, num_decisions=trainer.num_decisions)
        with logs, remember_signals(logs.tell) as signals:
            is_over = loop(trainer, checkpoints, logs, lambda: bool(signals) or is_asked_to_stop())
        if world.is_writer:
            save_best(trainer, checkpoints, config.run / "agent")
            if is_over:
                write_report(config, trainer, console)
        return Ending(config.run / "agent", 0 if is_over else (signals or [signal.SIGTERM])[0])


def begin(trainer: Trainer, checkpoints: Checkpoints, files: dict[str, bytes] | None, *, goes_on: bool, force: bool) -> None:
    """Go on from a checkpoint's files, if there are any, and make the run's folder ready; see `find_run`."""
    world, config = trainer.world, trainer.config
    for line in trainer.restore(files, force=force) if files else []:
        checkpoints.tell(f"warning: {line}")
    world.decide(lambda: prepare_folder(config, checkpoints.tell, goes_on=goes_on, num_updates=trainer.num_updates))
    world.decide(lambda: checkpoints.drop_after(trainer.num_updates))
    if files and world.is_writer:
        checkpoints.tell(f"going on from update {trainer.num_updates}, {trainer.num_decisions:,} decisions")


def find_run(config: Config, checkpoints: Checkpoints, *, resume: bool) -> tuple[bool, dict[str, bytes] | None]:
    """Whether the run in the folder goes on, and from which checkpoint, if it came to one. Raises ConfigError as `train`."""
    goes_on = inspect_folder(config, resume=resume)
    files = checkpoints.newest() if goes_on else None
    if goes_on and checkpoints and not files:
        if resume or not config.overwrite:
            raise ConfigError(f"run={str(config.run)!r} has no whole checkpoint: --overwrite, without --resume, begins anew")
        goes_on = False
    return goes_on, files


def loop(trainer: Trainer, checkpoints: Checkpoints, logs: Logs, is_asked_to_stop: Callable[[], bool]) -> bool:
    """Play and learn until the budget is used up or somebody asks to stop; test and save along the way.

    An agent that the run starts from is tested first. Returns whether the budget is used up. That is asked once an update, of
    the writer: the last test is never passed over.
    """
    world, last_save, is_stopped = trainer.world, time.monotonic(), False
    used = world.agree(trainer.used)
    if (score := run_tests(trainer, logs, used)) is not None:
        save(trainer, checkpoints, score)
    while not is_stopped and used < 1:
        figures = trainer.improve()
        used = world.agree(trainer.used)
        logs.write(figures, **trainer.counts())
        logs.show(used, f"{trainer.num_decisions / 1e6:.1f} M decisions, entropy {figures['policy/entropy']:.2f}")
        is_stopped = bool(world.sum(np.array(is_asked_to_stop())))
        score = None if is_stopped and used < 1 else run_tests(trainer, logs, used)
        is_late = world.agree(time.monotonic() - last_save >= 60 * trainer.config.save_minutes)
        if is_stopped or score is not None or is_late or used >= 1:
            save(trainer, checkpoints, score)
            last_save = time.monotonic()
    return used >= 1


def run_tests(trainer: Trainer, logs: Logs, used: float) -> float | None:
    """Test, if it is time to with so much of the budget used. Returns how strong the learner is.

    What the run starts from is even with itself: no games are played for that, which might be endless.
    """
    if not trainer.is_test_due(used):
        return None
    config, tests = trainer.config, []
    itself = config.start_from if trainer.num_updates == 0 else None
    others = replace(config, test_against=tuple(name for name in config.test_against if name != itself))
    num_even = len(config.rules) * len(config.players) * (len(config.test_against) - len(others.test_against))
    for found in test(trainer.agent, others, CHOOSING + config.seed) if trainer.world.is_writer else ():
        tests.append(found)
        logs.write({f"win_rate/{found.name}": found.win_rate}, **trainer.counts())
        logs.tell(f"{trainer.minutes:5.1f} min  {found}")
    return trainer.world.agree(strength(tests, num_even))


def save(trainer: Trainer, checkpoints: Checkpoints, score: float | None) -> None:
    """Write a checkpoint, of all processes; `score` says how good the agent is, if that was tested."""
    files = trainer.capture()
    if trainer.world.is_writer:
        checkpoints.save(trainer.num_updates, files, score)


def save_best(trainer: Trainer, checkpoints: Checkpoints, folder: Path) -> None:
    """Write the best agent by its tests; the one at hand if there was none that is whole."""
    files = checkpoints.best_files() or trainer.agent_files()
    write_folder(folder, {name: files[name] for name in (WEIGHTS, CARD)})


@contextmanager
def remember_signals(tell: Callable[[str], None]) -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM are remembered, so that what is under way comes to an end; a second one ends it at once.

    Only a program's main thread can do so; elsewhere (a worker of Ray) whoever started the thread has to.
    """
    received: list[int] = []

    def remember(number: int, _: object) -> None:
        received.append(number)
        for each, handler in before.items():
            signal.signal(each, handler)
        tell("stopping: all will be saved (once more to leave at once, without)")

    is_main = threading.current_thread() is threading.main_thread()
    before = {each: signal.signal(each, remember) for each in (signal.SIGINT, signal.SIGTERM)} if is_main else {}
    try:
        yield received
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
