"""Games on record: everything that happened, decision by decision, so that any engine can be checked against it.

`Recorder` plays one game and writes it down; `check` plays a record again and compares each step. docs/records.md
describes the fields, and the random stream from which a game follows from its seed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any, Literal, NoReturn, TypeVar

import numpy as np

from unoflip_env.actions import MAX_SEATS, NUM_ACTIONS
from unoflip_env.deck import DARK, LIGHT
from unoflip_env.engine import Engine
from unoflip_env.game import Phase, Termination
from unoflip_env.notation import action_text, discards, position_text
from unoflip_env.rules import PRESETS, Rules, RulesError
from unoflip_env.streams import random_words

FORMAT = 1
TURN_LIMIT = 3000
"""A game is broken off once a round has so many turns."""
_STRICT = {"extra": "forbid", "strict": True}
"""For pydantic, with which eval reads records."""

T = TypeVar("T")


class RecordError(ValueError):
    """A record that does not tell of a game; the message says where and what was expected."""


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """What a game was played under: the preset's name (None where it is none), the id, and what differs from `official`."""

    __pydantic_config__ = _STRICT
    name: str | None
    id: str
    options: dict[str, Any]

    @classmethod
    def of(cls, rules: Rules) -> RuleSet:
        """The rules as they are written down."""
        name = next((name for name, preset in PRESETS.items() if preset == rules), None)
        options = {option: list(value) if isinstance(value, tuple) else value for option, value in rules.changes().items()}
        return cls(name=name, id=rules.id, options=options)

    def to_rules(self) -> Rules:
        """The rules that were written down. Raises RulesError for options that are none."""
        return Rules().replace(**{name: tuple(v) if isinstance(v, list) else v for name, v in self.options.items()})


@dataclass(frozen=True, kw_only=True)
class RoundEnd:
    """How a round ended: `winners` are seats; `points` left in each hand and `scores` after the round are by seat."""

    __pydantic_config__ = _STRICT
    termination: str
    winners: list[int]
    points: list[int]
    scores: list[int]
    position: str


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One decision: who was asked what, what was legal and what was chosen, as numbers of actions.

    Then what came of it: the position at the next decision, the new draw pile of every reshuffle, the end of the round.
    """

    __pydantic_config__ = _STRICT
    seat: int
    phase: str
    legal: list[int]
    action: int
    position: str
    reshuffles: list[list[int]] = field(default_factory=list)
    end: RoundEnd | None = None


@dataclass(frozen=True, kw_only=True)
class Round:
    """A round: `pairing`, the dark slot on the back of each light slot; `deal`, the list of cards that it was dealt from."""

    __pydantic_config__ = _STRICT
    dealer: int
    pairing: list[int]
    deal: list[int]
    position: str
    decisions: list[Decision] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a game; no winners if it was broken off, by whoever played it or at TURN_LIMIT."""

    __pydantic_config__ = _STRICT
    is_finished: bool
    winners: list[int]
    scores: list[int]


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """A whole game, number `game` of the `games` that were recorded together; `agents` are by seat."""

    __pydantic_config__ = _STRICT
    format: int
    version: str
    game: int
    games: int
    rules: RuleSet
    players: int
    episode: Literal["round", "match"]
    seed: str
    agents: list[str]
    rounds: list[Round]
    result: Result

    @property
    def num_decisions(self) -> int:
        """Decisions in all rounds."""
        return sum(len(played.decisions) for played in self.rounds)

    def to_json(self) -> str:
        """The record on one line of JSON; decisions without a reshuffle or a round's end leave those fields out."""
        tree = asdict(self)
        for round_tree in tree["rounds"]:
            for decision in round_tree["decisions"]:
                for name in ("reshuffles", "end"):
                    if not decision[name]:
                        del decision[name]
        return json.dumps(tree, separators=(",", ":"))


