"""Where a run writes down what happens: its figures, TensorBoard, and the terminal."""

from __future__ import annotations

import io
import json
import os
import socket
import time
from collections.abc import Mapping
from errno import ENOSPC
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.record_writer import RecordWriter
from torch.utils.tensorboard.summary import scalar

from train.run_folder import METRICS

Figures = Mapping[str, float | list[float]]


class Logs:
    """A run's figures: `metrics.jsonl` (one JSON object a line), TensorBoard in the same folder, and a progress bar.

    The bar measures the share of the budget that is used, so the time left is right whichever budget ends the run.

    Args:
        folder: the run's.
        console: for people.
        is_quiet: write and show nothing: for processes besides the one that writes.
        num_decisions: where the run goes on from.
    """

    def __init__(self, folder: Path, console: Console, *, is_quiet: bool = False, num_decisions: int = 0) -> None:
        self.console, self._is_quiet, self._metrics = console, is_quiet, folder / METRICS
        self._board = None if is_quiet else Board(folder, num_decisions)
        self._is_losing = False
        columns = [BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        text = TextColumn("training"), TextColumn("{task.fields[news]}")
        self._progress = Progress(text[0], *columns, text[1], console=console, disable=is_quiet)
        self._task = self._progress.add_task("training", total=1.0, news="")

    def __enter__(self) -> Logs:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def write(self, figures: Figures, *, decisions: int, updates: int, minutes: float) -> None:
        """Write figures down, but for those that are no number; of a list, TensorBoard gets the first entry.

        A full disk is told, once until there is room again, and no more.
        """
        if self._board is None:
            return
        figures = {name: value for name, value in figures.items() if np.isfinite(value).all()}
        line = {"decisions": decisions, "updates": updates, "minutes": round(minutes, 4), **figures}
        try:
            append(self._metrics, (json.dumps(line) + "\n").encode())
            self._board.write(figures, decisions)
        except OSError as error:
            if not self._is_losing:
                self.tell(f"warning: from update {updates} on figures are lost: {error}")
            self._is_losing = True
        else:
            if self._is_losing:
                self.tell(f"from update {updates} on figures are written again")
            self._is_losing = False

    def tell(self, line: str) -> None:
        """Print a line above the bar."""
        if not self._is_quiet:
            self.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def show(self, used: float, news: str) -> None:
        """Move the bar to the share of the budget that is used."""
        self._progress.update(self._task, completed=min(used, 1.0), news=news)


class Board:
    """TensorBoard's file in a run's folder. Its own writers do so in a thread, which a full disk ends for good.

    Args:
        folder: the run's.
        num_decisions: where the run goes on from: TensorBoard passes over what was written of later ones.
    """

    def __init__(self, folder: Path, num_decisions: int) -> None:
        self._path = folder / f"events.out.tfevents.{time.time():010.0f}.{socket.gethostname()}.{os.getpid()}"
        begin = SessionLog(status=SessionLog.START)
        append(self._path, _record(file_version="brain.Event:2") + _record(session_log=begin, step=num_decisions + 1))

    def write(self, figures: Figures, decisions: int) -> None:
        """Write figures down, the first entry of a list. Raises OSError."""
        values = {name: value[0] if isinstance(value, list) else value for name, value in figures.items()}
        append(self._path, b"".join(_record(summary=scalar(name, value), step=decisions) for name, value in values.items()))


def _record(**fields: Any) -> bytes:
    """An event as TensorBoard's files hold it."""
    content = io.BytesIO()
    RecordWriter(content).write(Event(wall_time=time.time(), **fields).SerializeToString())
    return content.getvalue()


def append(path: Path, content: bytes) -> None:
    """Write at a file's end, all of it or nothing: a disk that fills up takes the beginning. Raises OSError."""
    with path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            if file.write(content) < len(content):
                raise OSError(ENOSPC, os.strerror(ENOSPC), str(path))
        except OSError:
            file.truncate(end)
            raise
