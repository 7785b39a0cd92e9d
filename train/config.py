"""What a training run can be told: dataclasses, which are also the command line and the TOML file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from eval.match import name_rules
from eval.options import read_rules
from unoflip_env.rules import Rules, as_rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


MOST = {
    "num_threads": 1024,
    "color_width": 16_384,
    "trunk_width": 16_384,
    "num_tables": 2**20,
    "num_steps": 2**20,
    "test_deals": 2**24,
    "pool_size": 1024,
}
"""More is a slip: millions of threads end the process without a word, and all else of such a size fits into no memory."""


class ConfigError(ValueError):
    """A configuration without a meaning; the message names the option, the value and what was expected."""


def check(is_fine: bool, name: str, value: Any, expected: str) -> None:
    """Raises ConfigError where an option's value is not fine."""
    if not is_fine:
        raise ConfigError(f"{name}={value!r}: expected {expected}")


def _one_or_more(rules: Any) -> Any:
    """A file may give one rule set or a list: each a preset, a file, or a table of options that may begin from a preset."""
    several = rules if isinstance(rules, (list, tuple)) else [rules]
    return tuple(as_rules(one) for one in several)


def _from_word(words: list[str]) -> Rules:
    name, *options = re.split(r",(?![^\[]*\])", words[0])  # not at the commas of a list
    return read_rules(name, tuple(options))


RuleSet = Annotated[
    Rules,
    tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar="NAME[,OPTION=VALUE...]",
        instance_from_str=_from_word,
        is_instance=lambda rules: isinstance(rules, Rules),
        str_from_instance=lambda rules: [name_rules(rules)],
    ),
]
"""A rule set, on the command line a preset or a file and what is to differ from it: `official,hand=3`."""


