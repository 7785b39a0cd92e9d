import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from agents.checkpoint import WEIGHTS, load_agent
from agents.registry import make_agent
from eval.play import DuplicateDeals
from eval.statistics import bootstrap_interval
from train.__main__ import main
from train.run_folder import lock_folder
from train.trainer import Trainer
from unoflip_env.rules import PRESETS, Rules

ROOT = Path(__file__).parents[2]
SMALL = shlex.split("--num-tables 32 --num-steps 8 --color-width 8 --trunk-width 16 --test-deals 2 --num-threads 1")


def run(folder: Path, *arguments: str) -> int:
    return main(["--run", str(folder), *SMALL, *arguments])


def metrics(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def user_types(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "train", *arguments]


def test_a_run_as_a_user_types_it(tmp_path: Path) -> None:
    folder = tmp_path / "first"
    budget = ["--max-minutes", "0.1", "--num-tests", "1"]
    command = user_types("configs/quickstart.toml", *SMALL, *budget, "--run", str(folder))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(folder / "agent")
    assert load_agent(folder).layout.max_players == 4
    assert list(folder.glob("events.out.tfevents.*"))
    assert json.loads((folder / "config.json").read_text())["ppo"]["clip"] > 0
    tests = {name: value for line in metrics(folder) for name, value in line.items() if name.startswith("win_rate/")}
    assert {"win_rate/official_2_players_greedy", "win_rate/official_4_players_greedy"} <= tests.keys()
    assert all(low <= rate <= high for rate, low, high in tests.values())
    assert "official, 2 players, against greedy" in done.stderr


def test_the_same_seed_gives_the_same_agent(tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert run(tmp_path / name, "--total-decisions", "2000", "--seed", seed) == 0
    a, b, c = (load_file(tmp_path / name / "agent" / WEIGHTS) for name in "abc")
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert any(not np.array_equal(a[name], c[name]) for name in a)


def test_the_learning_curve_has_the_tests_and_the_last_checkpoints_are_kept(tmp_path: Path) -> None:
    options = ("--num-tests", "5", "--test-against", "greedy", "--keep", "1")
    assert run(tmp_path / "r", "--total-decisions", "3000", *options) == 0
    tested = [line["updates"] for line in metrics(tmp_path / "r") if "win_rate/official_2_players_greedy" in line]
    assert len(tested) == 5
    kept = sorted(path.name for path in (tmp_path / "r" / "checkpoints").iterdir())
    assert 1 <= len(kept) <= 2
    assert kept[-1] == f"update-{tested[-1]:06d}"
    assert load_agent(tmp_path / "r" / "checkpoints" / kept[-1]).layout.max_players == 4


def test_a_finished_run_leaves_a_curve_figures_and_a_card(tmp_path: Path) -> None:
    options = ("--test-against", "greedy", "--network", "mlp", "--rules", "casual", "official,hand=3", "--players", "2")
    assert run(tmp_path / "r", "--total-decisions", "1500", *options) == 0
    folder, small = tmp_path / "r", Rules(hand=3)
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    figures = json.loads((folder / "figures.json").read_text())
    name = f"{small.id}_2_players_greedy"
    assert len(figures[f"win_rate/{name}"]["values"]) == 4
    assert figures["policy/entropy"]["decisions"][-1] == metrics(folder)[-1]["decisions"]
    card = json.loads((folder / "card.json").read_text())
    assert card["rules"].keys() == {small.id, PRESETS["casual"].id}
    assert card["results"][name]["seed"] != card["config"]["seed"]  # not the deals it was chosen by
    assert card["results"][name]["agents"][0]["win_rate_interval"]
    text = (folder / "card.md").read_text()
    assert "official with hand=3" in text
    assert "casual" in text
    assert "[" in text.splitlines()[-2]


def test_rollouts_of_one_step_wait_for_an_outcome_and_write_numbers(tmp_path: Path) -> None:
    """After the first step no decision has its outcome, and a batch may have one row."""
    options = (
        "--num-tables",
        "2",
        "--num-steps",
        "1",
        "--players",
        "2",
        "--test-against",
        "greedy",
        "--ppo.minibatch-size",
        "1",
    )
    assert run(tmp_path / "r", "--total-decisions", "40", *options) == 0
    found = [
        json.loads(line, parse_constant=pytest.fail) for line in (tmp_path / "r" / "metrics.jsonl").read_text().splitlines()
    ]
    assert found[-1]["decisions"] >= 40
    assert all("loss/policy" in line for line in found if "speed/playing" in line)
    assert all(np.isfinite(value).all() for value in load_file(tmp_path / "r" / "agent" / WEIGHTS).values())


@pytest.mark.parametrize("event", ["signal", "time"])
def test_the_last_test_is_never_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str) -> None:
    """Neither for a signal during the last update, nor when the time runs out after a test has been found not to be due."""
    improve, asked = Trainer.improve, []

    def improve_and_be_told(trainer: Trainer) -> dict[str, float]:
        figures = improve(trainer)
        if event == "signal" and trainer.used >= 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return figures

    def used(trainer: Trainer) -> float:
        """Every question takes a tenth of the time."""
        asked.append(trainer)
        return len(asked) / 10

    monkeypatch.setattr(Trainer, "improve", improve_and_be_told)
    if event == "time":
        monkeypatch.setattr(Trainer, "used", property(used))
    options = ("--test-against", "greedy", "--num-tests", "1", "--players", "2", "--total-decisions", "700")
    assert run(tmp_path / "r", *options) == 0
    assert "win_rate/official_2_players_greedy" in metrics(tmp_path / "r")[-1]


def test_every_kind_of_opponent_can_be_asked_for(tmp_path: Path) -> None:
    assert run(tmp_path / "first", "--total-decisions", "1000") == 0
    config = tmp_path / "mix.toml"
    agent = (tmp_path / "first").as_posix()
    config.write_text(f'pool_every = 1\npool_size = 2\n[opponents]\nself = 1\npast = 1\nrandom_play = 1\n"{agent}" = 1\n')
    assert main([str(config), "--run", str(tmp_path / "second"), *SMALL, "--total-decisions", "3000"]) == 0


def test_an_earlier_run_is_kept_unless_told_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    budget = ("--total-decisions", "1000")
    assert run(tmp_path / "r", *budget) == 0
    before = (tmp_path / "r" / "card.json").stat().st_mtime_ns
    assert run(tmp_path / "r", *budget) == 0
    told = capsys.readouterr()
    assert "is finished" in " ".join(told.err.split())
    assert told.out.split() == [str(tmp_path / "r" / "agent")] * 2
    assert run(tmp_path / "r", "--total-decisions", "1100") == 2
    assert "holds a finished run" in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / "r" / "card.json").stat().st_mtime_ns == before
    assert run(tmp_path / "r", *budget, "--overwrite") == 0
    assert "replacing the finished run" in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / "r" / "card.json").stat().st_mtime_ns != before


