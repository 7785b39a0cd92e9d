"""Everything that a run is made of, as arrays and numbers, and back: what a checkpoint holds besides the agent.

Arrays go into safetensors, numbers and the states of generators into JSON: neither can hold code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from train.config import ConfigError
from train.opponents import Opponents
from train.rollout import Experience, Tables
from unoflip_env.deck import NUM_CARDS
from unoflip_env.engine import Engine
from unoflip_env.game import GAME, RING, Phase

Arrays = dict[str, np.ndarray]


def prefixed(prefix: str, arrays: Mapping[str, Any]) -> Arrays:
    """The same under longer names, as NumPy arrays."""
    return {f"{prefix}.{name}": np.asarray(torch.as_tensor(value).cpu()) for name, value in arrays.items()}


def part(prefix: str, arrays: Arrays) -> Arrays:
    """Those whose names begin with `prefix`, without it."""
    return {name.removeprefix(f"{prefix}."): value for name, value in arrays.items() if name.startswith(f"{prefix}.")}


def learning_arrays(learner: nn.Module, optimizer: torch.optim.Optimizer, opponents: Opponents) -> Arrays:
    """Weights, what the optimiser remembers of each, the pool and its results: the same in all processes."""
    arrays = prefixed("learner", learner.state_dict())
    for number, memory in optimizer.state_dict()["state"].items():
        arrays |= prefixed(f"optimizer.{number}", memory)
    arrays["results"] = opponents.results
    if opponents.pool:
        arrays["joined"] = opponents.pool.joined
        for number, agent in enumerate(opponents.pool.agents):
            arrays |= prefixed(f"pool.{number}", agent.network.state_dict())
    return arrays


def load_learning(arrays: Arrays, learner: nn.Module, optimizer: torch.optim.Optimizer, opponents: Opponents) -> None:
    """See learning_arrays."""
    load_weights(learner, part("learner", arrays))
    load_optimizer(optimizer, part("optimizer", arrays))
    opponents.results[:] = arrays["results"]
    if opponents.pool:
        opponents.pool.joined[:] = arrays["joined"]
        for number, agent in enumerate(opponents.pool.agents):
            load_weights(agent.network, part(f"pool.{number}", arrays))


def load_weights(network: nn.Module, arrays: Arrays) -> None:
    """Raises RuntimeError for other names or shapes."""
    network.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in arrays.items()})


def fits(network: nn.Module, arrays: Arrays) -> bool:
    """Whether these are the network's weights by names and shapes."""
    return {name: value.shape for name, value in network.state_dict().items()} == {name: a.shape for name, a in arrays.items()}


def load_weights_that_fit(network: nn.Module, arrays: Arrays) -> bool:
    """Those of the same name and shape; the others stay as they are. Returns whether all were."""
    own = network.state_dict()
    fitting = {name: value for name, value in arrays.items() if name in own and own[name].shape == value.shape}
    network.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in fitting.items()}, strict=False)
    return fitting.keys() == own.keys()


def load_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """From arrays named `0.exp_avg`, with the number of the parameter."""
    memories: dict[int, dict[str, torch.Tensor]] = {}
    for name, value in arrays.items():
        number, _, key = name.partition(".")
        memories.setdefault(int(number), {})[key] = torch.from_numpy(value.copy())
    optimizer.load_state_dict({"state": memories, "param_groups": optimizer.state_dict()["param_groups"]})


def playing_arrays(tables: list[Tables], experience: Experience) -> Arrays:
    """Games under way, who sits where, and the rows that wait for their successors: each process has its own."""
    arrays: Arrays = {}
    for number, group in enumerate(tables):
        games = np.frombuffer(group.engine.games.tobytes(), np.uint8)
        seated = {"agent_at": group.agent_at, "last_row": group.last_row}
        arrays |= prefixed(f"tables.{number}", {"games": games.copy(), **seated})
    return arrays | {f"experience.{name}": column[: experience.size].copy() for name, column in experience.columns.items()}


def load_playing(arrays: Arrays, tables: list[Tables], experience: Experience) -> None:
    """See playing_arrays. Raises ConfigError for games that the engine could not have come to."""
    for number, group in enumerate(tables):
        saved = part(f"tables.{number}", arrays)
        group.engine.games.view(np.ndarray)[:] = read_games(saved["games"], group.engine)
        group.engine.is_over[:] = group.engine.phase == Phase.OVER
        group.agent_at, group.last_row = saved["agent_at"].copy(), saved["last_row"].copy()
    columns = part("experience", arrays)
    experience.size = len(columns["actions"])
    for name, column in columns.items():
        experience.columns[name][: experience.size] = column


def read_games(saved: np.ndarray, engine: Engine) -> np.ndarray:
    """Games for the engine, shape (num_games,) of dtype GAME, from their bytes.

    Compiled code checks no index: seats, piles and cards are checked here. Raises ConfigError.
    """
    if saved.nbytes != engine.games.nbytes:
        raise ConfigError(f"games of {saved.nbytes} bytes in the checkpoint: expected {engine.games.nbytes}")
    games = np.frombuffer(saved.tobytes(), GAME)
    is_over = games["phase"] == Phase.OVER
    are_fine = {
        "num_seats": games["num_seats"] == engine.num_seats,
        "phase": games["phase"] <= Phase.OVER,
        "actor": is_over | (games["actor"] < engine.num_seats),
        "draw_end": (games["draw_start"] <= games["draw_end"]) & (games["draw_end"] <= NUM_CARDS),
        "discard_start": games["discard_start"] < RING,
        "discard_size": games["discard_size"] <= NUM_CARDS,
        **{pile: (games[pile] < NUM_CARDS).all(axis=1) for pile in ("draw_pile", "discard_pile")},
        "partner": (games["partner"] < NUM_CARDS).all(axis=(1, 2)),
    }
    wrong = [name for name, is_fine in are_fine.items() if not is_fine.all()]
    if wrong:
        raise ConfigError(f"games in the checkpoint are not whole: {', '.join(wrong)} out of range")
    return games


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """A generator's state, for JSON."""
    return dict(rng.bit_generator.state)


def load_rng(rng: np.random.Generator, state: dict[str, Any]) -> None:
    """See rng_state."""
    rng.bit_generator.state = state
