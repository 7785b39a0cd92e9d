"""What tests of whole runs have in common: a run that crashes on the way, and what is compared of two."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from train.trainer import Trainer


@contextmanager
def crash_after(num_updates: int, check: Callable[[Trainer], None] = lambda trainer: None) -> Iterator[None]:
    """What runs within crashes after so many updates, once `check` has looked at the trainer; it has to come to that."""
    improve = Trainer.improve

    def improve_or_crash(trainer: Trainer) -> dict[str, float]:
        if trainer.num_updates == num_updates:
            check(trainer)
            raise ArithmeticError("no luck")
        return improve(trainer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trainer, "improve", improve_or_crash)
        with pytest.raises(ArithmeticError):
            yield


def figures(folder: Path) -> list[dict]:
    """All figures of a run but those of time."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "minutes" and "speed" not in name} for line in lines]