class Recorder:
    """Plays one game and keeps its record: `step` until `is_done`, then `record`.

    Args:
        rules: the rule set.
        num_players: seats at the table.
        episode: 'round' or 'match'.
        seed: the game's own 64-bit seed.
    """

    def __init__(self, rules: Rules, num_players: int, episode: Literal["round", "match"], seed: int) -> None:
        self.seed = seed
        self.engine = Engine(rules, num_players=num_players, episode=episode)
        self.engine.reset([seed])
        self._round_engine = Engine(rules, num_players=num_players)  # stops at the end of a round, before the next deal
        self.rounds = [self._open_round()]

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or broken off."""
        return bool(self.engine.is_over[0]) or self.engine.games["num_turns"][0] >= TURN_LIMIT

    @property
    def legal(self) -> list[int]:
        """The legal actions, rising."""
        legal: list[int] = np.flatnonzero(self.engine.legal_mask()[0]).tolist()
        return legal

    def step(self, action: int) -> Decision:
        """Take a decision and write it down. Raises IllegalActionError as the engine does."""
        before, legal = self.engine.snapshot(), self.legal
        self.engine.step(np.array([action]))
        after = self.engine.snapshot()
        has_ended = after["num_rounds"] != before["num_rounds"]
        last = self._end_round(before, action) if has_ended else after
        decision = Decision(
            seat=int(before["actor"]),
            phase=_phase(before),
            legal=legal,
            action=action,
            position=position_text(after, self.engine.rules),
            reshuffles=_reshuffles(before, last, self.seed),
            end=self._describe_end(last) if has_ended else None,
        )
        self.rounds[-1].decisions.append(decision)
        if _is_dealt(before, after):
            self.rounds.append(self._open_round())
        return decision

    def result(self) -> Result:
        """What came of the game."""
        is_finished, game = bool(self.engine.is_over[0]), self.engine.games[0]
        winners = _seats(game["winners"]) if is_finished else []
        return Result(is_finished=is_finished, winners=winners, scores=game["scores"][: self.engine.num_seats].tolist())

    def record(self, agents: Sequence[str], game: int = 1, games: int = 1) -> GameRecord:
        """The record of the game as far as it was played; `agents` names them by seat."""
        return GameRecord(
            format=FORMAT,
            version=version("unoflip-env"),
            game=game,
            games=games,
            rules=RuleSet.of(self.engine.rules),
            players=self.engine.num_seats,
            episode=self.engine.episode,
            seed=seed_text(self.seed),
            agents=list(agents),
            rounds=self.rounds,
            result=self.result(),
        )

    def _open_round(self) -> Round:
        """The round that has just been dealt. Dealt cards stay in the list that the draw pile is a part of."""
        game, rules = self.engine.snapshot(), self.engine.rules
        return Round(
            dealer=int(game["dealer"]),
            pairing=game["partner"][LIGHT].tolist() if rules.deck == "flip" else [],
            deal=game["draw_pile"][: rules.num_cards].tolist(),
            position=position_text(game, rules),
        )

    def _end_round(self, before: np.ndarray, action: int) -> np.ndarray:
        """The game as the round's last decision leaves it, before a vote or the next deal."""
        self._round_engine.restore(0, before)
        self._round_engine.step(np.array([action]))
        return self._round_engine.snapshot()

    def _describe_end(self, game: np.ndarray) -> RoundEnd:
        num_seats = self.engine.num_seats
        return RoundEnd(
            termination=Termination(int(game["termination"])).name.lower(),
            winners=_seats(game["round_winners"]),
            points=game["hand_points"][:num_seats].tolist(),
            scores=game["scores"][:num_seats].tolist(),
            position=position_text(game, self.engine.rules),
        )


def seed_text(seed: int) -> str:
    """A 64-bit seed as records have it: 16 hexadecimal digits (JSON readers often round large numbers)."""
    return f"{seed:016x}"


def shuffled(cards: Sequence[int], seed: int, count: int) -> list[int]:
    """The list as the random stream of a game's seed shuffles it, beginning with draw number `count` (docs/records.md)."""
    pile = list(cards)
    numbers = count + np.arange(max(len(pile) - 1, 0), dtype=np.uint64)
    words = random_words(np.full(numbers.size, seed, np.uint64), numbers)
    for i, word in zip(range(len(pile) - 1, 0, -1), words.tolist(), strict=True):
        j = (word >> 32) * (i + 1) >> 32
        pile[i], pile[j] = pile[j], pile[i]
    return pile


def check(record: GameRecord) -> None:
    """Play a record again and compare every step. Raises RecordError at the first that is not as the engine plays it."""
    recorder = _begin(record)
    number = 0
    for place, recorded in enumerate(record.rounds):
        where = f"round {place + 1}"
        if place >= len(recorder.rounds):
            _refuse(where, f"the game has {len(recorder.rounds)} rounds only")
        _compare(where, recorded, recorder.rounds[place], ("dealer", "pairing", "deal", "position"))
        for decision in recorded.decisions:
            number += 1
            _check_decision(f"{where}, decision {number}", recorder, place, decision)
        if record.result.is_finished and place == len(recorder.rounds) - 1 and not recorder.is_done:
            game = recorder.engine.games[0]
            _refuse(where, f"cut off after decision {number}, expected seat {game['actor']} to decide ({_phase(game)})")
    if len(record.rounds) != len(recorder.rounds):
        _refuse(f"round {len(record.rounds) + 1}", "missing")
    _compare("result", record.result, recorder.result(), [option.name for option in fields(Result)])


