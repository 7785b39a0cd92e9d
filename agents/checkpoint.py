"""Trained agents on disk: a folder with `model.safetensors` (the weights) and `agent.json` (all that is needed to use them).

Neither file can hold code, so loading an agent from a stranger runs nothing of theirs.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from agents.features import Features
from agents.network import NetworkAgent, PolicyValueNetwork
from agents.protocol import AgentError
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

WEIGHTS, CARD = "model.safetensors", "agent.json"


class LayoutCard(BaseModel):
    """The observation that an agent reads (unoflip_env.ObservationLayout)."""

    model_config = ConfigDict(extra="forbid")

    max_players: int
    information: str


class NetworkCard(BaseModel):
    """The sizes of a PolicyValueNetwork."""

    model_config = ConfigDict(extra="forbid")

    color_width: int = Field(gt=0)
    trunk_width: int = Field(gt=0)


class AgentCard(BaseModel):
    """What `agent.json` holds."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1] = 1
    name: str
    layout: LayoutCard
    network: NetworkCard
    is_sampling: bool = False
    """Draw actions by their probabilities; otherwise take the most probable."""
    rules: dict[str, Any]
    """The rule set it was trained on."""
    rules_id: str
    training: dict[str, Any] = {}
    """How it came about, for people."""


def save_agent(agent: NetworkAgent, folder: Path, rules: Rules, training: dict[str, Any]) -> None:
    """Write an agent to `folder`, in place of one that is there; a crash leaves the old one or the new one."""
    network, layout = agent.network, agent.layout
    card = AgentCard(
        name=agent.name,
        layout=LayoutCard(max_players=layout.max_players, information=layout.information),
        network=NetworkCard(color_width=network.color_width, trunk_width=network.trunk_width),
        is_sampling=agent.is_sampling,
        rules=asdict(rules),
        rules_id=rules.id,
        training=training,
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        new.mkdir()
        save_file(network.state_dict(), new / WEIGHTS)
        (new / CARD).write_text(card.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if folder.exists():
            folder.rename(old)
        new.rename(folder)


def load_agent(path: str | Path) -> NetworkAgent:
    """The agent in a folder that `save_agent` wrote, or the last one of a training run's folder.

    Raises AgentError, naming the file, where there is none or it does not hold what it should.
    """
    folder = Path(path)
    if not (folder / CARD).exists() and (folder / "agent" / CARD).exists():
        folder = folder / "agent"
    card = _read_card(folder / CARD)
    try:
        layout = observation_layout(card.layout.max_players, card.layout.information)
        network = PolicyValueNetwork(Features(layout), **card.network.model_dump())
        network.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise AgentError(f"{folder / WEIGHTS}: {error}") from error
    except ValueError as error:
        raise AgentError(f"{folder / CARD}: {error}") from error
    return NetworkAgent(card.name, network, is_sampling=card.is_sampling)


def _read_card(path: Path) -> AgentCard:
    try:
        return AgentCard.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise AgentError(f"{path.parent}: expected a folder with {CARD} and {WEIGHTS}: {error}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise AgentError(f"{path}: {problems}") from error
