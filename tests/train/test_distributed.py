"""Several processes that train one network: under torchrun and under Ray, each with games of its own."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from agents.checkpoint import load_agent
from train.__main__ import main
from train.checkpoints import read_checkpoint
from train.config import Config, ConfigError
from train.on_ray import own_error
from train.trainer import Trainer
from train.world import World

ROOT = Path(__file__).parents[2]
SMALL = shlex.split(
    "--num-tables 16 --num-steps 8 --num-tests 1 --color-width 8 --trunk-width 16 --test-deals 2 --test-against greedy"
    " --num-threads 1 --players 2 --rules official,hand=3 --opponents.past 0.5 --pool-size 2 --pool-every 2"
    " --total-decisions 2000 --save-minutes 0"
)
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "train"]


def user_types(*command: str) -> subprocess.CompletedProcess:
    ray = {"RAY_ADDRESS": "local", "RAY_worker_niceness": "0", "RAY_prestart_worker_first_driver": "0"}  # no other's cluster
    environment = os.environ | ray | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def check_run(folder: Path) -> None:
    """Both processes have learned from games of their own, and one has written it all down."""
    learned = [line for line in lines(folder) if "loss/policy" in line]
    updates = [line["updates"] for line in learned]
    assert updates == list(range(1, len(updates) + 1))
    assert json.loads((folder / "card.json").read_text())["processes"] == 2
    assert load_agent(folder).name == "ppo"
    files = read_checkpoint(sorted((folder / "checkpoints").iterdir())[-1])
    games = [safetensors.numpy.load(files[f"playing-{rank}.safetensors"])["tables.0.games"] for rank in range(2)]
    assert (games[0] != games[1]).any()
    per_update = np.diff([line["decisions"] for line in learned])
    assert per_update.mean() > 16 * 8  # more than one process's tables decide


@pytest.fixture(scope="module")
def under_torchrun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("torchrun") / "r"
    done = user_types(*TORCHRUN, "--", "--run", str(folder), *SMALL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines() == [str(folder / "agent")]
    return folder


def test_two_processes_under_torchrun(under_torchrun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One process can take over what two began."""
    check_run(under_torchrun)
    assert main(["--resume", str(under_torchrun), "--total-decisions", "2500"]) == 0
    assert "going on from" in " ".join(capsys.readouterr().err.split())


def test_two_workers_of_ray_do_as_two_processes_do(tmp_path: Path, under_torchrun: Path) -> None:
    pytest.importorskip("ray.train", exc_type=ImportError)
    folder = tmp_path / "ray"
    done = user_types(sys.executable, "-m", "train", "ray", "--workers", "2", "--run", str(folder), *SMALL)
    assert done.returncode == 0, done.stderr[-3000:]
    check_run(folder)
    first = [lines(run)[0] for run in (folder, under_torchrun)]
    assert first[0]["loss/value"] == pytest.approx(first[1]["loss/value"], rel=1e-5)
    assert first[0]["policy/entropy"] == pytest.approx(first[1]["policy/entropy"], rel=1e-5)


def test_what_cannot_be_done_is_told_by_all_processes_alike(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    done = user_types(*TORCHRUN, "--", "--run", str(tmp_path), *SMALL)
    assert done.returncode != 0
    assert "holds something else than a run" in " ".join(done.stderr.split())
    assert "train/training.py" not in done.stderr  # no process fails because another is gone
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_a_worker_of_ray_refuses_is_told_as_by_one_process() -> None:
    wrapped, other = RuntimeError("a worker has failed"), RuntimeError("something else")
    wrapped.__cause__ = ConfigError("seed=-1: expected 0 or more")
    found = own_error(wrapped)
    assert isinstance(found, ConfigError)
    assert str(found) == "seed=-1: expected 0 or more"
    assert own_error(other) is None


@pytest.mark.parametrize("number", ["0", "-1"])
def test_ray_needs_a_worker(tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str) -> None:
    assert main(["ray", "--workers", number, "--run", str(tmp_path / "r"), *SMALL]) == 2
    assert f"workers={number}: expected 1 or more" in " ".join(capsys.readouterr().err.split())


def test_processes_that_learn_apart_are_noticed() -> None:
    class Apart(World):
        """As if another process had other weights."""

        def sum(self, values: np.ndarray) -> np.ndarray:
            return 2 * np.asarray(values) + 0.1

    config = Config(num_tables=2, num_threads=1, color_width=8, trunk_width=16, players=(2,))
    trainer = Trainer(config)
    trainer.check_weights()
    trainer.world = Apart(0, 2)
    with pytest.raises(RuntimeError, match="have not learned together"):
        trainer.capture()


def test_ray_that_is_not_there_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray.train", None)
    assert main(["ray", "--run", str(tmp_path / "r"), *SMALL]) == 2
    assert "[ray]" in " ".join(capsys.readouterr().err.split())
