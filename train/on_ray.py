"""The same training in workers of Ray, on one machine or on several: each with games of its own."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from train.config import SCHEMA, Config, ConfigError
from train.training import train


def train_on_ray(config: Config, num_workers: int, *, resume: bool = False, force: bool = False) -> Path:
    """Train with `num_workers` processes. Returns the agent's folder.

    On several machines the clone and the run's folder have to be at the same path on each. Raises ConfigError where Ray is
    not there, and what a worker raised: ConfigError as in one process, anything else as Ray's error.
    """
    if num_workers < 1:
        raise ConfigError(f"workers={num_workers}: expected 1 or more")
    try:
        import ray
        from ray.train import RunConfig, ScalingConfig, WorkerGroupError
        from ray.train.torch import TorchConfig, TorchTrainer
    except ImportError as error:
        raise ConfigError(f"{error}: Ray comes with pip install -e '.[ray]'") from error
    config = replace(config, run=config.run.absolute())
    options = {"config": SCHEMA.dump_json(config).decode(), "resume": resume, "force": force}
    if not ray.is_initialized():
        ray.init(address=os.environ.get("RAY_ADDRESS"), runtime_env={"env_vars": {"PYTHONPATH": str(Path.cwd())}})
    with tempfile.TemporaryDirectory() as notes:  # Ray's own; all that matters is in the run's folder
        trainer = TorchTrainer(
            work,
            train_loop_config=options,
            scaling_config=ScalingConfig(num_workers=num_workers),
            torch_config=TorchConfig(backend="gloo"),
            run_config=RunConfig(storage_path=notes),
        )
        try:
            trainer.fit()
        except WorkerGroupError as error:
            raise next((own for own in map(own_error, error.worker_failures.values()) if own), error) from error
    return config.run / "agent"


def own_error(error: BaseException | None) -> ConfigError | None:
    """The ConfigError behind a worker's failure, which Ray wraps, if it was one."""
    while error and not isinstance(error, ConfigError):
        error = getattr(error, "cause", None) or error.__cause__
    return ConfigError(str(error)) if error else None


def work(options: dict[str, Any]) -> None:
    """What each worker does. Ray has made the processes meet already (see train.world)."""
    train(SCHEMA.validate_json(options["config"]), Console(stderr=True), resume=options["resume"], force=options["force"])