@dataclass(frozen=True)
class PPOConfig:
    """How the network learns from a batch of experience."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    learning_rate: float = 2e-3
    """At the start; it falls in a straight line to 0 at the end of the budget."""
    gamma: float = 1.0
    """Discount for each decision of a seat. Rounds end (`max_turns`), so nothing need be discounted."""
    gae_lambda: float = 0.95
    """Generalised advantages: 1 trusts only results, 0 only the value network."""
    clip: float = 0.2
    """How far the probability of an action may move from what it was, as a ratio."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    entropy_weight: float = 0.003
    """Reward for staying undecided, at the start; it falls as the learning rate does."""
    max_gradient: float = 0.5
    """Longer gradients are cut to this length."""
    num_epochs: int = 2
    """How often each decision is learned from."""
    minibatch_size: int = 2048
    """Decisions in one gradient step (of each process, where there are several)."""

    def __post_init__(self) -> None:
        for name in ("learning_rate", "clip", "max_gradient"):
            check(0 < getattr(self, name) < inf, name, getattr(self, name), "more than 0")
        for name in ("gamma", "gae_lambda"):
            check(0 <= getattr(self, name) <= 1, name, getattr(self, name), "0 to 1")
        for name in ("value_weight", "entropy_weight"):
            check(0 <= getattr(self, name) < inf, name, getattr(self, name), "0 or more")
        for name in ("num_epochs", "minibatch_size"):
            check(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")


@dataclass(frozen=True)
class Config:
    """One training run."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    run: Path = Path("runs/ppo")
    """Folder for everything that the run writes. A run that was broken off there goes on, if told the same again."""
    overwrite: bool = False
    """Replace a finished run, or one with other options, in that folder."""
    seed: int = 0
    """Of all randomness. With the same seed, and no limit of time, a run repeats itself exactly on the same machine."""
    rules: Annotated[tuple[RuleSet, ...], BeforeValidator(_one_or_more)] = (Rules(),)
    """The rule set to learn, or several: tables of each are played side by side, and observations tell the rules in force."""
    players: tuple[int, ...] = (2, 4)
    """Numbers of players at the tables; one network learns to play at all of them."""
    episode: Literal["round", "match"] = "round"
    """What is won or lost, in training and in tests: a round, or a match: rounds up to the rules' `target`."""
    opponents: dict[str, float] = field(
        default_factory=lambda: {"self": 1.0, "past": 0.0, "random_play": 0.0, "greedy": 0.0, "sharp": 0.0}
    )
    """Who sits in the seats besides one of the learner's, with weights: `self` is the learner as it is, `past` the learner
    as it was, out of a pool; in a file any other name is an agent (a checkpoint's path, module:Class)."""
    pool_size: int = 8
    """Past selves that are kept to play against, where `past` has a weight."""
    pool_every: int = 20
    """Updates after which the learner as it is joins the pool; the one that is drawn least makes room."""
    pool_hardness: float = 2.0
    """How much rather the harder ones are drawn: the weight of each is (1 - the learner's share of wins) to this power."""
    start_from: str | None = None
    """An agent to begin as: a run's folder, a checkpoint's, or ppo:NAME. Kind and sizes of the network are then the agent's. It
    is tested at the start too, so that the best by its tests is no worse."""
    network: Literal["cards", "mlp"] = "cards"
    """`cards` knows that colours are alike; `mlp` is two plain layers."""
    color_width: int = 64
    """Units of the network for each colour of either side; `mlp` has none."""
    trunk_width: int = 256
    """Units in each of the two layers that bring all together."""
    critic: Literal["shared", "open"] = "shared"
    """`shared`: one network gives policy and value; `open`: a second one, which sees all cards, gives the value. The policy
    sees what its seat may know, either way, and it alone is saved as the agent."""
    total_decisions: int = 10_000_000
    """Budget: decisions of the learner with more than one legal action."""
    max_minutes: float = 0.0
    """Budget of time, the tests along the way included; 0 for none. The first budget to run out ends the run."""
    max_turns: int = 1000
    """Turns after which a round is broken off, with the match that it is in, and all have lost. Where nobody loses by
    waiting, equally good players learn to, and then wait for ever."""
    unfinished: Literal["lost", "shared"] = "lost"
    """What that is to all seats: a loss, which teaches not to wait, or the win shared, as it is in the tests."""
    num_tables: int = 1024
    """Games played at a time, for each rule set and number of players (in each process, where there are several)."""
    num_steps: int = 32
    """Decisions at each table between two updates."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """How the network learns."""
    num_tests: int = 4
    """How often to test on the way, evenly over the budget; the last time at the end."""
    test_against: tuple[str, ...] = ("random_play", "greedy", "sharp")
    """Agents to be tested against."""
    test_deals: int = 256
    """Deals in each test, each played once in every rotation of the seats."""
    save_minutes: float = 2.0
    """Time between two checkpoints; besides, there is one after each test and at the end."""
    keep: int = 3
    """Checkpoints that are kept: the last so many, and the best by its tests."""
    num_threads: int = 2
    """Processor cores to use."""
    device: str = "auto"
    """Where the network is: `auto` (a GPU if there is one), `cpu`, `cuda`, …"""

    def __post_init__(self) -> None:
        check(0 <= self.seed < 2**62, "seed", self.seed, f"0 to {2**62 - 1}")
        for name in ("max_minutes", "save_minutes", "pool_hardness"):
            check(0 <= getattr(self, name) < inf, name, getattr(self, name), "0 or more")
        is_set = 0 < len(self.players) == len(set(self.players))
        check(is_set, "players", self.players, "at least one number of players, each once")
        weights = self.opponents.values()
        is_mix = 0 < sum(weights) < inf and min(weights) >= 0
        check(is_mix, "opponents", self.opponents, "weights of 0 or more, not all 0")
        sizes = "num_tables", "num_steps", "color_width", "trunk_width"
        for name in (*sizes, "total_decisions", "max_turns", "num_tests", "num_threads"):
            check(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        for name in ("pool_size", "pool_every", "keep"):
            check(getattr(self, name) >= 1, name, getattr(self, name), "1 or more")
        for name, most in MOST.items():
            check(getattr(self, name) <= most, name, getattr(self, name), f"{most} or fewer")
        check(self.test_deals >= 2, "test_deals", self.test_deals, "2 or more")
        self._check_rules()

    def _check_rules(self) -> None:
        ids = [rules.id for rules in self.rules]
        check(0 < len(ids) == len(set(ids)), "rules", ids, "one rule set at least, each once")
        information = sorted({rules.information for rules in self.rules})
        check(len(information) == 1, "information", information, "the same in all rule sets: one network reads them all")
        for rules in self.rules:
            for num_players in self.players:
                rules.check_seats(num_players)

    @property
    def information(self) -> str:
        """What seats may know (INFO-4)."""
        return self.rules[0].information


SCHEMA = TypeAdapter(Config)
"""Checks a configuration's types, and writes it as JSON."""


def _in_words(problem: ErrorDetails) -> str:
    """A problem that pydantic has found: the option, if it is one option's, and what is wrong."""
    message = problem["msg"].removeprefix("Value error, ")
    return ": ".join([".".join(map(str, problem["loc"])), message]) if problem["loc"] else message


def parse_config(text: str) -> Config:
    """The defaults, and in place of them what an object of JSON says. Raises ConfigError, naming the option."""
    return _checked(lambda: SCHEMA.validate_json(text))


def load_config(path: Path) -> Config:
    """The defaults, and in place of them what a TOML file says, or a run's config.json.

    Raises ConfigError, naming the file and the option.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return parse_config(text) if path.suffix == ".json" else _checked(lambda: SCHEMA.validate_python(tomllib.loads(text)))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _checked(make: Callable[[], Config]) -> Config:
    try:
        return make()
    except ValidationError as error:
        raise ConfigError("; ".join(map(_in_words, error.errors()))) from error