def test_two_runs_in_one_folder_do_not_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    with lock_folder(folder):
        assert run(folder, "--total-decisions", "500") == 2
    assert "another run is under way" in capsys.readouterr().err
    assert not folder.exists()
    assert run(folder, "--total-decisions", "500") == 0


@pytest.mark.parametrize("content", ['{"model_type": "bert"}', "[1]", "hello"])
def test_what_is_not_a_run_is_never_overwritten(tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    assert run(tmp_path, "--overwrite") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    (tmp_path / "config.json").write_text(content)
    for arguments in ((), ("--overwrite",), ("--seed", "5")):
        assert run(tmp_path, *arguments) == 2
        assert "config.json" in " ".join(capsys.readouterr().err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "thesis.tex"]


def test_an_unknown_opponent_is_refused_before_anything_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "run.toml"
    config.write_text("[opponents]\ngredy = 1\n")
    assert main([str(config), "--run", str(tmp_path / "r")]) == 2
    assert "'gredy'" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(("name", "words"), [("gredy", "'gredy'"), ("ppo:official-2p", "up to 2 seats, expected 4")])
def test_an_agent_that_no_test_could_ask_is_refused_before_anything_is_written(
    tmp_path: Path, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "r", "--test-against", "greedy", name, "--players", "2", "4") == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "r").exists()


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text("seed = 5\ntotal_decisions = 500\n[rules]\nhand = 4\n[ppo]\nclip = 0.3\n")
    assert main([str(config), "--run", str(tmp_path / "r"), *SMALL, "--rules", "casual,hand=3", "--ppo.num-epochs", "1"]) == 0
    used = json.loads((tmp_path / "r" / "config.json").read_text())
    assert (used["seed"], used["rules"][0]["hand"], used["ppo"]["clip"], used["ppo"]["num_epochs"]) == (5, 3, 0.3, 1)


def test_help_explains_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        main(["--help"])
    assert done.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "python -m train configs/quickstart.toml" in text
    assert "--ppo.learning-rate" in text


def win_rate(folder: Path, opponent: str, rules: Rules) -> np.ndarray:
    """Interval of the share of rounds that the agent wins, two at the table."""
    agents = [load_agent(folder), make_agent(opponent, 2)]
    deals = DuplicateDeals(agents, [0, 1], rules, 1500, seed=99)
    deals.play()
    return bootstrap_interval(deals.outcomes().wins[:, :, 0].mean(axis=1), 0)


def test_it_learns_to_beat_the_baselines(tmp_path: Path) -> None:
    options = "--rules official,hand=3 --players 2 --total-decisions 250000 --num-tables 256 --num-steps 16 --num-tests 1"
    network = "--color-width 32 --trunk-width 64 --ppo.minibatch-size 1024 --ppo.learning-rate 2e-3 --num-threads 1"
    assert main(["--run", str(tmp_path / "r"), *shlex.split(options), *shlex.split(network), "--test-deals", "2"]) == 0
    for opponent in ("random_play", "greedy"):
        low, _ = win_rate(tmp_path / "r", opponent, Rules(hand=3))
        assert low > 0.5, opponent
