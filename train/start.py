"""What the learner begins as: random weights, or those of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch

from agents.checkpoint import CARD, AgentCard
from agents.features import Features
from agents.network import NETWORKS, CardCritic, Network, NetworkAgent
from agents.protocol import AgentError
from agents.registry import make_agent
from agents.shipped import SHIPPED
from train.config import Config, ConfigError
from train.ppo import Learner, initialise
from unoflip_env.observation import observation_layout


def make_learner(config: Config, saved: Mapping[str, bytes] | None = None) -> Learner:
    """Policy and value as they are before the first update, or before they are restored from a checkpoint's files, `saved`.

    Raises ConfigError as `starting_agent` and `own_network`.
    """
    generator = torch.Generator().manual_seed(config.seed)
    start = starting_network(config, saved)
    critic = None
    if config.critic == "open":
        all_cards = Features(observation_layout(max(config.players), "open"))
        critic = CardCritic(all_cards, config.color_width, config.trunk_width)
    learner = Learner(start or new_network(config), critic)
    fresh = critic if start else learner
    if fresh is not None:
        initialise(fresh, generator)
    return learner


def new_network(config: Config) -> Network:
    """The policy of the kind and sizes that are asked for."""
    sizes = {"trunk_width": config.trunk_width}
    if config.network == "cards":
        sizes["color_width"] = config.color_width
    return NETWORKS[config.network](Features(observation_layout(max(config.players), config.information)), **sizes)


def starting_network(config: Config, saved: Mapping[str, bytes] | None) -> Network | None:
    """The network to start from, if any; of a run that goes on, one like its own: the agent may be another now, or gone."""
    if saved and config.start_from:
        card = AgentCard.model_validate_json(saved[CARD])
        if card.training.get("start_from") == config.start_from:
            return own_network(config, card)
    start = starting_agent(config)
    return start.network if start else None


def own_network(config: Config, card: AgentCard) -> Network:
    """A network like that of the run's agent. Raises ConfigError where it reads fewer seats or other information than asked."""
    layout = card.layout
    if layout.max_players < max(config.players) or layout.information != config.information:
        raise ConfigError(
            f"the run's agent, which started from {config.start_from}, reads tables of up to {layout.max_players} seats and "
            f"information={layout.information!r}, expected {max(config.players)} and {config.information!r}"
        )
    return card.new_network()


def starting_agent(config: Config) -> NetworkAgent | None:
    """The agent to start from, if any.

    Raises ConfigError for one that is no network of the kit, that reads fewer seats or other information than is asked for, or
    that lies in the run's own folder.
    """
    spec = config.start_from
    if spec is None:
        return None
    if Path(spec).is_dir() and Path(spec).resolve().is_relative_to(config.run.resolve()):
        raise ConfigError(f"start_from={spec!r}: expected an agent outside of run={str(config.run)!r}, which begins anew")
    agent = None
    if spec in SHIPPED or Path(spec).is_dir():  # no other can be a network of the kit, and some would be started or imported
        try:
            agent = make_agent(spec, max(config.players), config.information)
        except AgentError as error:
            raise ConfigError(f"start_from: {error}") from error
    if not isinstance(agent, NetworkAgent):
        expected = f"an agent with a network of the kit: a run's folder, a checkpoint's, or one of {', '.join(SHIPPED)}"
        raise ConfigError(f"start_from={spec!r}: expected {expected}")
    information = agent.layout.information
    if information != config.information:
        raise ConfigError(
            f"start_from={spec!r}: reads information={information!r}, expected {config.information!r}, the rules'"
        )
    return agent
