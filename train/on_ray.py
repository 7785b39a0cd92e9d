"""The same training in workers of Ray, on one machine or on several: each with games of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import torch
from rich.console import Console

from agents.protocol import AgentError
from train.config import SCHEMA, Config, ConfigError
from train.testing import check_opponents
from train.training import Ending, remember_signals, train
from train.world import GPU_BACKEND
from unoflip_env.rules import RulesError

Answer = TypeVar("Answer")
OWN = ConfigError, AgentError, RulesError, OSError  # errors for people, in one line


class Office:
    """An actor of Ray's: tells the workers of the signal that their starter has received, and that one how they ended."""

    def __init__(self) -> None:
        self._received = self._ended_by = 0

    def receive(self, number: int) -> None:
        """A signal has come."""
        self._received = number

    def received(self) -> int:
        """Which; 0 for none."""
        return self._received

    def end(self, number: int) -> None:
        """The run has ended, by a signal or, 0, by itself."""
        self._ended_by = self._received if number else 0

    def ended_by(self) -> int:
        """By which signal; 0 for none."""
        return self._ended_by


def train_on_ray(config: Config, num_workers: int, console: Console, *, resume: bool = False, force: bool = False) -> Ending:
    """`train` in `num_workers` processes.

    On several machines the clone and the run's folder have to be at the same path on each. Raises as `train` does, ConfigError
    also where Ray is not there, and Ray's error for anything else that a worker raised.
    """
    if num_workers < 1:
        raise ConfigError(f"workers={num_workers}: expected 1 or more")
    try:
        import ray
        from ray.train import RunConfig, ScalingConfig, WorkerGroupError
        from ray.train.torch import TorchConfig, TorchTrainer
    except ImportError as error:
        raise ConfigError(f"{error}: Ray comes with pip install -e '.[ray]'") from error
    check_opponents(config)  # before any worker writes its traceback
    if not ray.is_initialized():
        ray.init(address=os.environ.get("RAY_ADDRESS"), runtime_env={"env_vars": {"PYTHONPATH": str(Path.cwd())}})
    use_gpu, backend = choose_processors(num_workers, int(ray.cluster_resources().get("GPU", 0)))
    office = ray.remote(num_cpus=0)(Office).remote()
    options = {"config": SCHEMA.dump_json(config).decode(), "folder": str(Path.cwd()), "resume": resume, "force": force}
    with tempfile.TemporaryDirectory() as notes:  # Ray's own; all that matters is in the run's folder
        trainer = TorchTrainer(
            work,
            train_loop_config=options | {"office": office},
            scaling_config=ScalingConfig(num_workers=num_workers, use_gpu=use_gpu),
            torch_config=TorchConfig(backend=backend),
            run_config=RunConfig(storage_path=notes),
        )
        with remember_signals(partial(console.print, markup=False, soft_wrap=True)) as signals:
            try:
                run_aside(trainer.fit, lambda: [office.receive.remote(number) for number in signals])
            except WorkerGroupError as error:
                raise next((own for own in map(own_error, error.worker_failures.values()) if own), error) from error
    return Ending(config.run / "agent", ray.get(office.ended_by.remote()))


def choose_processors(num_workers: int, num_gpus: int) -> tuple[bool, str]:
    """Whether each worker gets a GPU, as it does where Ray has as many, and what carries numbers between them."""
    use_gpu = num_workers <= num_gpus
    return use_gpu, GPU_BACKEND if use_gpu and torch.distributed.is_nccl_available() else "gloo"


def run_aside(call: Callable[[], Answer], watch: Callable[[], object]) -> Answer:
    """What `call` returns or raises, in a thread of its own: Ray takes signals for itself in the main one.

    Meanwhile `watch` is called now and then.
    """
    done: Future[Answer] = Future()

    def run() -> None:
        try:
            done.set_result(call())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    while not done.done():
        wait([done], timeout=0.2)
        watch()
    return done.result()


def own_error(error: BaseException | None) -> BaseException | None:
    """What is behind a worker's failure, which Ray wraps, if it is one of OWN."""
    while error and not isinstance(error, OWN):
        error = getattr(error, "cause", None) or error.__cause__
    return error


def work(options: dict[str, Any]) -> None:
    """What each worker does. Ray has made the processes meet already (see train.world)."""
    import ray

    os.chdir(options["folder"])  # Ray begins elsewhere, and paths may be relative
    config, office = SCHEMA.validate_json(options["config"]), options["office"]
    ending = train(
        config,
        Console(stderr=True),
        resume=options["resume"],
        force=options["force"],
        is_asked_to_stop=lambda: bool(ray.get(office.received.remote())),
    )
    ray.get(office.end.remote(ending.signal))
