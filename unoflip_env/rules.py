"""Rules as data: `Rules` holds every option of the game, validated; presets name the common sets of values."""

from __future__ import annotations

import hashlib
import json
import reprlib
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from unoflip_env.actions import MAX_SEATS, PROPOSALS
from unoflip_env.deck import CLASSIC_SLOTS, NUM_CARDS, PRINTED_PAIRING, load_pairing
from unoflip_env.files import write_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STACK_KINDS = {"flip": ("draw_one", "draw_five", "wild_draw_two"), "classic": ("draw_two", "wild_draw_four")}
"""STACK-1: the cards that can be stacked, by deck."""

RANGES = {
    "dealer": (0, MAX_SEATS - 1),
    "hand": (1, NUM_CARDS - 1),
    "max_turns": (0, 65535),
    "target": (1, 100_000),
    "teams": (0, MAX_SEATS),
}
"""The smallest and the largest number that an option takes."""


class RulesError(ValueError):
    """A rule set, or a table for it, that has no meaning; the message names the option and what is allowed."""


def _option(default: Any, doc: str) -> Any:
    return field(default=default, metadata={"doc": doc})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One rule set. The defaults are the preset `official`. Each option names its rule, such as DECK-3.

    Raises RulesError, naming the option and what is allowed, for a value or a combination without a meaning.
    """

    deck: Literal["flip", "classic"] = _option("flip", "DECK-1, DECK-2: 112 two-sided cards, or 108 one-sided ones")
    pairing: Literal["shuffled", "printed"] | tuple[int, ...] = _option(
        "shuffled", "DECK-3: which dark face backs which light face; a tuple gives the dark slot of each light slot"
    )
    dealer: Literal["random"] | int = _option("random", "DEAL-1: the first dealer: drawn, or a seat")
    hand: int = _option(7, "DEAL-2: cards dealt to each seat")
    initial_direction: Literal[1, -1] = _option(1, "DEAL-4: direction of play at the start")
    start_flip: Literal["redraw", "flip"] = _option("redraw", "START-7: a Flip turned up first goes back, or acts")
    draw: Literal["optional", "stuck"] = _option("optional", "TURN-2: draw though you could play, or only when stuck")
    draw_count: Literal["one", "until_playable"] = _option("one", "TURN-3: how many cards are drawn instead of playing")
    drawn_card: Literal["may_play", "must_play"] = _option("may_play", "TURN-4: a drawn card that is legal")
    illegal: Literal["raise", "penalty"] = _option("raise", "TURN-5: a card of one's own that is not legal")
    max_turns: int = _option(0, "TURN-8: turns after which the round ends; 0 for no limit")
    timeout_winner: Literal["fewest_cards", "fewest_points"] = _option("fewest_cards", "TURN-8: who wins then")
    two_player_reverse: Literal["skip", "plain"] = _option("skip", "ACT-2: with two players, a Reverse is a Skip or not")
    skip_role: Literal["skip", "give", "all_draw"] = _option("skip", "ACT-3: what a Skip does")
    wild_draw: Literal["strict", "bluff", "free"] = _option("bluff", "ACT-8: a wild draw while holding the colour")
    zero_role: Literal["none", "swap", "dump"] = _option("none", "ACT-9: what a 0 of the classic deck does")
    stack: tuple[str, ...] = _option((), "STACK-1: draw cards that may be answered with the same kind")
    double: Literal["none", "identical", "same_symbol"] = _option("none", "DBL-1: which second card a turn may hold")
    cut: Literal["none", "next", "anyone"] = _option("none", "DBL-2: who may cut in between the two")
    accumulate: bool = _option(False, "DBL-4: the effects of the two cards add up")
    uno: Literal["auto", "declare"] = _option("declare", "UNO-1: said for you, or to be said")
    uno_window: Literal["next_turn", "last_card"] = _option("next_turn", "UNO-2: how long a silent seat may be caught")
    score_side: Literal["in_play", "light"] = _option("in_play", "SCORE-3: which face counts")
    scoring: Literal["winner_takes", "own_hand"] = _option("winner_takes", "SCORE-4: who gets which points")
    target: int = _option(500, "SCORE-5: points that end the match")
    rule_vote: bool = _option(False, "MODE-1: the winner of a round may propose a change of rule, taken if all agree")
    teams: int = _option(0, "TEAM-1: number of teams; seat s is in team s mod teams; 0 for none")
    teammate_gift: bool = _option(False, "TEAM-2: who can't play may be given a card by a teammate instead of drawing one")
    information: Literal["table", "fronts", "open"] = _option("table", "INFO-4: what a seat sees")
    own_backs: bool = _option(True, "INFO-1: you may look at your own backs")

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, list):
                object.__setattr__(self, option.name, tuple(value))
            _check(option.name, getattr(self, option.name))
        object.__setattr__(self, "stack", self._sorted_stack())
        self._check_combinations()

    def _sorted_stack(self) -> tuple[str, ...]:
        """The kinds in the deck's order, so that equal rules are equal."""
        kinds = STACK_KINDS[self.deck]
        for kind in self.stack:
            if kind not in kinds or self.stack.count(kind) > 1:
                raise RulesError(
                    f"stack={self.stack!r} with deck={self.deck!r}: expected each at most once of {', '.join(kinds)}"
                )
        return tuple(kind for kind in kinds if kind in self.stack)

    def _check_combinations(self) -> None:
        """Refuse what has no meaning together."""
        if self.hand >= self.num_cards:
            raise RulesError(f"hand={self.hand} with deck={self.deck!r}: expected a number 1 to {self.num_cards - 1}")
        if self.information == "open" and not self.own_backs:
            raise RulesError("own_backs=False with information='open': open information shows every back")
        if self.deck == "flip" and self.zero_role != "none":
            raise RulesError(f"zero_role={self.zero_role!r} with deck='flip': that deck has no 0; expected 'none'")
        for name in ("pairing", "start_flip", "score_side", "own_backs") if self.deck == "classic" else ():
            value, only = getattr(self, name), getattr(type(self), name)
            if value != only:
                raise RulesError(f"{name}={value!r} with deck='classic': its cards have one side; expected {only!r}")
        if self.teams == 1:
            raise RulesError(f"teams=1: expected 0 for none, or a number 2 to {MAX_SEATS}")
        if self.teammate_gift and not self.teams:
            raise RulesError("teammate_gift=True with teams=0: without teams there are no teammates")

    def check_seats(self, num_seats: int) -> None:
        """Refuse a number of seats that these rules cannot deal to (DEAL-5). Raises RulesError."""
        if not 2 <= num_seats <= MAX_SEATS:
            raise RulesError(f"num_players={num_seats}: expected 2 to {MAX_SEATS}")
        if self.hand * num_seats >= self.num_cards:
            raise RulesError(
                f"hand={self.hand} with num_players={num_seats}: dealing {self.hand * num_seats} cards leaves none of the"
                f" {self.num_cards} to turn up; at most {(self.num_cards - 1) // num_seats} each"
            )
        if self.teams and num_seats % self.teams:
            raise RulesError(f"teams={self.teams} with num_players={num_seats}: expected a number that divides the players")
        if isinstance(self.dealer, int) and self.dealer >= num_seats:
            raise RulesError(f"dealer={self.dealer} with num_players={num_seats}: expected a seat 0 to {num_seats - 1}")

    def replace(self, **changes: Any) -> Rules:
        """The same rules with some options changed. Raises RulesError for an unknown option."""
        _check_names(changes)
        return replace(self, **changes)

    @property
    def id(self) -> str:
        """Eight hexadecimal digits that name this rule set in results and checkpoints.

        Made from what differs from `official`, so that an option added later leaves it as it was.
        """
        return hashlib.sha256(json.dumps(self.changes(), sort_keys=True).encode()).hexdigest()[:8]

    def changes(self, base: Rules | None = None) -> dict[str, Any]:
        """The options that differ from those of another rule set, by default `official`."""
        base = base or Rules()
        return {name: value for name, value in asdict(self).items() if value != getattr(base, name)}

    @property
    def num_cards(self) -> int:
        """Cards in the deck (DECK-1, DECK-2)."""
        return NUM_CARDS if self.deck == "flip" else len(CLASSIC_SLOTS)

    def propose(self, proposal: int) -> Rules:
        """These rules changed as actions.PROPOSALS[proposal] says (MODE-1)."""
        name, value = PROPOSALS[proposal]
        if name == "stack":
            return self.replace(stack=STACK_KINDS[self.deck] if value == "all" else ())
        return self.replace(**{name: value})

    @property
    def dark_slots(self) -> np.ndarray:
        """The fixed pairing, shape (112,) uint8; the identity where it is drawn anew for every round."""
        tables = {"shuffled": range(NUM_CARDS), "printed": PRINTED_PAIRING}
        return np.array(tables.get(self.pairing, self.pairing) if isinstance(self.pairing, str) else self.pairing, np.uint8)


