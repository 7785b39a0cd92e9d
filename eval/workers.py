"""Who plays shards besides this process: its own processes, or a Ray cluster. They write nothing; results come back."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from eval.ledger import Played, Shard

Task = Callable[[Shard], Played]
MAX_DEATHS = 3
"""Workers that may die in a row, with nothing done between, before a run is given up."""


class WorkerError(RuntimeError):
    """Workers that die again and again, or cannot be had; the message says what to do."""


class Workers(Protocol):
    """Plays shards in any order."""

    def play(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, Played]]:
        """Each shard with its result, as they are done. A shard whose worker died is played again."""
        ...

    def close(self) -> None:
        """Let go of the workers; shards in play are lost."""
        ...


class ProcessWorkers:
    """Worker processes of this machine.

    They are started anew rather than forked, since threads and compiled kernels do not survive a fork. One that dies takes its
    pool with it, as `concurrent.futures` has it: then there is a new pool, and what was in play is played again.

    Args:
        task: plays a shard; it and its results are pickled.
        num_workers: processes.
    """

    def __init__(self, task: Task, num_workers: int) -> None:
        self._task, self._num_workers = task, num_workers
        self._context = multiprocessing.get_context("spawn")
        self._lifeline, self._writer = self._context.Pipe(duplex=False)
        self._pool = self._new_pool()

    def play(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, Played]]:
        """See Workers.play. Raises WorkerError after MAX_DEATHS in a row."""
        coming, lost, num_deaths = iter(shards), list[Shard](), 0
        running: dict[Future[Played], Shard] = {}
        while True:
            self._fill(running, lost, coming)
            if not running:
                return
            ended, others = wait(running, return_when=FIRST_COMPLETED)
            if is_broken := any(isinstance(future.exception(), BrokenExecutor) for future in ended):
                ended |= wait(others).done
            for future in ended:
                shard = running.pop(future)
                if isinstance(future.exception(), BrokenExecutor):
                    lost.append(shard)
                else:
                    num_deaths = 0
                    yield shard, future.result()
            if is_broken:
                num_deaths += 1
                if num_deaths == MAX_DEATHS:
                    raise WorkerError(
                        f"{MAX_DEATHS} workers died in a row, the last with {lost[0]}: memory, or an agent's fault?"
                    )
                self._pool.shutdown()
                self._pool = self._new_pool()

    def close(self) -> None:
        """See Workers.close."""
        self._writer.close()
        self._pool.shutdown(cancel_futures=True)

    def _fill(self, running: dict[Future[Played], Shard], lost: list[Shard], coming: Iterator[Shard]) -> None:
        """Have a shard in play and another in wait for each worker, first those that were lost."""
        room = 2 * self._num_workers - len(running)
        again = [lost.pop() for _ in range(min(room, len(lost)))]
        for shard in (*again, *islice(coming, room - len(again))):
            running[self._submit(shard)] = shard

    def _submit(self, shard: Shard) -> Future[Played]:
        try:
            with _without_ctrl_c():  # this may start a worker
                return self._pool.submit(_play_shard, self._task, shard)
        except BrokenExecutor as error:  # since the last look at it; the next one will see that
            broken: Future[Played] = Future()
            broken.set_exception(error)
            return broken

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._num_workers, self._context, _begin_worker, (self._lifeline,))


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait, and have processes that are started here not hear of it, not even while they begin and import."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():  # no such masks; no such signals
        yield
        return
    heard: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which processes that are started here inherit
    handler = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))  # other threads may hear it yet
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if heard:
            signal.raise_signal(signal.SIGINT)


def _begin_worker(lifeline: Connection) -> None:
    """Leave Ctrl-C to the process that writes, and end with it, however it ends: the other end of the pipe is then closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _may_leave.acquire()

    def watch() -> None:
        lifeline.poll(None)
        _may_leave.acquire(timeout=1.0)  # without a shard, nothing is sent for so long
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_may_leave = threading.Lock()
"""Free while a worker plays. One that left amid sending its result would have the other end wait for the rest for ever."""


def _play_shard(task: Task, shard: Shard) -> Played:
    """What a worker does."""
    _may_leave.release()
    try:
        return task(shard)
    finally:
        _may_leave.acquire()


class RayWorkers:
    """The processors of a Ray cluster. A shard whose worker or machine dies is played again, MAX_DEATHS times at most.

    Args:
        task: plays a shard; it and its results are pickled. All machines need this checkout at the same path.
        address: of the cluster; `auto` finds the one that this machine is a part of, `local` begins one on this machine.

    Raises WorkerError where Ray is not installed or there is no such cluster.
    """

    def __init__(self, task: Task, address: str) -> None:
        try:
            import ray  # not everyone has it, and it takes seconds
        except ImportError as error:
            raise WorkerError("Ray is not installed: it comes with pip install -e '.[ray]'") from error
        self._ray = ray
        _check_address(address)
        settings = {"log_to_driver": False, "logging_level": "error", "runtime_env": {"env_vars": _ENVIRONMENT}}
        try:
            ray.init(None if address == "local" else address, **settings)
        except (ConnectionError, ValueError) as error:
            raise WorkerError(f"ray={address!r}: {error}") from error
        self._play = ray.remote(max_retries=MAX_DEATHS)(lambda shard: task(shard))  # Ray takes nothing but plain functions

    def play(self, shards: Iterable[Shard]) -> Iterator[tuple[Shard, Played]]:
        """See Workers.play. Raises WorkerError for a shard that was given up."""
        coming, running = iter(shards), dict[object, Shard]()
        while True:
            room = 2 * int(self._ray.cluster_resources().get("CPU", 1)) - len(running)
            running |= {self._play.remote(shard): shard for shard in islice(coming, max(0, room))}
            if not running:
                return
            ended, _ = self._ray.wait(list(running))
            for reference in ended:
                shard = running.pop(reference)
                yield shard, self._result(reference, shard)

    def close(self) -> None:
        """See Workers.close."""
        self._ray.shutdown()

    def _result(self, reference: object, shard: Shard) -> Played:
        try:
            played: Played = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            raise WorkerError(
                f"{shard} was given up: {type(error).__name__}; the cluster is gone, or workers die of it"
            ) from error
        return played


def _check_address(address: str) -> None:
    """Ask whether anybody listens at a HOST:PORT, which Ray does not give up on for minutes. Raises WorkerError."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal() and "/" not in host):
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise WorkerError(f"ray={address!r}: {error}; expected the address of a cluster (ray start --head)") from error


_ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).resolve().parents[1]), "OMP_NUM_THREADS": "1"}
