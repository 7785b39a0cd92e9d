"""What the commands of `python -m eval` have in common: options, exit statuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.external.agent import describe_faults, faults_of
from agents.protocol import Agent
from unoflip_env.rules import Rules, RulesError, as_rules

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def read_rules(preset: str, options: tuple[str, ...]) -> Rules:
    """A preset with some options changed, each given as `name=value`. Raises RulesError naming what is wrong."""
    changes = dict[str, Any]()
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise RulesError(f"option {option!r}: expected name=value, such as pairing=printed")
        if name == "preset":
            raise RulesError(f"option {option!r}: the rules begin from {preset!r}; expected another preset in its place")
        if name in changes:
            raise RulesError(f"option {option!r}: {name} is there already, expected each option once")
        try:
            changes[name] = json.loads(value.lower())  # numbers and true or false
        except json.JSONDecodeError:
            changes[name] = value
    return as_rules({"preset": preset, **changes})


def tell_faults(agents: Sequence[Agent], num_forfeits: Sequence[int] | None = None) -> None:
    """Say on stderr what external agents did wrong, and how often.

    `num_forfeits`: how many games each of them gave up by the result; others, in deals that do not count, are told apart.
    """
    for line in describe_faults(agents):
        print(line, file=sys.stderr)
    for agent, num_counted in zip(agents, num_forfeits or (), strict=False):
        num_others = sum(fault.number for fault in faults_of(agent)) - num_counted
        if num_others > 0:
            print(f"{agent.name}: {num_others:,} of these games are of deals that do not count", file=sys.stderr)


def tell(found: Mapping[str, Any], text: str, as_json: bool) -> None:
    """Say on stdout what a command has done: one JSON object, or the text."""
    print(json.dumps(found) if as_json else text)


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """The rules of the games."""

    rules: str = "official"
    """Preset of rules (unoflip_env.PRESETS), or the path of a TOML file."""
    option: tuple[str, ...] = ()
    """Options over it, such as pairing=printed hand=5."""


@dataclass(frozen=True, kw_only=True)
class GameOptions(RuleOptions):
    """What games are played."""

    seed: int = 0
    """Seed of the deals and of the agents' random numbers: the same seed gives the same games."""


@dataclass(frozen=True, kw_only=True)
class BatchOptions(GameOptions):
    """What games are played, and how many at a time."""

    batch: int = 1024
    """Games played together. It does not matter to the result."""
