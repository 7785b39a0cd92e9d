"""A program that answers lines with lines, held to limits of time, memory and output."""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from pydantic import ConfigDict

_CHUNK = 65536
# The shell sets the limits and then becomes the program, so that no Python code runs between fork and exec.
_LAUNCHER = 'ulimit -f "$1"; [ "$2" = 0 ] || ulimit -v "$2"; shift 2; exec "$@"'
# Is told nothing until nobody is left to tell it: this process has ended, however it did.
_GUARD = 'read -r _; kill -9 -"$1"'
_FILE_BLOCKS = 16 * 1024 * 2  # of 512 bytes: no file that it writes, its log included, grows beyond 16 MiB

Fault = Literal["crash", "timeout", "flood", "nonsense", "illegal", "given up", "out of time"]
"""What a program can do wrong: end; say nothing for too long; say too much; say what is no answer; choose what is not legal;
do the first four too often in a row; use up the time that it has in all."""


class ProgramError(Exception):
    """A program that does not answer as it should; `fault` says in what way, the message gives the details."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault: Fault = fault


@dataclass(frozen=True)
class Limits:
    """What a program may use. A limit of the system's that the system does not have (memory on macOS) does not hold."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    start_seconds: float = 30.0
    """From its start to its answer to the greeting."""
    move_seconds: float = 5.0
    """For each decision."""
    total_seconds: float = 3600.0
    """For all starts and decisions together; after that it forfeits whatever is left."""
    memory_mb: int = 4096
    """Address space in MiB, for each of its processes; 0 for no limit, as runtimes such as Node, Java and Go want it."""
    output_bytes: int = 65536
    """In one answer."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least, expected = (0, "0 or more") if name == "memory_mb" else (math.ulp(0.0), "more than 0")
            if not least <= value < math.inf:
                raise ValueError(f"{name}={value}: expected a number {expected}, and finite")


class Program:
    """One process at a time; it is killed, with all of its session, when it does wrong and when this object goes.

    It also dies when this process ends, were it by SIGKILL: a second process waits for that. Its standard error goes to a file
    that is deleted with it; the last line of it is told when it crashes.
    """

    def __init__(self, command: Sequence[str], limits: Limits, folder: Path) -> None:
        self._command, self._limits, self._folder = command, limits, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._kill: Callable[[], object] | None = None
        self._output = b""
        self.seconds = 0.0
        """Time used so far, waiting for it."""

    @property
    def is_running(self) -> bool:
        """Whether there is a process to ask; it may have ended by itself."""
        return self._process is not None

    def start(self) -> None:
        """Begin a new process. Its own session keeps Ctrl-C from it, and lets all of it be killed.

        Raises ProgramError where the system has none to give.
        """
        self.stop()
        try:
            self._start()
        except OSError as error:
            self.stop()
            raise ProgramError("crash", str(error)) from error

    def _start(self) -> None:
        self._log, self._output = tempfile.TemporaryFile(), b""  # noqa: SIM115 `stop` closes it
        processes: list[subprocess.Popen[bytes]] = []
        self._kill = weakref.finalize(self, _end, processes, self._log)
        limits = str(_FILE_BLOCKS), str(self._limits.memory_mb * 1024)
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _LAUNCHER, "sh", *limits, *self._command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,
            cwd=self._folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
        )
        processes.append(self._process)
        assert self._process.stdin
        os.set_blocking(self._process.stdin.fileno(), False)
        guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        processes.append(guard)

    def stop(self) -> None:
        """Kill it."""
        if self._kill:
            self._kill()
        self._kill = self._process = None

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Write a line and read the next one, without its end. Raises ProgramError, after which it is no longer running."""
        begin = time.monotonic()
        try:
            self._write(line, begin + seconds)
            return self._read(begin + seconds)
        except ProgramError:
            self.stop()
            raise
        finally:
            self.seconds += time.monotonic() - begin

    def _write(self, line: bytes, deadline: float) -> None:
        assert self._process
        assert self._process.stdin
        file = self._process.stdin.fileno()
        while line:
            self._wait(file, select.POLLOUT, deadline)
            try:
                line = line[os.write(file, line[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._crash() from None

    def _read(self, deadline: float) -> bytes:
        assert self._process
        assert self._process.stdout
        file = self._process.stdout.fileno()
        while b"\n" not in self._output:
            self._wait(file, select.POLLIN, deadline)
            chunk = os.read(file, _CHUNK)
            if not chunk:
                raise self._crash()
            self._output += chunk
            if len(self._output) > self._limits.output_bytes:
                raise ProgramError("flood", f"an answer of more than {self._limits.output_bytes:,} bytes")
        answer, _, self._output = self._output.partition(b"\n")
        return answer

    def _wait(self, file: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(file, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise ProgramError("timeout", "no answer in time")

    def _crash(self) -> ProgramError:
        """How the process ended, in words."""
        assert self._process
        assert self._log
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return ProgramError("crash", "it closed its output")
        self._log.seek(max(0, os.fstat(self._log.fileno()).st_size - 4096))
        last = self._log.read().decode(errors="replace").strip().rpartition("\n")[2][:200]
        shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in last)  # on a terminal
        how = f"signal {-status} ({signal.strsignal(-status)})" if status < 0 else f"exit status {status}"
        return ProgramError("crash", f"{how}{': ' * bool(shown)}{shown}")


def _end(processes: list[subprocess.Popen[bytes]], log: IO[bytes]) -> None:
    """Kill these and all in their sessions, and close what leads to them: the last first, lest a guard outlive its number."""
    for process in reversed(processes):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for file in (process.stdin, process.stdout):
            if file:
                file.close()
        process.wait()
    log.close()
