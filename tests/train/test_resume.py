"""A run that is broken off, in whatever way, and goes on, ends as if nothing had been."""

import hashlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch

from agents.checkpoint import WEIGHTS, load_agent
from tests.train.full_disk import files_up_to
from tests.train.runs import crash_after, figures
from train.__main__ import main
from train.checkpoints import Checkpoints
from train.config import ConfigError, load_config
from train.rollout import TERMINAL
from train.state import read_games
from train.trainer import Trainer
from unoflip_env.engine import Engine
from unoflip_env.game import NOBODY, Phase

ROOT = Path(__file__).parents[2]
SMALL = shlex.split(
    "--num-tables 16 --num-steps 8 --num-tests 2 --color-width 8 --trunk-width 16 --test-deals 2 --test-against greedy"
    " --num-threads 1 --players 2 --rules official,hand=3 casual,hand=4 --critic open --total-decisions 3000 --save-minutes 0"
    " --opponents.past 0.5 --opponents.greedy 0.2 --pool-every 3 --pool-size 2"
)


def run(folder: Path, *arguments: str) -> int:
    return main(["--run", str(folder), *SMALL, *arguments])


def weights(folder: Path) -> str:
    return hashlib.sha256((folder / "agent" / WEIGHTS).read_bytes()).hexdigest()


def same_run(folder: Path, whole: Path) -> bool:
    return weights(folder) == weights(whole) and figures(folder) == figures(whole)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing disturbs."""
    folder = tmp_path_factory.mktemp("whole") / "r"
    assert run(folder) == 0
    return folder


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that crashes after a few updates."""
    folder = tmp_path_factory.mktemp("crashed") / "r"
    with crash_after(7):
        run(folder)
    return folder


@pytest.fixture
def broken(tmp_path: Path, crashed: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(crashed, tmp_path / "r")


def checkpoints(folder: Path) -> list[Path]:
    return sorted((folder / "checkpoints").iterdir())


def newest(folder: Path) -> dict[str, bytes]:
    files = Checkpoints(folder / "checkpoints", 3, print, []).newest()
    assert files
    return files


def test_a_run_killed_at_random_points_ends_as_one_that_was_left_alone(tmp_path: Path, whole: Path) -> None:
    folder, draws = tmp_path / "r", random.Random(1)
    command = [sys.executable, "-m", "train", "--run", str(folder), *SMALL]
    num_killed = 0
    for _ in range(3):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(list((folder / "checkpoints").glob("update-*"))) and checkpoints(folder)[-1].name
        deadline = time.monotonic() + 300  # where the engine must be compiled first
        while process.poll() is None and time.monotonic() < deadline:
            if (folder / "checkpoints").exists() and checkpoints(folder)[-1].name != before:
                break
            time.sleep(0.01)
        time.sleep(draws.random() * 0.4)
        num_killed += process.poll() is None
        process.kill()
        process.wait()
    assert num_killed >= 2
    assert subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300).returncode == 0
    assert same_run(folder, whole)


def test_a_crashed_run_goes_on_by_the_same_command(broken: Path, whole: Path) -> None:
    assert not (broken / "agent").exists()
    assert run(broken) == 0
    assert same_run(broken, whole)


