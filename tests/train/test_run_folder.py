"""Whatever ends a run while it makes its folder, the same command may use that folder again; nothing else may be lost."""

import shlex
import shutil
from pathlib import Path

import pytest

from train.__main__ import main

SMALL = shlex.split(
    "--num-tables 4 --num-steps 8 --num-tests 1 --color-width 4 --trunk-width 4 --test-deals 2 --test-against greedy"
    " --num-threads 1 --players 2 --rules official,hand=3 --total-decisions 100"
)


def run(folder: Path | str, *arguments: str) -> int:
    return main(["--run", str(folder), *SMALL, *arguments])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "r"
    assert run(folder) == 0
    return folder


@pytest.fixture
def folder(tmp_path: Path, finished: Path) -> Path:
    """A copy of a finished run."""
    return shutil.copytree(finished, tmp_path / "r")


def test_a_kill_while_a_run_is_replaced_leaves_its_place_free(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def delete_a_file_and_die(path: Path) -> None:
        (path / "config.json").unlink()
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", delete_a_file_and_die)
        with pytest.raises(SystemExit):
            run(folder, "--overwrite", "--seed", "1")
    assert run(folder, "--seed", "1") == 0
    assert sorted(path.name for path in folder.parent.iterdir()) == [".r.lock", "r"]


def test_a_kill_while_the_first_file_is_written_leaves_the_folder_free(tmp_path: Path) -> None:
    (tmp_path / "r" / ".config.json-1x2y").mkdir(parents=True)
    (tmp_path / "r" / ".config.json-1x2y" / "config.json").write_text('{"half')
    assert run(tmp_path / "r") == 0
    assert not list((tmp_path / "r").glob(".*"))
    assert not (tmp_path / ".r.replaced").exists()


def test_a_run_is_replaced_behind_a_link(folder: Path) -> None:
    (link := folder.parent / "link").symlink_to(folder)
    card = (folder / "card.json").read_bytes()
    assert run(link, "--overwrite", "--seed", "1") == 0
    assert link.is_symlink()
    assert (folder / "card.json").read_bytes() != card


def test_the_working_folder_is_not_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    monkeypatch.chdir(folder / "checkpoints")
    assert run("..", "--overwrite", "--seed", "1") == 2
    assert "run='..': expected another than the working folder" in " ".join(capsys.readouterr().err.split())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", [[], ["sb3"]], ids=["ppo", "sb3"])
@pytest.mark.parametrize("name", ["/", "notes.md", "notes.md/r"])
def test_what_can_be_no_folder_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.md").write_text("dear")
    assert main([*command, "--run", name]) == 2
    assert f"error: run={name!r}: expected a folder" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]
