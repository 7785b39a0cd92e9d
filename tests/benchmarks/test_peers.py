"""The comparison with other libraries: what is missing is said, and the page is written between its markers alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import peers, performance_page, whole_games
from benchmarks.peers import Contestant, MissingError, Worker
from benchmarks.yardstick.binding import NoCompilerError

ROOT = Path(__file__).parents[2]


def everyone(**missing: str) -> dict[str, Contestant]:
    """All contestants, at 9 M decisions a second, but for those that are missing."""
    names = {name for row in performance_page.COMPARED for name in row[1:]} | {"memory of 1024 games"}
    found = {name: Contestant(name, None, missing.get(name, "")) for name in names}
    for contestant in found.values():
        contestant.samples = [] if contestant.missing else [1e6, 2e6, 9e6]
    return found


def test_the_best_of_each_are_compared():
    rows = performance_page.comparison(everyone())
    assert len(rows) == 1 + len(performance_page.COMPARED)
    assert rows[1] == ["mask", "9 M", "open_spiel", "9 M", "1.00"]


def test_what_is_missing_is_said():
    found = everyone(rlcard="no wheel for it")
    rows = performance_page.comparison(found)
    assert ["mask and observation", "", "rlcard", "missing: no wheel for it", ""] in rows
    found["C, 1024 games"].samples = []
    assert performance_page.floor(found, [1024], 100)[1][5] == "missing"


def test_the_floor_is_the_time_of_the_bytes():
    row = performance_page.floor(everyone(), [1024], 100)[1]
    assert row == ["1,024", "100", "0.0 GB/s", "11111 ns", "111 ns", "111 ns", "0.0"]


def test_a_peer_that_does_not_start_is_missing(monkeypatch):
    monkeypatch.setattr(peers, "peers_python", lambda: sys.executable)
    with pytest.raises(MissingError, match="KeyError: 'no such peer'"):
        Worker("no such peer")


def test_no_compiler_is_said(monkeypatch):
    def refuse(*_arguments, **_options):
        raise NoCompilerError("no C compiler")

    monkeypatch.setattr(peers, "Yardstick", refuse)
    found = peers.c_contestants()
    assert {c.missing for c in found} == {"no C compiler"}
    assert {c.name for c in found} == {name for row in performance_page.COMPARED for name in row[1:] if name[0] == "C"}


def test_the_page_is_written_between_its_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a -->\nold\n<!-- end of a -->\nafter\n", encoding="utf-8")
    performance_page.write(page, {"a": [[["x", "y"], ["1", "2"]]]})
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["before", "<!-- a -->"]
    assert lines[2].startswith("Measured on: ")
    assert lines[4:] == ["| x | y |", "| --- | ---: |", "| 1 | 2 |", "<!-- end of a -->", "after"]
    with pytest.raises(ValueError, match="expected a line <!-- b -->"):
        performance_page.write(page, {"b": []})


def test_our_page_has_the_markers():
    page = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    for name in ("comparison", "machine"):
        assert page.count(f"<!-- {name} -->") == page.count(f"<!-- end of {name} -->") == 1


def test_whole_games_are_counted(monkeypatch):
    monkeypatch.setattr(whole_games, "AGENTS", ("greedy",))
    heading, greedy, network = whole_games.table(num_games=8)
    assert (greedy[0], network[0]) == ("greedy", "network of the kit")
    assert len(greedy) == len(network) == len(heading)


def test_help_says_what_is_measured():
    command = [sys.executable, "-m", "benchmarks.peers", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "--markdown docs/performance.md" in done.stdout


@pytest.mark.parametrize(
    ("module", "option", "words"),
    [
        ("peers", "--repeats=0", "--repeats 0: expected 1 or more"),
        ("yardstick", "--rounds=5", "--rounds 5: expected 9 or more"),
    ],
)
def test_too_few_are_refused(module: str, option: str, words: str) -> None:
    command = [sys.executable, "-m", f"benchmarks.{module}", option]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert words in done.stderr
    assert not done.stdout
