"""Runs that start from an agent."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Literal

import pytest
import torch

from agents.checkpoint import load_agent
from agents.network import Network
from agents.shipped import folder_of
from tests.train.runs import crash_after, figures
from train.__main__ import main
from train.config import Config, ConfigError
from train.trainer import Trainer
from unoflip_env.rules import Rules

ROOT = Path(__file__).parents[2]
SHIPPED_2P = folder_of("ppo:official-2p")
SMALL = shlex.split("--num-tables 16 --num-steps 8 --num-tests 2 --test-deals 2 --test-against greedy --num-threads 1")


def run(folder: Path, *arguments: str) -> int:
    return main(["--run", str(folder), *SMALL, *arguments])


def weights(network: Network) -> torch.Tensor:
    return torch.nn.utils.parameters_to_vector(network.parameters()).detach()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a plain network, for three, whose value was another network's."""
    folder = tmp_path_factory.mktemp("start") / "r"
    options = "--network mlp --trunk-width 24 --critic open --players 3 --total-decisions 300"
    assert run(folder, *shlex.split(options)) == 0
    return folder


@pytest.mark.parametrize("critic", ["shared", "open"])
def test_a_run_begins_with_the_agent_s_weights_and_sizes(start: Path, critic: Literal["shared", "open"]) -> None:
    config = Config(start_from=str(start), players=(2,), critic=critic, num_tables=2, num_threads=1, color_width=8)
    trainer = Trainer(config)
    before = load_agent(start).network
    assert torch.equal(weights(trainer.agent.network), weights(before))
    assert (trainer.agent.network.kind, trainer.agent.network.sizes) == ("mlp", {"trunk_width": 24})
    assert trainer.agent.layout.max_players == 3
    assert bool(trainer.learner.critic) == (critic == "open")
    assert trainer.agent.has_value == (critic == "shared")
    trainer.improve()
    assert not torch.equal(weights(trainer.agent.network), weights(before))


def test_past_selves_begin_as_the_agent_too() -> None:
    config = Config(start_from="ppo:official-2p", players=(2,), opponents={"past": 1.0}, pool_size=2, num_tables=2)
    pool = Trainer(config).opponents.pool
    expected = weights(load_agent(SHIPPED_2P).network)
    assert pool
    assert all(torch.equal(weights(agent.network), expected) for agent in pool.agents)


def test_a_fine_tuned_agent_is_no_worse_by_its_tests_and_says_where_it_came_from(tmp_path: Path) -> None:
    """So high a learning rate ruins it: what it started from stays the best."""
    options = "--players 2 --rules official,hand=3 --total-decisions 600 --ppo.learning-rate 1 --test-deals 40"
    assert run(tmp_path / "r", "--start-from", "ppo:official-2p", *shlex.split(options)) == 0
    name = f"win_rate/{Rules(hand=3).id}_2_players_greedy"
    tested = [(line["decisions"], line[name][0]) for line in figures(tmp_path / "r") if name in line]
    assert len(tested) == 3
    assert tested[0] == (0, max(rate for _, rate in tested))
    assert torch.equal(weights(load_agent(tmp_path / "r").network), weights(load_agent(SHIPPED_2P).network))
    card = json.loads((tmp_path / "r" / "agent" / "agent.json").read_text())
    assert card["training"]["start_from"] == "ppo:official-2p"
    assert card["rules"].keys() == {Rules(hand=3).id}
    assert "| start | ppo:official-2p |" in (tmp_path / "r" / "card.md").read_text()


def test_what_a_run_starts_from_is_even_with_itself_and_need_not_play(tmp_path: Path) -> None:
    """So high a learning rate ruins it: the best is what it was, of which no game is told."""
    against = "--start-from ppo:official-2p --test-against ppo:official-2p"
    options = "--players 2 --rules official,hand=3 --total-decisions 600 --ppo.learning-rate 1 --test-deals 40 --keep 9"
    assert run(tmp_path / "r", *shlex.split(against), *shlex.split(options)) == 0
    assert torch.equal(weights(load_agent(tmp_path / "r").network), weights(load_agent(SHIPPED_2P).network))
    scores = {
        path.parent.name: json.loads(path.read_text())["score"] for path in tmp_path.glob("r/checkpoints/*/manifest.json")
    }
    assert scores.pop("update-000000") == 1.0
    assert len(tested := [score for score in scores.values() if score is not None]) == 2
    assert max(tested) < 1
    name = f"win_rate/{Rules(hand=3).id}_2_players_ppo:official-2p"
    assert [line["decisions"] > 0 for line in figures(tmp_path / "r") if name in line] == [True, True]


