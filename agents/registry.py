"""Agents by name: what a command line or a configuration calls them."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

from agents.baselines import BASELINES, Baseline
from agents.external.agent import is_external, make_external
from agents.protocol import Agent, AgentError, MisfitError, misfit
from agents.shipped import SHIPPED, folder_of
from unoflip_env.observation import observation_layout

KNOWN = (
    f"one of {', '.join((*BASELINES, *SHIPPED))}; the path of a checkpoint; module:Class; cmd:PROGRAM; process:AGENT; "
    "sb3:PATH.zip; or a bot's .toml"
)


def make_agent(spec: str, max_players: int, information: str = "table") -> Agent:
    """The agent that `spec` names, for tables of up to `max_players` seats where seats see `information` (INFO-4).

    `spec` is the name of a baseline (`agents.baselines.BASELINES`) or of an agent that comes with the kit
    (`agents.shipped.SHIPPED`), the path of a checkpoint, or `module:Class`: that class is imported and called with the
    table's ObservationLayout, which it may or may not take as its own `layout`.
    `cmd:PROGRAM ARGUMENTS`, `process:AGENT` and the path of a TOML file are agents in processes of their own (docs/bots.md).
    `sb3:PATH.zip` is a policy that Stable-Baselines3 has saved, which takes trust (agents.trust).

    Raises AgentError, naming `spec`, where it names nothing, and MisfitError, which is one, where it does not fit the table.
    """
    if spec in BASELINES:
        return Baseline(spec, observation_layout(max_players, information))
    if spec.startswith("ppo:"):
        agent: Agent = _load_shipped(spec)
    elif spec.startswith("sb3:"):
        agent = _load_sb3(spec, information)
    elif is_external(spec):
        agent = make_external(spec, observation_layout(max_players, information))
    elif Path(spec).exists():
        agent = _load(spec)
    elif ":" in spec:
        agent = _import(spec, max_players, information)
    else:
        raise AgentError(f"agent {spec!r}: expected {KNOWN}")
    if why := misfit(agent.layout, observation_layout(max_players, information)):
        raise MisfitError(f"agent {spec!r}: {why}")
    if not agent.name.isprintable():  # it is shown in terminals, which would obey control characters
        raise AgentError(f"agent {spec!r}: its name {agent.name!r} has characters that cannot be printed")
    return agent


def _load(path: str) -> Agent:
    from agents.checkpoint import load_agent  # it imports torch, which takes seconds

    return load_agent(path)


def _load_shipped(spec: str) -> Agent:
    agent = _load(str(folder_of(spec)))
    agent.name = spec
    return agent


def _load_sb3(spec: str, information: str) -> Agent:
    from agents.sb3 import SB3Agent  # so does this

    return SB3Agent(spec, information)


def _import(spec: str, max_players: int, information: str) -> Agent:
    module_name, _, class_name = spec.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise AgentError(f"agent {spec!r}: {error}; expected {KNOWN}") from error
    if not isinstance(found, type):
        raise AgentError(f"agent {spec!r}: {found!r} is no class; expected module:Class")
    layout = observation_layout(max_players, information)
    try:
        inspect.signature(found).bind(layout)
    except TypeError as error:
        raise AgentError(f"agent {spec!r}: {error}; expected a class that is called with an ObservationLayout alone") from error
    agent = found(layout)
    if not isinstance(agent, Agent):
        raise AgentError(
            f"agent {spec!r}: {found!r} made no agent; expected `name`, `layout` and `act` (agents.protocol.Agent)"
        )
    return agent
