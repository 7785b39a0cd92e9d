"""Writing files so that a crash leaves the old one or the new one, never half of either."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EISDIR
from pathlib import Path


def check_writable(path: str | Path) -> None:
    """Refuse, before any work is done for it, a path at which no file could be written. Raises OSError that names it."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(EISDIR, "a folder, expected a file to write", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-"):
        pass


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """Where to write a file that is to be at `path`: it is moved there when all went well. Folders on the way are made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder:
        yield Path(folder) / path.name
        (Path(folder) / path.name).replace(path)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, beside its place and then moved there; folders on the way are made."""
    with beside(path) as new:
        new.write_text(text, encoding="utf-8")


def replace_block(page: str, name: str, text: str) -> str:
    """A page with `text` between its lines `<!-- name -->` and `<!-- end of name -->`. Raises ValueError without them."""
    head, begin, rest = page.partition(f"<!-- {name} -->\n")
    _, end, tail = rest.partition(f"<!-- end of {name} -->")
    if not end:
        raise ValueError(f"expected a line <!-- {name} --> and a later one <!-- end of {name} -->")
    return f"{head}{begin}{text}\n{end}{tail}"