def test_a_crashed_run_goes_on_by_its_folder_and_a_finished_one_further(broken: Path, whole: Path) -> None:
    assert main(["--resume", str(broken)]) == 0
    assert same_run(broken, whole)
    updates = figures(broken)[-1]["updates"]
    assert main(["--resume", str(broken), "--total-decisions", "3300"]) == 0
    assert figures(broken)[-1]["updates"] > updates


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_save_and_leave(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    improve = Trainer.improve

    def improve_and_be_told(trainer: Trainer) -> dict[str, float]:
        if trainer.num_updates == 5:
            os.kill(os.getpid(), number)
        return improve(trainer)

    monkeypatch.setattr(Trainer, "improve", improve_and_be_told)
    before = signal.getsignal(number)
    assert run(tmp_path / "r") == 128 + number
    assert signal.getsignal(number) == before
    monkeypatch.undo()
    assert f"--resume {tmp_path / 'r'}" in "".join(capsys.readouterr().err.splitlines())
    assert load_agent(tmp_path / "r").name == "ppo"
    assert checkpoints(tmp_path / "r")[-1].name == "update-000006"
    assert run(tmp_path / "r") == 0
    assert same_run(tmp_path / "r", whole)


@pytest.mark.parametrize(
    ("name", "damage"), [("learning.safetensors", "cut"), ("playing-0.safetensors", "altered"), ("manifest.json", "gone")]
)
def test_a_damaged_checkpoint_is_passed_over(
    broken: Path, whole: Path, capsys: pytest.CaptureFixture[str], name: str, damage: str
) -> None:
    (broken / "checkpoints" / ".update-000008-half").mkdir()
    path = broken / "checkpoints" / "update-000007" / name
    content = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(content[:-9] if damage == "cut" else content[:-9] + b"?" + content[-8:])
    assert run(broken) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "update-000007 is damaged and passed over" in told
    assert "going on from update 6" in told
    assert not (broken / "checkpoints" / ".update-000008-half").exists()
    assert same_run(broken, whole)


def test_a_run_without_a_whole_checkpoint_begins_anew_only_when_told(
    broken: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in checkpoints(broken):
        (path / "manifest.json").unlink()
    kept = [path.name for path in checkpoints(broken)]
    assert run(broken) == 2
    assert main(["--resume", str(broken)]) == 2
    assert "no whole checkpoint" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in checkpoints(broken)] == kept
    assert run(broken, "--overwrite") == 0
    assert same_run(broken, whole)


def test_a_full_disk_keeps_the_last_good_checkpoint(broken: Path, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file may grow beyond a size that the weights need, and then it may."""
    kept = [path.name for path in checkpoints(broken)]
    with files_up_to(30_000):
        assert run(broken) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "no checkpoint" in told
    assert "error:" in told
    assert [path.name for path in checkpoints(broken)] == kept
    assert run(broken) == 0
    assert same_run(broken, whole)


def test_a_disk_that_is_full_for_a_while_costs_figures_and_no_more(
    broken: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    improve, full = Trainer.improve, ExitStack()

    def fill_and_free(trainer: Trainer) -> dict[str, float]:
        if trainer.num_updates == 8:
            full.enter_context(files_up_to(0))
        if trainer.num_updates == 10:
            full.close()
        return improve(trainer)

    monkeypatch.setattr(Trainer, "improve", fill_and_free)
    with full:
        assert run(broken) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert told.count("figures are lost") == 1
    assert told.count("warning: from update 9 on") == told.count("from update 11 on figures are written again") == 1
    lines = figures(whole)
    assert figures(broken) == [line for line in lines if line["updates"] not in (9, 10)]
    assert weights(broken) == weights(whole)
    assert json.loads((broken / "card.json").read_text())["updates"] == lines[-1]["updates"]


def test_a_run_that_diverges_says_so_and_keeps_what_it_was(
    broken: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [path.name for path in checkpoints(broken)]
    assert main(["--resume", str(broken), "--ppo.learning-rate", "1e30"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "error: the network's scores are no numbers any more, training has diverged: lower ppo.learning_rate" in told
    assert [path.name for path in checkpoints(broken)] == kept
    assert main(["--resume", str(broken), "--ppo.learning-rate", "2e-3"]) == 0
    assert same_run(broken, whole)


@pytest.mark.parametrize(
    "options",
    [("--rules", "official,hand=4"), ("--trunk-width", "32"), ("--critic", "shared")],
    ids=" ".join,
)
def test_a_run_goes_on_under_other_rules_or_network_only_by_force(
    broken: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    files = {path: path.read_bytes() for path in broken.rglob("*") if path.is_file()}
    assert run(broken, *options) == 2
    assert main(["--resume", str(broken), *options]) == 2
    told = " ".join(capsys.readouterr().err.split())
    option = options[0].removeprefix("--").replace("-", "_")
    assert f"{option} was" in told
    assert "--force" in told
    assert {path: path.read_bytes() for path in broken.rglob("*") if path.is_file()} == files
    assert main(["--resume", str(broken), "--force", *options, "--total-decisions", "2500"]) == 0
    assert load_agent(broken).name == "ppo"


@pytest.mark.parametrize("name", ["NUM_ACTIONS", "GAME"])
def test_a_run_of_other_games_or_actions_goes_on_only_by_force(
    broken: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setattr(f"train.trainer.{name}", {"NUM_ACTIONS": 3, "GAME": np.dtype([("x", np.uint8)])}[name])
    assert main(["--resume", str(broken)]) == 2
    assert "games and observations are others now" in " ".join(capsys.readouterr().err.split())


def test_a_network_of_other_shapes_takes_over_what_fits_by_force(broken: Path) -> None:
    files = newest(broken)
    learning = safetensors.numpy.load(files["learning.safetensors"])
    learning["learner.network.value.weight"] = learning["learner.network.value.weight"][:, :-1].copy()
    files["learning.safetensors"] = safetensors.numpy.save(learning)
    trainer = Trainer(load_config(broken / "config.json"))
    with pytest.raises(ConfigError, match="weights have other names or shapes"):
        trainer.restore(files)
    assert "some weights do not fit" in trainer.restore(files, force=True)
    assert trainer.opponents.pool
    for agent in trainer.opponents.pool.agents:  # the pool begins with what the learner has taken over
        for name, weights in agent.network.state_dict().items():
            assert torch.equal(weights, trainer.agent.network.state_dict()[name])
            if name != "value.weight":
                np.testing.assert_array_equal(weights, learning[f"learner.network.{name}"])


def test_under_a_lower_limit_of_turns_no_row_leads_into_another_round(broken: Path) -> None:
    config, files = load_config(broken / "config.json"), newest(broken)
    before = Trainer(config)
    before.restore(files)
    limit = int(np.median([group.engine.games["num_turns"] for group in before.tables])) + 1
    after = Trainer(replace(config, max_turns=limit))
    assert after.restore(files) == []
    for old, new in zip(before.tables, after.tables, strict=True):
        is_over = old.engine.games["num_turns"] >= limit
        rows = old.last_row[is_over]
        assert 0 < is_over.sum() < is_over.size
        assert (rows >= 0).any()
        assert (after.experience.next_row[rows[rows >= 0]] == TERMINAL).all()
        assert (new.last_row[is_over] == -1).all()
        assert (new.engine.games["num_turns"] < limit).all()
        np.testing.assert_array_equal(new.last_row[~is_over], old.last_row[~is_over])
        np.testing.assert_array_equal(new.engine.games[~is_over], old.engine.games[~is_over])


def test_a_checkpoint_of_an_older_version_is_understood(broken: Path) -> None:
    """They had games that are over, to be dealt anew later, and fewer options."""
    config, files = load_config(broken / "config.json"), newest(broken)
    before, after = Trainer(config), Trainer(config)
    before.restore(files)
    over, old = [0, 5], before.tables[0]
    old.engine.games["phase"][over] = Phase.OVER
    old.engine.games["actor"][over] = NOBODY
    rows = old.last_row[over]
    before.experience.next_row[rows[rows >= 0]] = TERMINAL
    old.last_row[over] = -1
    files = before.capture()
    numbers = json.loads(files["state.json"])
    del numbers["config"]["episode"]
    files["state.json"] = json.dumps(numbers).encode()
    assert after.restore(files) == []
    assert not after.tables[0].engine.is_over.any()
    assert (after.tables[0].engine.games["phase"] < Phase.OVER).all()
    np.testing.assert_array_equal(np.delete(after.tables[0].engine.games, over), np.delete(old.engine.games, over))
    np.testing.assert_array_equal(after.opponents.fresh, 0)  # how they ended was counted then
    after.improve()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num_seats", 3),
        ("actor", 2),
        ("draw_end", 113),
        ("discard_size", 200),
        ("draw_pile", 112),
        ("partner", 255),
        ("phase", 15),
    ],
)
def test_games_that_cannot_be_are_not_taken_over(name: str, value: int) -> None:
    engine = Engine(num_games=4, seed=1)
    games = engine.games.view(np.ndarray).copy()
    np.testing.assert_array_equal(read_games(np.frombuffer(games.tobytes(), np.uint8), engine), games)
    games[name][1] = value
    with pytest.raises(ConfigError, match=rf"not whole: {name} out of range"):
        read_games(np.frombuffer(games.tobytes(), np.uint8), engine)
    with pytest.raises(ConfigError, match="bytes in the checkpoint"):
        read_games(np.frombuffer(games[:3].tobytes(), np.uint8), engine)


def test_what_is_no_run_cannot_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--resume", str(tmp_path)]) == 2
    assert "config.json" in capsys.readouterr().err
