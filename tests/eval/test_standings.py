"""The standings as a user types them, and the tables that they put into a page."""

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from eval.export import totals_of
from eval.ledger import Ledger
from tests.eval.test_commands import OWN, ROOT, run

PAGE = "before\n<!-- standings -->\nold\n<!-- end of standings -->\nafter\n"
AGENTS = ("greedy", "random_play", f"{OWN}:ForTwo")
OPTIONS = ("--players", "2", "3", "--games", "24", "--option", "hand=3", "--seed", "5")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the standings, with the page in it."""
    folder = tmp_path_factory.mktemp("standings")
    (folder / "page.md").write_text(PAGE)
    done = run("standings", *AGENTS, *OPTIONS, "--out", str(folder), "--markdown", str(folder / "page.md"))
    assert done.returncode == 0, done.stderr
    assert "3 players, seed 5" in done.stdout
    assert done.stderr.startswith(f"3 players, without agent '{OWN}:ForTwo': reads tables of up to 2 seats")
    return folder


def test_json_has_what_each_table_has(written: Path, typed) -> None:
    """The tournaments are played already; their results are one object, and nothing else is printed."""
    status, out, _ = typed("standings", *AGENTS, *OPTIONS, "--out", str(written), "--json")
    assert status == 0
    for found in json.loads(out)["tournaments"]:
        assert found == {"file": found["file"], **json.loads(typed("table", found["file"], "--json")[1])}
    assert [len(found["line_ups"][0]) for found in json.loads(out)["tournaments"]] == [2, 3]


def rows(folder: Path) -> dict[str, list[list[str]]]:
    """The tables of the page: the cells of each row, by the heading of the first column."""
    found: dict[str, list[list[str]]] = {}
    for table in re.findall(r"(?:^\|.*\n)+", (folder / "page.md").read_text(), re.MULTILINE):
        lines = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        found[lines[0][0]] = [lines[0], *lines[2:]]
    return found


def test_cells_are_win_rates_of_one_seat_against_all_others(written: Path) -> None:
    tables = rows(written)
    assert list(tables) == ["2 players, fair 50%, 24 games a cell", "3 players, fair 33%, 24 games a cell"]
    for num_players, (heading, *lines) in zip((2, 3), tables.values(), strict=True):
        assert heading[1] == "Elo [95%]"
        assert [line[0] for line in lines] == heading[2:]
        cells = {(line[0], other): cell for line in lines for other, cell in zip(heading[2:], line[2:], strict=True)}
        with closing(Ledger(written / f"{num_players}-players.db")) as ledger:
            [played] = totals_of(ledger).tables()
        for table in played:
            assert cells[table.line_up[0], table.line_up[1]].startswith(f"{table.wins[:, 0].mean():.1%} [")
        for name in heading[2:]:
            assert cells[name, name] == ""
        assert sum(cell != "" for cell in cells.values()) == len(cells) - len(lines)
        assert next(line for line in lines if line[0] == "random_play")[1] == "0"


def test_who_reads_smaller_tables_only_is_left_out_of_larger_ones(written: Path) -> None:
    small, large = rows(written).values()
    assert set(small[0][2:]) - set(large[0][2:]) == {"ForTwo"}


def test_the_page_says_how_it_was_made_and_keeps_the_rest(written: Path) -> None:
    text = (written / "page.md").read_text()
    words = " ".join(text.split())
    assert text.startswith("before\n<!-- standings -->\n|")
    assert text.endswith("\n<!-- end of standings -->\nafter\n")
    assert "old" not in text
    assert "Rules official with hand=3 (id " in words
    assert f"made by `python -m eval standings {' '.join((*AGENTS, *OPTIONS))} --out" in words


def test_a_page_without_markers_is_refused_before_any_game(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Mine\n")
    done = run("standings", "greedy", "random_play", "--out", str(tmp_path / "out"), "--markdown", str(page))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {page}: expected a line <!-- standings --> and a later one <!-- end of standings -->\n"
    assert not (tmp_path / "out").exists()


def test_the_readme_has_the_markers() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page.count("<!-- standings -->") == page.count("<!-- end of standings -->") == 1
