"""The README says what is true: its Python runs, and its board is what its lines draw."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)
EXAMPLES = [text for language, text in BLOCKS if language == "python"]


def test_the_board_is_the_one_that_the_first_example_draws(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    exec(EXAMPLES[0], {})
    drawn = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    board = next(text for language, text in BLOCKS if language == "text")
    assert drawn == board.splitlines()


@pytest.mark.parametrize("number", range(1, len(EXAMPLES)))
def test_the_other_examples_run(number):
    names: dict[str, object] = {}
    exec(EXAMPLES[number], names)
    assert "env" in names or "engine" in names