@pytest.mark.parametrize("crash_at", [0, 3])
def test_it_goes_on_as_if_nothing_had_been(start: Path, tmp_path: Path, crash_at: int) -> None:
    options = ("--start-from", str(start), "--players", "2", "--total-decisions", "1000", "--save-minutes", "0")
    assert run(tmp_path / "whole", *options) == 0
    with crash_after(crash_at):
        run(tmp_path / "broken", *options)
    assert run(tmp_path / "broken", *options) == 0
    assert figures(tmp_path / "broken") == figures(tmp_path / "whole")
    assert torch.equal(*(weights(load_agent(tmp_path / name).network) for name in ("whole", "broken")))


def test_a_run_that_goes_on_keeps_its_start(start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "r", "--players", "2", "--total-decisions", "300") == 0
    assert main(["--resume", str(tmp_path / "r"), "--total-decisions", "600", "--start-from", str(start)]) == 2
    assert f"start_from was None, is now {start}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("change", ["gone", "another"])
def test_it_goes_on_though_what_it_started_from_is_another_or_gone(
    start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    agent = shutil.copytree(start / "agent", tmp_path / "agent")
    options = ("--start-from", str(agent), "--players", "2", "--total-decisions", "600", "--save-minutes", "0")
    assert run(tmp_path / "whole", *options) == 0
    with crash_after(3):
        run(tmp_path / "broken", *options)
    shutil.rmtree(agent)
    if change == "another":
        shutil.copytree(SHIPPED_2P, agent)
    assert run(tmp_path / "broken", *options) == 0
    assert figures(tmp_path / "broken") == figures(tmp_path / "whole")
    assert torch.equal(*(weights(load_agent(tmp_path / name).network) for name in ("whole", "broken")))
    assert main(["--resume", str(tmp_path / "broken"), "--force", "--players", "4"]) == 2
    assert "the run's agent, which started from" in (told := " ".join(capsys.readouterr().err.split()))
    assert "reads tables of up to 3 seats and information='table', expected 4 and 'table'" in told


@pytest.mark.parametrize("part", [".", "agent"])
def test_a_run_does_not_start_from_what_it_would_replace(
    start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    folder = shutil.copytree(start, tmp_path / "r")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    options = ("--players", "3", "--overwrite", "--total-decisions", "100")
    assert run(folder, "--start-from", str(folder / part), *options) == 2
    assert f"start_from={str(folder / part)!r}: expected an agent outside of run" in " ".join(capsys.readouterr().err.split())
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start_from": "greedy"}, "start_from='greedy': expected an agent with a network of the kit: a run's folder"),
        ({"start_from": "tests.eval.own_agents:First"}, "expected an agent with a network of the kit"),
        ({"start_from": "sb3:agent.zip"}, "expected an agent with a network of the kit"),
        ({"start_from": "cmd:touch started"}, "expected an agent with a network of the kit"),
        ({"start_from": "ppo:official-9p"}, "expected an agent with a network of the kit"),
        ({"start_from": str(ROOT)}, f"start_from: {ROOT}: expected a folder with agent.json and model.safetensors"),
        ({"start_from": "ppo:official-2p", "players": (2, 3)}, "start_from: .*reads tables of up to 2 seats, expected 3"),
        (
            {"start_from": "ppo:official-2p", "players": (2,), "rules": (Rules(information="fronts"),)},
            "start_from: .*reads information='table', and these rules show 'fronts' only",
        ),
    ],
    ids=str,
)
def test_what_no_run_can_start_from_is_refused(options: dict, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Trainer(Config(**options))


def test_an_agent_that_reads_less_than_the_rules_show_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path / "r", "--rules", "official,information=fronts", "--total-decisions", "100", "--players", "2") == 0
    with pytest.raises(ConfigError, match="reads information='fronts', expected 'table'"):
        Trainer(Config(start_from=str(tmp_path / "r"), players=(2,)))
