"""Several processes that train one network: under torchrun and under Ray, each with games of its own."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from agents.checkpoint import WEIGHTS, load_agent
from agents.protocol import AgentError
from train.__main__ import main
from train.checkpoints import read_checkpoint
from train.config import Config, ConfigError
from train.on_ray import own_error
from train.trainer import Trainer
from train.world import World
from unoflip_env.rules import RulesError

ROOT = Path(__file__).parents[2]
SMALL = shlex.split(
    "--num-tables 16 --num-steps 8 --num-tests 1 --color-width 8 --trunk-width 16 --test-deals 2 --test-against greedy"
    " --num-threads 1 --players 2 --rules official,hand=3 --opponents.past 0.5 --pool-size 2 --pool-every 2"
    " --total-decisions 2000 --save-minutes 0"
)
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone", "-m", "train"]


RAY = [sys.executable, "-m", "train", "ray"]
LOCAL = {"RAY_ADDRESS": "local", "RAY_worker_niceness": "0", "RAY_prestart_worker_first_driver": "0"}  # no other's cluster
WITH_KILL = """
import os, signal, sys
from train.__main__ import main
from train.trainer import Trainer

improve = Trainer.improve


def improve_or_die(trainer):
    if (trainer.world.rank, trainer.num_updates) == (1, 6):
        os.kill(os.getpid(), signal.SIGKILL)
    return improve(trainer)


Trainer.improve = improve_or_die
sys.exit(main(sys.argv[1:]))
"""


def environment() -> dict[str, str]:
    return os.environ | LOCAL | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def user_types(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600)


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


def test_two_processes_under_torchrun(tmp_path: Path, under_torchrun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One process can take over what two began."""
    check_run(under_torchrun)
    folder = shutil.copytree(under_torchrun, tmp_path / "r")
    assert main(["--resume", str(folder), "--total-decisions", "2500"]) == 0
    assert "going on from" in " ".join(capsys.readouterr().err.split())


def test_a_run_of_which_one_process_was_killed_ends_as_one_that_was_left_alone(tmp_path: Path, under_torchrun: Path) -> None:
    folder, script = tmp_path / "r", tmp_path / "with_kill.py"
    script.write_text(WITH_KILL)
    killed = user_types(*TORCHRUN[:-2], str(script), "--", "--run", str(folder), *SMALL)
    assert killed.returncode != 0
    assert "SIGKILL" in killed.stderr
    assert not (folder / "card.json").exists()
    kept = sorted(path.name for path in (folder / "checkpoints").glob("update-*"))
    assert kept[-1] in ("update-000005", "update-000006")  # as far as the other had come with writing it
    done = user_types(*TORCHRUN, "--", "--run", str(folder), *SMALL)
    assert done.returncode == 0, done.stderr
    assert f"going on from update {int(kept[-1][-6:])}," in done.stderr
    assert (folder / "agent" / WEIGHTS).read_bytes() == (under_torchrun / "agent" / WEIGHTS).read_bytes()


def test_two_workers_of_ray_do_as_two_processes_do(tmp_path: Path, under_torchrun: Path) -> None:
    pytest.importorskip("ray.train", exc_type=ImportError)
    folder = tmp_path / "ray"
    done = user_types(*RAY, "--workers", "2", "--run", str(folder), *SMALL)
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


@pytest.mark.parametrize("kind", [ConfigError, AgentError, RulesError, OSError])
def test_what_a_worker_of_ray_refuses_is_told_as_by_one_process(kind: type[Exception]) -> None:
    wrapped, other = RuntimeError("a worker has failed"), RuntimeError("something else")
    wrapped.__cause__ = kind("seed=-1: expected 0 or more")
    found = own_error(wrapped)
    assert isinstance(found, kind)
    assert str(found) == "seed=-1: expected 0 or more"
    assert own_error(other) is None


@pytest.mark.parametrize("options", [("--test-against", "gredy"), ('{"opponents": {"gredy": 1}}',)], ids=["test", "play"])
def test_an_opponent_that_is_not_known_is_told_before_ray_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("a worker would write a traceback"))
    assert main(["ray", *options, "--run", str(tmp_path / "r")]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith("error: agent 'gredy': expected one of")
    assert "Traceback" not in told


def test_ctrl_c_saves_and_leaves_under_ray_too(tmp_path: Path) -> None:
    """Nothing else would save this run, nor end it. Its opponent has a relative path, and Ray's workers begin elsewhere."""
    pytest.importorskip("ray.train", exc_type=ImportError)
    folder, told = tmp_path / "r", tmp_path / "told.txt"
    endless = ("--total-decisions", str(10**9), "--save-minutes", "1000", "--test-against", "agents/shipped/official-2p")
    with told.open("w") as file:
        command = [*RAY, "--workers", "1", "--run", str(folder), *SMALL, *endless]
        process = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=file, stderr=file)
        try:
            deadline = time.monotonic() + 300
            while process.poll() is None and time.monotonic() < deadline:
                if (folder / "metrics.jsonl").exists() and lines(folder):
                    break
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 128 + signal.SIGINT, told.read_text()[-3000:]
        finally:
            process.kill()
            process.wait()
    assert f"go on by: python -m train ray --workers 1 --resume {folder}" in told.read_text()
    (checkpoint,) = (folder / "checkpoints").iterdir()
    assert json.loads(read_checkpoint(checkpoint)["state.json"])["updates"] >= 1


def test_help_of_the_command_for_ray_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["ray", "--help"])
    assert done.value.code == 0
    assert "usage: python -m train ray [--workers N] [CONFIG.toml" in " ".join(capsys.readouterr().out.split())


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
