"""Every notebook is what its script is, was run from top to bottom, and tells nothing of the machine that ran it."""

import re

import nbformat
import pytest

from tests.notebooks.running import FOLDER, NAMES, read

MAX_BYTES = 300_000


def test_they_are_numbered() -> None:
    assert [int(name.split("_")[0]) for name in NAMES] == [1, 2, 3, 4, 5]
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_its_script(name: str) -> None:
    kept = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    cells = [(cell.cell_type, cell.source, cell.metadata.get("tags")) for cell in read(name).cells]
    assert [(cell.cell_type, cell.source, cell.metadata.get("tags")) for cell in kept.cells] == cells, "make notebooks"


@pytest.mark.parametrize("name", NAMES)
def test_it_was_run_as_a_whole(name: str) -> None:
    cells = [cell for cell in nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {(output.output_type, output.get("name")) for cell in cells for output in cell.outputs}
    assert kinds <= {("stream", "stdout"), ("execute_result", None), ("display_data", None)}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_small_and_tells_nothing_of_the_machine(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert len(text) < MAX_BYTES
    assert not re.search(r"/(home|root|work|tmp|usr)/|\\\\Users\\\\", text)