def _begin(record: GameRecord) -> Recorder:
    """The recorder at the beginning of the game."""
    if record.format != FORMAT:
        _refuse("format", f"got {record.format}, expected {FORMAT}")
    if len(record.seed) != 16 or not set(record.seed) <= set("0123456789abcdef"):
        _refuse("seed", f"got {record.seed!r}, expected 16 hexadecimal digits")
    if len(record.agents) != record.players or not all(name.isprintable() for name in record.agents):
        _refuse("agents", f"got {record.agents!r}, expected a printable name for each of {record.players} seats")
    try:
        rules = record.rules.to_rules()
        rules.check_seats(record.players)
    except RulesError as error:
        raise RecordError(f"rules: {error}") from error
    _compare("rules", record.rules, RuleSet.of(rules), ("options", "name", "id"))
    return Recorder(rules, record.players, record.episode, int(record.seed, 16))


def _check_decision(where: str, recorder: Recorder, place: int, recorded: Decision) -> None:
    engine = recorder.engine
    if recorder.is_done or len(recorder.rounds) != place + 1:
        _refuse(where, "the round is over before it")
    game = engine.games[0]
    asked = {"seat": int(game["actor"]), "phase": _phase(game), "legal": recorder.legal}
    for name, expected in asked.items():
        _match(where, name, getattr(recorded, name), expected)
    side = engine.side()
    try:
        played = recorder.step(recorded.action)
    except ValueError:
        action = recorded.action
        words = action_text(action, side) if 0 <= action < NUM_ACTIONS else "out of range"
        legal = ", ".join(action_text(number, side) for number in recorded.legal)
        _refuse(where, f"action {action} ({words}) is not legal; legal: {legal}")
    _compare(where, recorded, played, ("position", "reshuffles", "end"))


def _compare(where: str, recorded: T, expected: T, names: Sequence[str]) -> None:
    for name in names:
        _match(where, name, getattr(recorded, name), getattr(expected, name))


def _match(where: str, name: str, recorded: Any, expected: Any) -> None:
    """Refuse a value that is not as expected; of long lists it names the first entry that differs."""
    if recorded == expected:
        return
    if isinstance(recorded, RoundEnd) and isinstance(expected, RoundEnd):
        _compare(f"{where}, {name}", recorded, expected, [option.name for option in fields(RoundEnd)])
    if isinstance(expected, list) and isinstance(recorded, list) and len(recorded) == len(expected):
        place = next(i for i, (ours, theirs) in enumerate(zip(recorded, expected, strict=True)) if ours != theirs)
        _match(where, f"{name}[{place}]", recorded[place], expected[place])
    _refuse(where, f"{name} is {recorded!r}, expected {expected!r}")


def _refuse(where: str, why: str) -> NoReturn:
    raise RecordError(f"{where}: {why}")


def _phase(game: np.ndarray) -> str:
    return Phase(int(game["phase"])).name.lower()


def _seats(bits: np.ndarray) -> list[int]:
    """Seats kept as bits."""
    return [seat for seat in range(MAX_SEATS) if int(bits) >> seat & 1]


def _is_dealt(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a decision has led to a new deal: a round has ended, or a vote."""
    votes = (Phase.PROPOSE, Phase.VOTE)
    was_last = before["phase"] in votes or after["num_rounds"] != before["num_rounds"]
    return bool(was_last) and after["phase"] not in (*votes, Phase.OVER)


def _reshuffles(before: np.ndarray, after: np.ndarray, seed: int) -> list[list[int]]:
    """The new draw pile of each reshuffle in one decision of a round (TURN-6).

    Where there are two (a catch takes the last cards, a card that cuts in lands, and cards are drawn for it) the first is
    drawn out again, and follows from the random stream; of the last the list is still there.
    """
    count = int(after["num_reshuffles"]) - int(before["num_reshuffles"])
    if before["phase"] in (Phase.PROPOSE, Phase.VOTE) or count <= 0:
        return []
    pile = discards(before)[:: -1 if before["side"] == DARK else 1]
    if count == 2:
        block = (int(before["num_rounds"]) << 32) | ((int(before["num_reshuffles"]) + 1) << 16)
        return [shuffled(pile[:-1], seed, block), [pile[-1]]]
    size = len(pile) - (pile[-1] in discards(after))  # the top card stays up if nothing was laid on it before
    return [after["draw_pile"][:size].tolist()]
