"""The processes that train together: alone, under torchrun, or as workers of Ray."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import torch
import torch.distributed as dist

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class World:
    """This process among the others. The one of rank 0 writes files and speaks; all play and learn."""

    rank: int = 0
    size: int = 1

    @property
    def is_writer(self) -> bool:
        """Whether this process writes the run's files."""
        return self.rank == 0

    def sum(self, values: np.ndarray) -> np.ndarray:
        """The sum over all processes, of the same shape, float64."""
        total = torch.from_numpy(np.asarray(values, np.float64).copy())
        if self.size > 1:
            dist.all_reduce(total)
        return total.numpy()

    def least(self, value: int) -> int:
        """The least over all processes."""
        found = torch.tensor(value)
        if self.size > 1:
            dist.all_reduce(found, dist.ReduceOp.MIN)
        return int(found)

    def agree(self, value: Any) -> Any:
        """What the writer says."""
        said = [value]
        if self.size > 1:
            dist.broadcast_object_list(said)
        return said[0]

    def decide(self, find: Callable[[], Answer]) -> Answer:
        """What the writer finds; where that raises ValueError or OSError, all processes raise it."""
        answer: Answer | None = None
        problem: ValueError | OSError | None = None
        try:
            answer = find() if self.is_writer else None
        except (ValueError, OSError) as error:
            problem = error
        problem, answer = self.agree((problem, answer))
        if problem:
            raise problem
        return cast(Answer, answer)

    def gather(self, value: Any) -> list[Any]:
        """What every process says, by rank, for the writer; nothing for the others."""
        if self.size == 1:
            return [value]
        said: list[Any] | None = [None] * self.size if self.is_writer else None
        dist.gather_object(value, said)
        return said or []


GPU_BACKEND = "cpu:gloo,cuda:nccl"


def backend() -> str:
    """What carries numbers between processes: NCCL between GPUs where each process here has its own, gloo all else."""
    has_own_gpu = 0 < int(os.environ.get("LOCAL_WORLD_SIZE", 1)) <= torch.cuda.device_count()
    return GPU_BACKEND if has_own_gpu and dist.is_nccl_available() else "gloo"


@contextmanager
def join_world() -> Iterator[World]:
    """Meet the other processes, if whoever started this one (torchrun or Ray) says that there are any."""
    is_ours = not dist.is_initialized() and int(os.environ.get("WORLD_SIZE", 1)) > 1
    if is_ours:
        dist.init_process_group(backend())
    try:
        yield World(dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else World()
    finally:
        if is_ours:
            dist.destroy_process_group()
