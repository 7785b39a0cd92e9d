"""MaskablePPO by one command, and its agents in matches."""

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback

import eval.__main__
from agents.fingerprint import fingerprint
from agents.protocol import Agent, AgentError
from agents.registry import make_agent
from agents.trust import is_trusting, take_trust
from train.__main__ import main
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

SMALL = shlex.split(
    "sb3 --rules official,hand=3 --opponents greedy --num-envs 8 --num-steps 16 --batch-size 64 --width 16 --num-threads 1"
    " --total-steps 512 --num-evaluations 1 --eval-episodes 4 --test-against random --test-deals 4"
)


@pytest.fixture(autouse=True)
def nobody_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the beginning of each test; and what it changes is put back."""
    monkeypatch.setenv("UNOFLIP_TRUST_PICKLES", "")
    del os.environ["UNOFLIP_TRUST_PICKLES"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sb3") / "r"
    assert main([*SMALL, "--run", str(folder)]) == 0
    os.environ.pop("UNOFLIP_TRUST_PICKLES")  # the command trusts what it has made itself
    return folder


def test_the_command_leaves_agents_figures_and_results(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert {"sb3.json", "agent.zip", "best_model.zip", "results.json"} <= names
    assert json.loads((folder / "sb3.json").read_text())["total_steps"] == 512
    assert list(folder.rglob("events.out.tfevents.*"))
    results = json.loads((folder / "results.json").read_text())
    assert results[f"{Rules(hand=3).id}_2_players_random"]["games"] == 8


def test_the_seed_is_that_of_the_evaluations_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They choose the best model: with other deals each time the same command would keep another one."""
    deals: list[np.ndarray] = []

    def look(callback: MaskableEvalCallback) -> bool:
        deals.append(np.asarray(callback.eval_env.reset()))
        raise KeyboardInterrupt

    monkeypatch.setattr(MaskableEvalCallback, "_on_step", look)
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert main([*SMALL, "--run", str(tmp_path / name), "--seed", seed]) == 130
    assert np.array_equal(deals[0], deals[1])
    assert not np.array_equal(deals[0], deals[2])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    collect = MaskablePPO.collect_rollouts

    def collect_and_be_told(model: MaskablePPO, *arguments: Any, **options: Any) -> bool:
        if model.num_timesteps >= 256:
            os.kill(os.getpid(), number)
        return collect(model, *arguments, **options)

    monkeypatch.setattr(MaskablePPO, "collect_rollouts", collect_and_be_told)
    before, agent = signal.getsignal(number), tmp_path / "r" / "agent.zip"
    assert main([*SMALL, "--run", str(tmp_path / "r")]) == 128 + number
    assert signal.getsignal(number) == before
    assert f"what it has learned is in {agent}" in "".join(capsys.readouterr().err.splitlines())
    assert 256 <= MaskablePPO.load(agent).num_timesteps < 512
    assert not (tmp_path / "r" / "results.json").exists()


def test_a_run_that_was_broken_off_at_any_point_may_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*SMALL, "--run", str(tmp_path / "r")]
    (tmp_path / "r" / ".sb3.json-1x2y").mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(MaskablePPO, "learn", lambda *_, **__: sys.exit(9))
        with pytest.raises(SystemExit):
            main(command)
    assert [path.name for path in (tmp_path / "r").iterdir()] == ["sb3.json"]
    assert main(command) == 2
    assert "holds a run: name another folder, or say --overwrite" in " ".join(capsys.readouterr().err.split())
    assert main([*command, "--overwrite"]) == 0


def test_what_is_no_run_of_its_own_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "agent.zip").write_text("dear")
    assert main([*SMALL, "--run", str(tmp_path), "--overwrite"]) == 2
    assert "holds something else than a run of MaskablePPO" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["agent.zip"]


def test_an_agent_takes_trust(folder: Path) -> None:
    spec = f"sb3:{folder / 'agent.zip'}"
    with pytest.raises(AgentError, match="say --trust"):
        make_agent(spec, 2)
    assert take_trust(["match", "--trust", "greedy"]) == ["match", "greedy"]
    assert is_trusting()
    agent = make_agent(spec, 2)
    assert isinstance(agent, Agent)
    engine = Engine(Rules(hand=3), 50, seed=3)
    legal_mask = engine.legal_mask()
    actions = agent.act(engine.observe(agent.layout), legal_mask, np.zeros(50))
    assert actions.dtype == np.int64
    assert legal_mask[np.arange(50), actions].all()
    assert make_agent(spec, 2, "fronts").layout == observation_layout(2, "fronts")
    with pytest.raises(AgentError, match="up to 2 seats, expected 4"):
        make_agent(spec, 4)


def test_what_is_no_agent_of_sb3_is_refused_by_name(tmp_path: Path) -> None:
    take_trust(["--trust"])
    (tmp_path / "x.zip").write_text("no")
    for name, members in (("empty", {"x": "y"}), ("damaged", {"data": "{}", "policy.pth": "no"})):
        with ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
    for name in ("x", "nowhere", "empty", "damaged"):
        with pytest.raises(AgentError, match=name) as error:
            make_agent(f"sb3:{tmp_path / name}.zip", 2)
        assert "\n" not in str(error.value)


def test_a_match_as_a_user_types_it(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["eval", "match", f"sb3:{folder / 'agent.zip'}", "greedy", "--deals", "4", "--json"]
    monkeypatch.setattr(sys, "argv", command)
    assert eval.__main__.main() == 2
    assert "--trust" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", [*command, "--trust"])
    assert eval.__main__.main() == 0
    assert json.loads(capsys.readouterr().out)["games"] == 8


def test_the_file_is_part_of_the_fingerprint(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "agent.zip"
    copy.write_bytes((folder / "agent.zip").read_bytes())
    before = fingerprint(f"sb3:{copy}")
    copy.write_bytes(copy.read_bytes() + b"?")
    assert fingerprint(f"sb3:{copy}") != before


def status(command: list[str]) -> int | str | None:
    """What the shell gets, also where the command line itself is refused."""
    try:
        return main(command)
    except SystemExit as done:
        return done.code


def test_bad_options_are_refused_before_anything_is_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, message in (
        (("--opponents", "gredy"), "'gredy'"),
        (("--test-against", "gredy"), "'gredy'"),
        (("--num-envs", "0"), "num_envs=0"),
        (("--num-envs", "99999999999999999"), "num_envs=99999999999999999"),
        (("--num-envs", "1", "--num-steps", "1"), "num_envs * num_steps=1"),
        (("--num-threads", "0"), "num_threads=0"),
        (("--batch-size", "1"), "batch_size=1"),
        (("--batch-size", "127"), "batch_size=127: expected one that leaves no single decision"),
        (("--seed", "-1"), "seed=-1"),
        (("--learning-rate", "nan"), "learning_rate=nan"),
        (("--test-deals", "1"), "test_deals=1"),
        (("--players", "11"), "num_players=11"),
        (("--device", "gpu"), "device='gpu'"),
        (("--device", "meta"), "device='meta'"),
        (("--opponents", "greedy", "sharp"), "one for each of the 1 other seats"),
    ):
        assert status([*SMALL, "--run", str(tmp_path / "r"), *options]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
        assert not (tmp_path / "r").exists()
    assert main([*SMALL, "--run", str(folder)]) == 2
    assert "--overwrite" in capsys.readouterr().err
