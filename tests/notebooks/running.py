"""The notebooks: each is a script in percent format, and beside it the same with its outputs, a pair as jupytext has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
_TIMEOUT = 900  # seconds for a cell


def read(name: str) -> NotebookNode:
    """The script as a notebook, without outputs. Its cells' ids are their numbers, so that the same script gives the same."""
    notebook = jupytext.read(FOLDER / f"{name}.py")
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


def execute(notebook: NotebookNode) -> NotebookNode:
    """Run all cells, as Jupyter would, in the notebooks' folder. Raises CellExecutionError where one fails."""
    NotebookClient(notebook, timeout=_TIMEOUT, record_timing=False, resources={"metadata": {"path": str(FOLDER)}}).execute()
    notebook.metadata["language_info"].pop("version")  # of the Python at hand: it says nothing of the notebook
    return notebook


def execute_with(name: str, **parameters: Any) -> str:
    """Run a notebook with other values in its cell of parameters. Returns all that its cells printed or showed as text."""
    notebook = read(name)
    place, cell = next((i, c) for i, c in enumerate(notebook.cells) if "parameters" in c.metadata.get("tags", ()))
    unknown = {parameter for parameter in parameters if f"{parameter} = " not in cell.source}
    assert not unknown, f"{name} has no parameters {unknown}"
    notebook.cells.insert(place + 1, new_code_cell("\n".join(f"{key} = {value!r}" for key, value in parameters.items())))
    return text_of(execute(notebook))


def text_of(notebook: NotebookNode) -> str:
    """The outputs of all cells, as text."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return "\n".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)
