"""Checkpoints on disk: whole, checked by hash, the last few and the best kept."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agents.checkpoint import write_folder

MANIFEST = "manifest.json"


class Checkpoints:
    """The checkpoints of a run: a folder `update-000120` for each, with the files that make it up and a manifest of hashes.

    Args:
        folder: where they lie.
        keep: how many to keep: the last so many, and the best besides.
        tell: takes a line for people.
    """

    def __init__(self, folder: Path, keep: int, tell: Callable[[str], None]) -> None:
        self.folder, self.keep, self.tell = folder, keep, tell

    def save(self, num_updates: int, files: Mapping[str, bytes], score: float | None) -> bool:
        """Write one, then drop those that are too many. Returns whether that went well: a full disk is told, no error.

        `score` says how good the agent is, if that was tested.
        """
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        manifest = {"files": hashes, "score": score}
        path = self.folder / f"update-{num_updates:06d}"
        try:
            write_folder(path, {**files, MANIFEST: (json.dumps(manifest, indent=2) + "\n").encode()})
        except OSError as error:
            self.tell(f"warning: no checkpoint, {error}; those before it stay, and the run goes on")
            return False
        self._drop()
        return True

    def newest(self) -> dict[str, bytes] | None:
        """The files of the newest one that is whole; None if there is none. Damaged ones are told and passed over."""
        whole = (self._read(path) for path in reversed(self._paths()))
        return next((files for files in whole if files), None)

    def _read(self, path: Path) -> dict[str, bytes] | None:
        try:
            return read_checkpoint(path)
        except (OSError, ValueError, KeyError) as error:
            self.tell(f"warning: {path} is damaged and passed over: {error}")
            return None

    def best(self) -> Path | None:
        """Of those that were tested, the one with the highest score."""
        scores = {path: score for path in self._paths() if (score := _score(path)) is not None}
        return max(scores, key=lambda path: scores[path]) if scores else None

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.glob("update-*") if path.is_dir())

    def _drop(self) -> None:
        for path in set(self._paths()[: -self.keep]) - {self.best()}:
            shutil.rmtree(path)


def read_checkpoint(path: Path) -> dict[str, bytes]:
    """The files of a checkpoint, each as its hash says. Raises OSError or ValueError for one that is damaged."""
    files = {}
    for name, expected in _manifest(path)["files"].items():
        files[name] = (path / name).read_bytes()
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise ValueError(f"{name} is not what was written")
    return files


def _manifest(path: Path) -> dict[str, Any]:
    return json.loads((path / MANIFEST).read_text(encoding="utf-8"))


def _score(path: Path) -> float | None:
    try:
        return _manifest(path)["score"]
    except (OSError, ValueError, KeyError):
        return None