RulesLike: TypeAlias = "Rules | str | Path | Mapping[str, Any]"
"""What stands for a rule set, see `as_rules`."""

_HINTS = get_type_hints(Rules)

OPTION_DOCS: dict[str, str] = {option.name: option.metadata["doc"] for option in fields(Rules)}
"""What each option means, after the identifiers of its rules."""


def allowed_values(name: str) -> tuple[Any, ...]:
    """The values an option takes: literals, and types where a number or a table is meant."""
    values: list[Any] = []
    for hint in get_args(_HINTS[name]) if get_origin(_HINTS[name]) not in (None, Literal, tuple) else (_HINTS[name],):
        if get_origin(hint) is Literal:
            values.extend(get_args(hint))
        else:
            values.append(get_origin(hint) or hint)
    return tuple(values)


def code(name: str, value: Any) -> int:
    """The small number that stands for an option's value in the packed rules that the kernels read.

    The place among the allowed values; for numbers and truth values the number itself; for `stack` a bit for each kind
    (draw cards of the light side 1, of the dark side 2, wild draws 4).
    """
    if name == "stack":
        return sum(4 if kind.startswith("wild") else 2 if kind == "draw_five" else 1 for kind in value)
    allowed = allowed_values(name)
    if not isinstance(value, tuple) and value not in allowed:
        return int(value)
    return allowed.index(tuple if isinstance(value, tuple) else value)


