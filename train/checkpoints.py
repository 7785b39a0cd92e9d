"""Checkpoints on disk: whole, checked by hash, the last few and the best kept."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping
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
        test: what the scores come from, as JSON: those of other tests are not compared with them.
    """

    def __init__(self, folder: Path, keep: int, tell: Callable[[str], None], test: list[Any]) -> None:
        self.folder, self.keep, self.tell, self.test = folder, keep, tell, test

    def save(self, num_updates: int, files: Mapping[str, bytes], score: float | None) -> bool:
        """Write one, then drop those that are too many. Returns whether that went well: a full disk is told, no error.

        `score` says how good the agent is, if that was tested.
        """
        hashes = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        manifest = {"files": hashes, "score": score, "test": self.test}
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
        return self._first_whole(reversed(self._paths()))

    def best_files(self) -> dict[str, bytes] | None:
        """The files of the one with the highest score that is whole; None if none was tested as now. Damaged ones as above."""
        return self._first_whole(self._best_first())

    def drop_after(self, num_updates: int) -> None:
        """Remove those after this update, which are damaged, and what a kill left half written."""
        for path in [*self.folder.glob(".update-*"), *(path for path in self._paths() if _number(path) > num_updates)]:
            shutil.rmtree(path)

    def __bool__(self) -> bool:
        """Whether there is any, whole or damaged."""
        return bool(self._paths())

    def _first_whole(self, paths: Iterable[Path]) -> dict[str, bytes] | None:
        return next((files for path in paths if (files := self._read(path))), None)

    def _read(self, path: Path) -> dict[str, bytes] | None:
        try:
            return read_checkpoint(path)
        except (OSError, ValueError) as error:
            self.tell(f"warning: {path} is damaged and passed over: {error}")
            return None

    def _best_first(self) -> list[Path]:
        """Those with a score in the present test, from the highest down."""
        scores = {path: score for path in self._paths() if (score := self._score(path)) is not None}
        return sorted(scores, key=lambda path: scores[path], reverse=True)

    def _score(self, path: Path) -> float | None:
        try:
            manifest = _manifest(path)
        except (OSError, ValueError):
            return None
        return manifest.get("score") if manifest.get("test") == self.test else None

    def _paths(self) -> list[Path]:
        paths = [path for path in self.folder.glob("update-*") if path.is_dir() and path.name[7:].isdecimal()]
        return sorted(paths, key=_number)

    def _drop(self) -> None:
        for path in set(self._paths()[: -self.keep]) - set(self._best_first()[:1]):
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
    manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), dict):
        raise ValueError(f"{MANIFEST}: expected an object with the hashes of files")
    return manifest


def _number(path: Path) -> int:
    """The update after which it was written."""
    return int(path.name.removeprefix("update-"))
