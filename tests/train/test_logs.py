"""Figures on disks that are full for a while."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.train.full_disk import files_up_to
from train.logs import Logs, append
from train.run_folder import METRICS


def test_a_line_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    append(tmp_path / "x", b"one\n")
    with files_up_to(7), pytest.raises(OSError, match="space"):
        append(tmp_path / "x", b"two and more\n")
    append(tmp_path / "x", b"three\n")
    assert (tmp_path / "x").read_bytes() == b"one\nthree\n"


def test_a_full_disk_is_told_once_and_costs_no_figure_after_it(tmp_path: Path) -> None:
    terminal = io.StringIO()
    with Logs(tmp_path, Console(file=terminal)) as logs:

        def write(*updates: int) -> None:
            for number in updates:
                logs.write({"loss": float(number), "rate": [0.5, 0.4, 0.6]}, decisions=number, updates=number, minutes=0)

        write(*range(10))
        with files_up_to(0):
            write(10, 11, 12)
        write(13, 14)
        with files_up_to(0):
            write(15)
        write(16)
    told = [line.split(": [Errno")[0] for line in terminal.getvalue().splitlines() if "from update" in line]
    assert told == [
        "warning: from update 10 on figures are lost",
        "from update 13 on figures are written again",
        "warning: from update 15 on figures are lost",
        "from update 16 on figures are written again",
    ]
    kept = [*range(10), 13, 14, 16]
    assert [json.loads(line)["updates"] for line in (tmp_path / METRICS).read_text().splitlines()] == kept
    board = EventAccumulator(str(tmp_path)).Reload()
    assert [(event.step, event.value) for event in board.Scalars("loss")] == [(number, number) for number in kept]
    assert board.Scalars("rate")[0].value == 0.5


def test_what_was_written_after_the_point_of_going_on_is_hidden(tmp_path: Path) -> None:
    for begin, numbers in ((0, (1, 2, 3)), (2, (3, 4))):
        with Logs(tmp_path, Console(quiet=True), num_decisions=begin) as logs:
            for number in numbers:
                logs.write({"loss": float(10 * begin + number)}, decisions=number, updates=number, minutes=0)
    board = EventAccumulator(str(tmp_path)).Reload()
    assert [(event.step, event.value) for event in board.Scalars("loss")] == [(1, 1), (2, 2), (3, 23), (4, 24)]