def describe_values(name: str) -> str:
    """What an option takes, in words, such as "'redraw' or 'flip'" or "a number 1 to 111"."""
    words = []
    for value in allowed_values(name):
        if value is int:
            words.append("{} {} to {}".format("a seat" if name == "dealer" else "a number", *RANGES[name]))
        elif value is tuple and name == "pairing":
            words.append(f"a table with each dark slot 0 to {NUM_CARDS - 1} once")
        elif value is tuple:
            words.append("a list of " + "; or of ".join(f"{', '.join(kinds)} ({deck})" for deck, kinds in STACK_KINDS.items()))
        else:
            words.append("True or False" if value is bool else repr(value))
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _check(name: str, value: Any) -> None:
    """Refuse a value that the option never takes."""
    allowed = allowed_values(name)
    is_known = type(value) in allowed or any(type(value) is type(v) and value == v for v in allowed)
    if is_known and type(value) is int and name in RANGES:
        is_known = RANGES[name][0] <= value <= RANGES[name][1]
    elif is_known and type(value) is tuple and name == "pairing":
        is_known = all(type(slot) is int for slot in value) and sorted(value) == list(range(NUM_CARDS))
    if not is_known:
        raise RulesError(f"{name}={reprlib.repr(value)}: expected {describe_values(name)}")


