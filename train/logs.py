"""Where a run writes down what happens: its folder, TensorBoard, and the terminal."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch.utils.tensorboard import SummaryWriter

from train.config import SCHEMA, Config, ConfigError

CONFIG, METRICS = "config.json", "metrics.jsonl"


def make_folder(config: Config) -> None:
    """Make the run's folder, with its configuration in it. Raises ConfigError if it holds something that isn't to go."""
    folder = config.run
    if folder.is_dir() and any(folder.iterdir()):
        if not config.overwrite:
            raise ConfigError(f"run={str(folder)!r} holds an earlier run: name another folder, or say --overwrite")
        if not (folder / CONFIG).exists():
            raise ConfigError(f"run={str(folder)!r} holds something else than a run (no {CONFIG}): it will not be overwritten")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_bytes(SCHEMA.dump_json(config, indent=2) + b"\n")


class Logs:
    """A run's figures: `metrics.jsonl` (one JSON object a line), TensorBoard in the same folder, and a progress bar.

    The bar measures the share of the budget that is used, so the time left is right whichever budget ends the run.
    """

    def __init__(self, folder: Path, console: Console) -> None:
        self.console = console
        self._file = (folder / METRICS).open("a", encoding="utf-8")
        self._board = SummaryWriter(str(folder))
        columns = [BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()]
        self._progress = Progress(TextColumn("training"), *columns, TextColumn("{task.fields[news]}"), console=console)
        self._task = self._progress.add_task("training", total=1.0, news="")

    def __enter__(self) -> Logs:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()
        self._board.close()
        self._file.close()

    def write(self, figures: Mapping[str, float | list[float]], decisions: int, minutes: float) -> None:
        """Write figures down; of a list, TensorBoard gets the first entry."""
        line = {"decisions": decisions, "minutes": round(minutes, 4), **figures}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        for name, value in figures.items():
            self._board.add_scalar(name, value[0] if isinstance(value, list) else value, decisions)

    def tell(self, line: str) -> None:
        """Print a line above the bar."""
        self.console.print(line, highlight=False)

    def show(self, used: float, news: str) -> None:
        """Move the bar to the share of the budget that is used."""
        self._progress.update(self._task, completed=min(used, 1.0), news=news)
