"""Trained agents on disk: a folder with `model.safetensors` (the weights) and `agent.json` (all that is needed to use them).

Neither file can hold code, so loading an agent from a stranger runs nothing of theirs.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import safetensors.torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError

from agents.features import Features
from agents.network import NETWORKS, Network, NetworkAgent
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
    """Which of agents.network.NETWORKS it is, and its sizes."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["cards", "mlp"]
    sizes: dict[Literal["color_width", "trunk_width"], Annotated[int, Field(gt=0)]]


class AgentCard(BaseModel):
    """What `agent.json` holds."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[2] = 2
    name: str
    layout: LayoutCard
    network: NetworkCard
    is_sampling: bool = False
    """Draw actions by their probabilities; otherwise take the most probable."""
    has_value: bool = True
    """Whether the network's values were trained."""
    rules: dict[str, dict[str, Any]]
    """The rule sets it was trained on, by their ids."""
    training: dict[str, Any] = {}
    """How it came about, for people."""

    def new_network(self) -> Network:
        """Such a network, whose weights mean nothing yet. Raises TypeError or ValueError for one that cannot be."""
        layout = observation_layout(self.layout.max_players, self.layout.information)
        return NETWORKS[self.network.kind](Features(layout), **self.network.sizes)


def agent_files(agent: NetworkAgent, rules: Sequence[Rules], training: dict[str, Any]) -> dict[str, bytes]:
    """An agent as the contents of files, by name."""
    network, layout = agent.network, agent.layout
    card = AgentCard(
        name=agent.name,
        layout=LayoutCard(max_players=layout.max_players, information=layout.information),
        network=NetworkCard.model_validate({"kind": network.kind, "sizes": network.sizes}),
        is_sampling=agent.is_sampling,
        has_value=agent.has_value,
        rules={rule_set.id: asdict(rule_set) for rule_set in rules},
        training=training,
    )
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    return {WEIGHTS: safetensors.torch.save(weights), CARD: (card.model_dump_json(indent=2) + "\n").encode()}


def save_agent(agent: NetworkAgent, folder: Path, rules: Sequence[Rules], training: dict[str, Any]) -> None:
    """Write an agent to `folder`, in place of one that is there, as `write_folder` does."""
    write_folder(folder, agent_files(agent, rules, training))


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` hold these files and nothing else: written beside, brought to the disk, then moved into place.

    A failure, such as a full disk, leaves what was there. Raises OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as beside:
        new = Path(beside) / "new"
        new.mkdir()
        for name, content in files.items():
            with (new / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        old = Path(beside) / "old"
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    _sync(folder)
    _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Bring a folder's list of files to the disk, where the system can (Windows cannot open folders)."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def load_agent(path: str | Path) -> NetworkAgent:
    """The agent in a folder that `save_agent` wrote, or the last one of a training run's folder.

    Raises AgentError, naming the file, where there is none or it does not hold what it should.
    """
    folder = Path(path)
    if not (folder / CARD).exists() and (folder / "agent" / CARD).exists():
        folder = folder / "agent"
    card = _read_card(folder / CARD)
    try:
        network = card.new_network()
        network.load_state_dict(safetensors.torch.load_file(folder / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise AgentError(f"{folder / WEIGHTS}: {error}") from error
    except (TypeError, ValueError) as error:
        raise AgentError(f"{folder / CARD}: {error}") from error
    return NetworkAgent(card.name, network, is_sampling=card.is_sampling, has_value=card.has_value)


def _read_card(path: Path) -> AgentCard:
    try:
        return AgentCard.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise AgentError(f"{path.parent}: expected a folder with {CARD} and {WEIGHTS}: {error}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise AgentError(f"{path}: {problems}") from error