def _check_names(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if name not in _HINTS:
            raise RulesError(f"{name}={reprlib.repr(value)}: {name!r} is not an option; the options are {', '.join(_HINTS)}")


_STACKING = Rules(drawn_card="must_play", stack=STACK_KINDS["flip"], double="identical", cut="anyone")

PRESETS: dict[str, Rules] = {
    "official": Rules(),
    "official_low": Rules(scoring="own_hand"),
    "classic": Rules(deck="classic", illegal="penalty"),
    "casual": Rules(start_flip="flip", draw="stuck", uno_window="last_card", score_side="light", scoring="own_hand"),
    "stacking": _STACKING,
    "icebreaker": _STACKING.replace(wild_draw="free", rule_vote=True),
    "berserker": _STACKING.replace(hand=10, double="same_symbol", accumulate=True),
}
"""Rule sets by name."""

PRESET_DOCS = {
    "official": "the official leaflet of UNO FLIP",
    "official_low": "official, but each adds up what is left in the own hand, and the lowest total wins",
    "classic": "the one-sided game of 108 cards, by a classic rule sheet",
    "casual": "a family wiki: draw only when stuck, the light side counts, the lowest total wins",
    "stacking": "a stacking sheet: stacks of draw cards, two identical cards in one turn, and cuts",
    "icebreaker": "stacking with wild draws free of conditions, and votes on changes of the rules",
    "berserker": "stacking with 10 cards, two cards of one symbol in a turn, and effects that add up",
}
"""What each preset is."""


def as_rules(rules: RulesLike) -> Rules:
    """A rule set from itself, a preset's name, the path of a TOML file (see `load_rules`), or a mapping of options.

    A mapping may name a `preset` or a file as its base (`official` by default); its `pairing` may be the path of a CSV file
    (see `load_pairing`). Raises RulesError for an unknown preset or option, and as Rules does.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, Mapping):
        return _from_options(rules, Path())
    if isinstance(rules, (str, Path)) and str(rules).endswith(".toml"):
        return load_rules(rules)
    if not isinstance(rules, str) or rules not in PRESETS:
        known = ", ".join(PRESETS)
        raise RulesError(f"rules={rules!r}: expected Rules, options, one of {known}, or the path of a .toml file")
    return PRESETS[rules]


def load_rules(path: str | Path) -> Rules:
    """The rule set in a TOML file: a `preset` (`official` by default) and the options that differ from it.

    `pairing` may be the path of a CSV file (see `load_pairing`), seen from the file's folder. Raises RulesError that names
    the file, the option, its value and what is allowed.
    """
    path = Path(path)
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
        if options.get("preset", "official") not in list(PRESETS):
            raise RulesError(f"preset={options['preset']!r}: expected one of {', '.join(PRESETS)}")
        return _from_options(options, path.parent)
    except (OSError, ValueError) as error:
        raise RulesError(f"{path}: {error}") from error


def save_rules(rules: Rules, path: str | Path) -> None:
    """Write a rule set to a TOML file, as what differs from `official`: `load_rules` gives it back with the same id."""
    lines = [f"# Rule set {rules.id}: the preset and what differs from it.", 'preset = "official"']
    for name, value in rules.changes().items():
        lines += ["", f"# {OPTION_DOCS[name]}", f"{name} = {json.dumps(value)}"]
    write_text(path, "\n".join(lines) + "\n")


def _from_options(options: Mapping[str, Any], folder: Path) -> Rules:
    """A preset with options changed; `folder` is where the path of a pairing is seen from."""
    changes = dict(options)
    base = as_rules(changes.pop("preset", "official"))
    pairing = changes.get("pairing")
    if isinstance(pairing, str) and pairing.endswith(".csv"):
        try:
            changes["pairing"] = load_pairing(folder / pairing)
        except (OSError, ValueError) as error:
            raise RulesError(f"pairing={pairing!r}: {error}") from error
    return base.replace(**changes)
