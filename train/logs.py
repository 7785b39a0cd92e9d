"""Where a run writes down what happens: its figures, TensorBoard, and the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch.utils.tensorboard import SummaryWriter

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
        self.console, self._is_quiet = console, is_quiet
        self._file = None if is_quiet else (folder / METRICS).open("a", encoding="utf-8")
        self._board = None if is_quiet else SummaryWriter(str(folder), purge_step=num_decisions + 1)
        columns = [BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        text = TextColumn("training"), TextColumn("{task.fields[news]}")
        self._progress = Progress(text[0], *columns, text[1], console=console, disable=is_quiet)
        self._task = self._progress.add_task("training", total=1.0, news="")

    def __enter__(self) -> Logs:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()
        if self._file and self._board:
            self._board.close()
            self._file.close()

    def write(self, figures: Figures, *, decisions: int, updates: int, minutes: float) -> None:
        """Write figures down, but for those that are no number; of a list, TensorBoard gets the first entry.

        A full disk is told, and no more.
        """
        if not (self._file and self._board):
            return
        figures = {name: value for name, value in figures.items() if np.isfinite(value).all()}
        line = {"decisions": decisions, "updates": updates, "minutes": round(minutes, 4), **figures}
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            for name, value in figures.items():
                self._board.add_scalar(name, value[0] if isinstance(value, list) else value, decisions)
        except OSError as error:
            self.tell(f"warning: figures of update {updates} are lost: {error}")

    def tell(self, line: str) -> None:
        """Print a line above the bar."""
        if not self._is_quiet:
            self.console.print(line, highlight=False, markup=False, soft_wrap=True)

    def show(self, used: float, news: str) -> None:
        """Move the bar to the share of the budget that is used."""
        self._progress.update(self._task, completed=min(used, 1.0), news=news)
