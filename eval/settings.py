"""All that decides a tournament's results, down to the byte: what is played, by whom, under which rules, from which seed."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.fingerprint import fingerprint
from agents.registry import make_agent
from eval.line_ups import Format, LineUp, in_orders, line_ups_of
from eval.match import MatchError, Orders, name_rules
from unoflip_env.engine import Episode
from unoflip_env.kernels.jit import sources_hash
from unoflip_env.rules import Rules, RulesError, as_rules

SHARD_GAMES = 1024
"""About how many games a shard holds: few enough that little is lost with one, many enough for networks."""


MAX_DEALS = 10**12
"""What nobody will play; the numbers of all games fit into a ledger's columns."""


class SettingsError(ValueError):
    """Settings that are not those of the file; the message says what differs."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AgentEntry(_Model):
    """An agent: what results call it, what makes it (agents.registry), and its content (agents.fingerprint)."""

    name: str
    spec: str
    fingerprint: str

    def __str__(self) -> str:
        return f"{self.name} ({self.spec}, {self.fingerprint})"


class RulesEntry(_Model):
    """A rule set: its name and id, and the options that differ from `official`."""

    name: str
    id: str
    changes: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.name} ({self.id})"

    @property
    def rules(self) -> Rules:
        """The rules themselves."""
        return as_rules({"preset": "official", **self.changes})


class Settings(_Model):
    """A tournament. `line_ups`: the agent in each place, an index into `agents`; every one plays deals 0 to `deals` - 1.

    `num_anchors`: of a ladder, the last of the agents. `sample`: how many line-ups were drawn from all, where some were.
    `orders`: whether line-ups are there of the same agents in other orders around the table, see eval.match.orders_of.
    """

    format: Literal[2] = 2
    version: str
    engine: str
    """Hash of the engine's sources and of what compiled them."""
    agents: tuple[AgentEntry, ...]
    rules: tuple[RulesEntry, ...]
    num_anchors: int = 0
    sample: int | None = None
    orders: Orders = "rotations"
    line_ups: tuple[LineUp, ...]
    episode: Episode
    deals: int
    seed: int
    shard_deals: int
    """Deals of a shard; the last may have fewer."""

    @property
    def num_players(self) -> int:
        """Seats at every table."""
        return len(self.line_ups[0])

    @property
    def num_planned(self) -> int:
        """Deals under each rule set, each counted for every line-up that plays it."""
        return len(self.line_ups) * self.deals

    @property
    def num_games(self) -> int:
        """Games of the whole tournament."""
        return len(self.rules) * self.num_planned * self.num_players

    @property
    def id(self) -> str:
        """Sixteen hexadecimal digits that name the tournament."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """The settings as the ledger keeps them."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """What `to_json` gave. Raises pydantic.ValidationError."""
        return cls.model_validate_json(text)

    def check_same(self, other: Settings) -> None:
        """Refuse to go on with other settings than these. Raises SettingsError, naming the first that differs."""
        for name in type(self).model_fields:
            if (ours := getattr(self, name)) == (theirs := getattr(other, name)):
                continue
            if isinstance(ours, tuple) and len(ours) == len(theirs):
                ours, theirs = next((a, b) for a, b in zip(ours, theirs, strict=True) if a != b)
            raise SettingsError(
                f"begun with {name} {_words(ours)}, not {_words(theirs)}; take another file for another tournament"
            )

    def check_unchanged(self) -> None:
        """Refuse to go on where engine or agents are no longer what they were. Raises SettingsError."""
        self.check_same(
            self.model_copy(
                update={
                    "version": version("unoflip-env"),
                    "engine": sources_hash(),
                    "agents": tuple(a.model_copy(update={"fingerprint": fingerprint(a.spec)}) for a in self.agents),
                }
            )
        )


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_words, value))})"
    return str(value)


def make_settings(
    specs: tuple[str, ...],
    rules: tuple[Rules, ...],
    *,
    kind: Format = "round-robin",
    num_players: int = 2,
    deals: int = 1000,
    seed: int = 0,
    episode: Episode = "round",
    anchors: tuple[str, ...] = (),
    sample: int | None = None,
    orders: Orders = "rotations",
) -> Settings:
    """The settings of a tournament, see `eval.line_ups` for its formats; each agent is made once, to see that it fits.

    Raises MatchError for numbers and agents that do not fit, AgentError and RulesError as agents and rules do.
    """
    specs += anchors
    if doubles := {spec for spec in specs if specs.count(spec) > 1}:
        raise MatchError(f"agent {min(doubles)}: named twice, expected each once")
    if not rules or len(set(rules)) < len(rules):
        raise MatchError(f"rules {', '.join(map(name_rules, rules)) or 'none'}: expected one or more, each once")
    if not 2 <= deals <= MAX_DEALS:
        raise MatchError(f"deals={deals}: expected 2, for the intervals, to {MAX_DEALS:,}")
    if anchors and kind != "ladder":
        raise MatchError(f"anchors {', '.join(anchors)}: only the format ladder has some, not {kind}")
    line_ups = line_ups_of(kind, len(specs), num_players, num_anchors=len(anchors), sample=sample, seed=seed % 2**64)
    for chosen in rules:
        _check_seats(chosen, num_players)
    settings = Settings(
        version=version("unoflip-env"),
        engine=sources_hash(),
        agents=_entries(specs, rules, num_players),
        rules=tuple(RulesEntry(name=name_rules(r), id=r.id, changes=r.changes()) for r in rules),
        num_anchors=len(anchors),
        sample=sample,
        orders=orders,
        line_ups=tuple(in_orders(line_ups, orders)),
        episode=episode,
        deals=deals,
        seed=seed % 2**64,
        shard_deals=max(1, SHARD_GAMES // num_players),
    )
    return Settings.from_json(settings.to_json())  # as the ledger will give them back: JSON has lists alone


def _check_seats(rules: Rules, num_players: int) -> None:
    try:
        rules.check_seats(num_players)
    except RulesError as error:
        raise RulesError(f"rules {name_rules(rules)}: {error}") from error


def _entries(specs: tuple[str, ...], rules: tuple[Rules, ...], num_players: int) -> tuple[AgentEntry, ...]:
    """Agents by name; where two have the same one, with what makes them."""
    made = [_name(spec, rules, num_players) for spec in specs]
    names = [name if made.count(name) == 1 else f"{name} ({spec})" for name, spec in zip(made, specs, strict=True)]
    return tuple(AgentEntry(name=n, spec=spec, fingerprint=fingerprint(spec)) for n, spec in zip(names, specs, strict=True))


def _name(spec: str, rules: tuple[Rules, ...], num_players: int) -> str:
    """What an agent calls itself under the first rules; it is made under all of them, to see that it fits."""
    first, *_ = [make_agent(spec, num_players, each.information) for each in rules]
    return first.name
