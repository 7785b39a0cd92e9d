import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from agents.checkpoint import CARD, WEIGHTS, load_agent, save_agent, write_folder
from agents.features import Features
from agents.network import CardNetwork, MLPNetwork, NetworkAgent
from agents.protocol import AgentError
from agents.registry import make_agent
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

RULES = Rules(hand=3)


def new_agent(name: str = "mine", *, is_sampling: bool = True) -> NetworkAgent:
    return NetworkAgent(name, CardNetwork(Features(observation_layout(3)), 8, 16), is_sampling=is_sampling)


def mlp_agent() -> NetworkAgent:
    return NetworkAgent("mine", MLPNetwork(Features(observation_layout(3)), 16), is_sampling=True)


def save(folder: Path, agent: NetworkAgent | None = None) -> NetworkAgent:
    agent = agent or new_agent()
    save_agent(agent, folder, [RULES], {"decisions": 12})
    return agent


def choices(agent: NetworkAgent) -> np.ndarray:
    engine = Engine(RULES, 200, num_players=3)
    return agent.act(engine.observe(agent.layout), engine.legal_mask(), np.random.default_rng(0).random(200))


@pytest.mark.parametrize("agent", [new_agent(), new_agent(is_sampling=False), mlp_agent()], ids=["cards", "best", "mlp"])
def test_an_agent_comes_back_as_it_was(tmp_path: Path, agent: NetworkAgent) -> None:
    saved = save(tmp_path / "a", agent)
    loaded = load_agent(tmp_path / "a")
    assert (loaded.name, loaded.layout, loaded.is_sampling) == ("mine", observation_layout(3), agent.is_sampling)
    np.testing.assert_array_equal(choices(loaded), choices(saved))


@pytest.mark.parametrize("has_value", [True, False])
def test_whether_values_were_trained_is_kept(tmp_path: Path, has_value: bool) -> None:
    network = CardNetwork(Features(observation_layout(3)), 8, 16)
    save(tmp_path / "a", NetworkAgent("mine", network, has_value=has_value))
    assert load_agent(tmp_path / "a").has_value == has_value


def test_the_card_tells_rules_and_training(tmp_path: Path) -> None:
    save(tmp_path / "a")
    card = json.loads((tmp_path / "a" / CARD).read_text())
    assert list(card["rules"]) == [RULES.id]
    assert card["rules"][RULES.id]["hand"] == 3
    assert card["training"] == {"decisions": 12}


def test_a_run_folder_and_a_name_lead_to_the_agent(tmp_path: Path) -> None:
    saved = save(tmp_path / "run" / "agent")
    np.testing.assert_array_equal(choices(load_agent(tmp_path / "run")), choices(saved))
    assert make_agent(str(tmp_path / "run" / "agent"), 3).name == "mine"
    with pytest.raises(AgentError, match="up to 3 seats, expected 4"):
        make_agent(str(tmp_path / "run"), 4)


def test_saving_takes_the_place_of_the_last_and_leaves_nothing_else(tmp_path: Path) -> None:
    save(tmp_path / "a", new_agent("old"))
    save(tmp_path / "a", new_agent("new"))
    assert load_agent(tmp_path / "a").name == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [CARD, WEIGHTS]


def test_a_failed_save_leaves_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path / "a", new_agent("old"))

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(tmp_path / "a", new_agent("new"))
    monkeypatch.undo()
    assert load_agent(tmp_path / "a").name == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def edit_card(change: Callable[[dict], object]) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        card = json.loads((folder / CARD).read_text())
        change(card)
        (folder / CARD).write_text(json.dumps(card))

    return edit


def drop_tensor(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    tensors.pop("value.bias")
    save_file(tensors, folder / WEIGHTS)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / CARD).unlink(), "expected a folder with agent.json and model.safetensors"),
        (lambda folder: (folder / CARD).write_text("{"), "agent.json: .*Invalid JSON"),
        (edit_card(lambda card: card.update(format=1)), "agent.json: format: .*2"),
        (edit_card(lambda card: card.pop("network")), "agent.json: network: Field required"),
        (edit_card(lambda card: card.update(code="import os")), "agent.json: code: Extra inputs"),
        (edit_card(lambda card: card["layout"].update(max_players=99)), "agent.json: max_players=99: expected 2 to 10"),
        (edit_card(lambda card: card["network"]["sizes"].update(trunk_width=32)), "model.safetensors: .*size mismatch"),
        (edit_card(lambda card: card["network"].update(kind="mlp")), "agent.json: .*color_width"),
        (edit_card(lambda card: card["network"]["sizes"].update(trunk_width=0)), "agent.json: .*trunk_width.*greater than 0"),
        (lambda folder: (folder / WEIGHTS).unlink(), "model.safetensors: "),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"\x80\x04cos\nsystem\n"), "model.safetensors: "),
        (drop_tensor, "model.safetensors: .*value.bias"),
    ],
)
def test_what_is_damaged_is_refused_by_name(tmp_path: Path, damage: Callable[[Path], object], message: str) -> None:
    save(tmp_path / "a")
    damage(tmp_path / "a")
    with pytest.raises(AgentError, match=f"(?s){message}"):
        load_agent(tmp_path / "a")


def test_a_path_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="nowhere"):
        load_agent(tmp_path / "nowhere")


def test_a_folder_that_cannot_be_moved_into_place_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path / "agent", {"a": b"old"})
    rename = Path.rename

    def refuse_the_new_one(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError("no")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse_the_new_one)
    with pytest.raises(OSError, match="no"):
        write_folder(tmp_path / "agent", {"b": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]
    assert (tmp_path / "agent" / "a").read_bytes() == b"old"
