"""Plays the same random games on both engines and compares them after every decision."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tests.reference.cards import DARK, LIGHT
from tests.reference.decision import Decision
from tests.reference.game import ReferenceGame
from tests.reference.setups import Setup
from tests.reference.table import Table, numbers
from unoflip_env.actions import AGREE, CARD, COLOR, DRAW_CARD, KEEP, NUM_ACTIONS, PROPOSE
from unoflip_env.deck import NUM_CARDS, SLOT_FACE
from unoflip_env.engine import Engine
from unoflip_env.game import NOBODY, VOTABLE, Phase, Termination
from unoflip_env.rules import code

_PHASES = [phase.name.lower() for phase in Phase]
_TERMINATIONS = [termination.name.lower() for termination in Termination]
_ANSWERED = {"respond", "second", "cut", "propose", "vote"}
_CARDS = frozenset(range(CARD, COLOR))
_ANSWERS = _CARDS | {AGREE, *range(PROPOSE, NUM_ACTIONS)}
"""Preferred by all policies where a stack, a cut, a second card or a change of rule is possible, so that they are frequent."""
_PREFERRED = {"uniform": frozenset[int](), "plays": _CARDS, "draws": frozenset({DRAW_CARD, KEEP}), "pairs": _CARDS}
_COLORLESS = {"color", "second"}
"""Phases in which the colour in play may be about to be named."""
_LEGAL_BYTES = -(-NUM_ACTIONS // 8)


class State(NamedTuple):
    """What is compared. Cards are named by their light slots; piles run from bottom to top."""

    phase: str
    actor: int
    legal: bytes  # actions, a bit each
    num_turns: int
    num_rounds: int
    num_reshuffles: int
    side: int
    direction: int
    dealer: int
    color: int | None
    draw_pile: bytes
    discard_pile: bytes
    holders: tuple[bytes, bytes]  # [side][slot]: the seat that holds it, or NOBODY; a classic card has no dark side
    known: bytes  # seats by cards, a bit each; cards in other hands alone
    shown: bytes
    seen: bytes  # cards, a bit each
    rules: list[int]  # the options that votes can change, as numbers
    turn_seat: int  # from the first turn on
    said_uno: int  # seats, a bit each
    silent_seat: int
    cutter: int
    pending_draws: int  # where somebody must respond
    proposal: int  # where it is voted on
    idle_turns: int  # up to the number of seats
    termination: str
    round_winners: int  # once a round has ended
    winners: int
    hand_points: list[int]
    scores: list[int]


class DifferenceError(AssertionError):
    """The engines disagree; the message holds all that is needed to play the game again."""


def _pack_rows(flags: np.ndarray) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(flags, axis=-1, bitorder="little")]


def _pack(flags: np.ndarray) -> bytes:
    return _pack_rows(flags[None])[0]


def _holders(table: Table) -> tuple[bytes, bytes]:
    light, dark = bytearray([NOBODY] * NUM_CARDS), bytearray([NOBODY] * NUM_CARDS)
    for seat, hand in enumerate(table.hands):
        for card in hand:
            light[card.slots[LIGHT]] = dark[card.slots[DARK]] = seat
    return bytes(light), bytes([NOBODY] * NUM_CARDS if table.rules.deck == "classic" else dark)


def reference_state(game: ReferenceGame) -> State:
    """The state of a game of the reference."""
    table, decision = game.table, game.decision or Decision(NOBODY, "over", frozenset())
    holders = _holders(table)
    holder = np.frombuffer(holders[LIGHT], np.uint8)
    in_other_hands = (holder != NOBODY) & (holder != np.arange(table.num_seats)[:, None])
    return State(
        phase=decision.phase,
        actor=decision.seat,
        legal=sum([1 << action for action in decision.legal]).to_bytes(_LEGAL_BYTES, "little"),
        num_turns=table.num_turns,
        num_rounds=table.num_rounds,
        num_reshuffles=table.num_reshuffles,
        side=table.side,
        direction=table.direction,
        dealer=table.dealer,
        color=None if decision.phase in _COLORLESS else table.color,
        draw_pile=bytes(numbers(table.draw_pile)),
        discard_pile=bytes(numbers(table.discard_pile)),
        holders=holders,
        known=_pack(table.known & in_other_hands),
        shown=_pack(table.shown & in_other_hands),
        seen=_pack(table.seen),
        rules=_codes(*(getattr(table.rules, name) for name in VOTABLE)),
        turn_seat=table.turn_seat if table.num_turns else NOBODY,
        said_uno=_bits(table.said_uno),
        silent_seat=table.silent,
        cutter=table.cutter,
        pending_draws=table.pending_draws if decision.phase == "respond" else 0,
        proposal=table.proposal if decision.phase == "vote" else 0,
        idle_turns=min(table.idle_turns, table.num_seats),
        termination=game.termination,
        round_winners=_bits(game.round_winners),
        winners=_bits(game.winners),
        hand_points=list(game.hand_points),
        scores=list(game.scores),
    )


@lru_cache
def _codes(*values: Any) -> list[int]:
    """The options that votes can change, as numbers."""
    return [code(name, value) for name, value in zip(VOTABLE, values, strict=True)]


def _bits(seats: set[int]) -> int:
    return sum(1 << seat for seat in seats)


def engine_states(engine: Engine) -> list[State]:
    """The state of each game of a batch."""
    games, num_seats = engine.games.view(np.ndarray), engine.num_seats
    held = _flags(games["hand"])[:, :, :num_seats]  # [game, side, seat, slot]
    holders = np.where(held.any(2), held.argmax(2), NOBODY).astype(np.uint8)
    if engine.rules.deck == "classic":
        holders[:, DARK] = NOBODY
    in_other_hands = held[:, LIGHT].any(1, keepdims=True) & ~held[:, LIGHT]
    columns = {
        "phase": [_PHASES[phase] for phase in games["phase"].tolist()],
        "legal": _pack_rows(engine.legal_mask()),
        "color": _colors(games),
        "draw_pile": _draw_piles(games),
        "discard_pile": _discard_piles(games),
        "holders": [(light.tobytes(), dark.tobytes()) for light, dark in holders],
        "known": _pack_rows(_flags(games["known"])[:, LIGHT, :num_seats] & in_other_hands),
        "shown": _pack_rows(_flags(games["shown"])[:, LIGHT, :num_seats] & in_other_hands),
        "seen": _pack_rows(_flags(games["seen"])[:, LIGHT]),
        "rules": games["rules"].tolist(),
        "turn_seat": np.where(games["num_turns"] > 0, games["turn_seat"], NOBODY).tolist(),
        "idle_turns": np.minimum(games["idle_turns"], num_seats).tolist(),
        "round_winners": games["round_winners"].tolist(),
        "pending_draws": _only_in(games, Phase.RESPOND, games["pending_draws"]),
        "proposal": _only_in(games, Phase.VOTE, games["proposal"].astype(int) - 1),
        "termination": [_TERMINATIONS[termination] for termination in games["termination"].tolist()],
        "hand_points": games["hand_points"][:, :num_seats].tolist(),
        "scores": games["scores"][:, :num_seats].tolist(),
    }
    columns |= {name: games[name].tolist() for name in State._fields if name not in columns}
    return [State(*row) for row in zip(*(columns[name] for name in State._fields), strict=True)]


def _colors(games: np.ndarray) -> list[int | None]:
    """The colours in play; None while one is being named."""
    rows = zip(games["phase"].tolist(), games["color"].tolist(), strict=True)
    return [None if _PHASES[phase] in _COLORLESS else color for phase, color in rows]


def _only_in(games: np.ndarray, phase: Phase, values: np.ndarray) -> list[int]:
    """Values that mean something in one phase alone; 0 in the others."""
    return np.where(games["phase"] == phase, values, 0).tolist()


def _flags(words: np.ndarray) -> np.ndarray:
    """Sets of slots as flags: 64-bit words of shape (..., 2) as an array of shape (..., 112)."""
    return np.unpackbits(words.view(np.uint8), axis=-1, count=NUM_CARDS, bitorder="little").view(bool)


def _draw_piles(games: np.ndarray) -> list[bytes]:
    columns = (games[name].tolist() for name in ("draw_start", "draw_end", "side"))
    rows = zip(games["draw_pile"], *columns, strict=True)
    return [row.tobytes()[start:end][:: -1 if side == DARK else 1] for row, start, end, side in rows]


def _discard_piles(games: np.ndarray) -> list[bytes]:
    columns = (games[name].tolist() for name in ("discard_start", "discard_size", "side"))
    rows = zip(games["discard_pile"], *columns, strict=True)
    return [(row.tobytes() * 2)[start:][:size][:: -1 if side == DARK else 1] for row, start, size, side in rows]


def choose(decision: Decision, policy: str, rng: random.Random) -> int:
    """A random action: wrong now and then (TURN-5), else of the kind that the policy prefers, else any."""
    if decision.wrong and rng.random() < 0.05:
        return rng.choice(sorted(decision.wrong))
    preferred = decision.legal & (_ANSWERS if decision.phase in _ANSWERED else _PREFERRED[policy])
    if policy == "pairs" and decision.phase == "play":
        preferred = frozenset(action for action in preferred if _has_copy(action, preferred)) or preferred
    return rng.choice(sorted(preferred if preferred and rng.random() < 0.9 else decision.legal))


def _has_copy(action: int, actions: frozenset[int]) -> bool:
    """Whether the hand holds another card of the same face, as held slots show."""
    return any(other in actions and SLOT_FACE[other] == SLOT_FACE[action] for other in (action - 1, action + 1))


def _describe(name: str, value: Any) -> Any:
    """A field in a form that can be read."""
    if name in ("draw_pile", "discard_pile"):
        return list(value)
    if name == "holders":
        return [list(side) for side in value]
    if name not in ("legal", "known", "shown", "seen"):
        return value
    flags = np.flatnonzero(np.unpackbits(np.frombuffer(value, np.uint8), bitorder="little")).tolist()
    return flags if name == "legal" else [divmod(flag, NUM_CARDS) for flag in flags]


def _check(setup: Setup, seed: int, actions: list[int], reference: State, engine: State) -> None:
    if reference == engine:
        return
    differences = [
        f"  {name}: reference {_describe(name, ours)}, engine {_describe(name, theirs)}"
        for name, ours, theirs in zip(State._fields, reference, engine, strict=True)
        if ours != theirs
    ]
    message = [f"seed {seed}, decision {len(actions)}, {setup}", *differences, f"  actions: {actions}"]
    raise DifferenceError("\n".join(message))


class _Batch:
    """Games of one setup, side by side on both engines; those that end are followed by new ones."""

    def __init__(self, setup: Setup, num_games: int, seed: int) -> None:
        self.setup = setup
        self.rng = random.Random(seed)
        self.engine = Engine(setup.rules, num_games, num_players=setup.num_seats, episode=setup.episode)
        self.games: dict[int, ReferenceGame] = {}
        self.seeds: dict[int, int] = {}
        self.actions: dict[int, list[int]] = {}
        self.counts: Counter[str] = Counter()
        self._deal(range(num_games))

    def _deal(self, places: Sequence[int]) -> None:
        for place in places:
            self.seeds[place] = seed = self.rng.getrandbits(64)
            self.games[place] = ReferenceGame(self.setup.rules, self.setup.num_seats, seed, self.setup.episode)
            self.actions[place] = []
        self.engine.reset(np.array([self.seeds[place] for place in places], np.uint64), np.array(places))
        self._check(places)

    def _check(self, places: Iterable[int]) -> None:
        states = engine_states(self.engine)
        for place in places:
            state = reference_state(self.games[place])
            _check(self.setup, self.seeds[place], self.actions[place], state, states[place])

    def step(self) -> None:
        """One decision in every game, then a new deal where that was the last."""
        for place, game in self.games.items():
            assert game.decision
            action = choose(game.decision, self.setup.policy, self.rng)
            game.step(action)
            self.actions[place].append(action)
        self.engine.step(np.array([actions[-1] for actions in self.actions.values()]))
        self.counts["decisions"] += len(self.games)
        self._check(self.games)
        over = [place for place, game in self.games.items() if game.decision is None]
        if over:
            self.counts += sum((self.games[place].table.happened for place in over), Counter())
            self._deal(over)


def compare(setup: Setup, num_decisions: int, seed: int, num_games: int = 8) -> Counter[str]:
    """Play at least so many decisions on both engines; returns what happened in them, counted.

    Raises DifferenceError at the first state in which they differ.
    """
    batch = _Batch(setup, num_games, seed)
    while batch.counts["decisions"] < num_decisions:
        batch.step()
    return sum((game.table.happened for game in batch.games.values()), batch.counts)
