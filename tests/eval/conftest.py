"""What tests of the commands have in common."""

import sys
from collections.abc import Callable

import pytest

from eval.__main__ import main


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command as if it were typed, in this process; gives the exit status and what is printed."""

    def run_here(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["eval", *arguments])
        try:
            status = main()
        except SystemExit as error:  # what the command line's parser ends with
            status = int(error.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run_here
