"""Hand-made positions on the compiled engine, set up, played and read in words.

A card is written as the face on the side in play, with the face on its back where that matters: 'red 7', 'wild',
'red 7 / pink 2'. Actions are written as `action_name` names them: 'red 7', 'color blue', 'draw', 'seat +1'. The cards of
the classic deck have one face: 'red 0'.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from unoflip_env.actions import COLOR, NUM_ACTIONS, action_name
from unoflip_env.deck import (
    CLASSIC,
    CLASSIC_SLOTS,
    COLOR_NAMES,
    DARK,
    FACE_START,
    LIGHT,
    NO_COLOR,
    NUM_CARDS,
    NUM_FACES,
    SIDE_NAMES,
    SLOT_COLOR,
    SLOT_FACE,
    SLOT_SYMBOL,
    SYMBOL_NAMES,
    face_name,
    slot_words,
    words_slots,
)
from unoflip_env.engine import Engine
from unoflip_env.game import NO_CARD, NOBODY, VOTABLE, Phase, Termination, Then
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules, code

FACES = tuple({face_name(side, face): face for face in range(NUM_FACES)} for side in (LIGHT, DARK, CLASSIC))
"""FACES[side][words]: the face."""


class Position:
    """One game on the compiled engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def record(self) -> Any:
        """The game's record."""
        return self.engine.games[0]

    def do(self, *actions: str) -> Position:
        """Take actions, one after the other, each by the seat that then decides."""
        for words in actions:
            self.engine.step([self.number(words)])
        return self

    def number(self, words: str) -> int:
        """The number of an action of the seat that decides; a back picks among the copies of a face that it holds."""
        front, _, back = words.partition(" / ")
        side = int(self.record.side)
        if front not in FACES[self._named_side]:
            return next(action for action in range(COLOR, NUM_ACTIONS) if action_name(action, self._named_side) == front)
        face = FACES[self._named_side][front]
        backs = [self._back(side, slot) for slot in self._slots(side, int(self.record.actor)) if SLOT_FACE[slot] == face]
        return int(FACE_START[face]) + (backs.index(back) if back else 0)

    @property
    def legal(self) -> set[str]:
        """The legal actions in words."""
        mask = self.engine.legal_mask()[0]
        return {action_name(int(action), self._named_side) for action in np.flatnonzero(mask)}

    @property
    def phase(self) -> str:
        return Phase(int(self.record.phase)).name.lower()

    @property
    def actor(self) -> int | None:
        """The seat that decides; None when the episode is over."""
        return None if self.record.actor == NOBODY else int(self.record.actor)

    @property
    def side(self) -> str:
        return SIDE_NAMES[self._named_side]

    @property
    def color(self) -> str | None:
        """The colour in play."""
        return None if self.record.color == NO_COLOR else COLOR_NAMES[self._named_side][self.record.color]

    @property
    def termination(self) -> str:
        return Termination(int(self.record.termination)).name.lower()

    @property
    def winners(self) -> set[int]:
        return {seat for seat in range(self.engine.num_seats) if int(self.record.winners) >> seat & 1}

    @property
    def scores(self) -> list[int]:
        return self.record.scores[: self.engine.num_seats].tolist()

    @property
    def hand_points(self) -> list[int]:
        return self.record.hand_points[: self.engine.num_seats].tolist()

    @property
    def hand_sizes(self) -> list[int]:
        return self.record.hand_size[: self.engine.num_seats].tolist()

    @property
    def rewards(self) -> list[float]:
        """Of the last step, by seat."""
        return self.engine.rewards[0].tolist()

    def is_in_force(self, option: str, value: Any) -> bool:
        """Whether an option that a vote can change has this value now (MODE-1)."""
        return int(self.record.rules[VOTABLE.index(option)]) == code(option, value)

    def hand(self, seat: int) -> list[str]:
        """A hand's faces on the side in play, by slot."""
        return [face_name(self._named_side, int(SLOT_FACE[slot])) for slot in self._slots(int(self.record.side), seat)]

    @property
    def draw_pile(self) -> list[str]:
        """The faces of the draw pile on the side in play, from its top."""
        pile = self.record.draw_pile[self.record.draw_start : self.record.draw_end].tolist()
        return self._fronts(pile)

    @property
    def discards(self) -> list[str]:
        """The faces of the discard pile on the side in play, from its top."""
        ring, start = self.record.discard_pile, int(self.record.discard_start)
        return self._fronts(np.roll(ring, -start)[: self.record.discard_size].tolist())

    def observe(self, seat: int, max_players: int | None = None) -> dict[str, Any]:
        """What a seat sees, field by field."""
        layout = observation_layout(max_players or self.engine.num_seats, self.engine.rules.information)
        return layout.view(self.engine.observe(layout, [seat])[0])

    @property
    def _named_side(self) -> int:
        """The side that gives the faces their names."""
        return self.engine.side()

    def _slots(self, side: int, seat: int) -> list[int]:
        return words_slots(self.record.hand[side, seat])

    def _back(self, side: int, slot: int) -> str:
        return face_name(1 - side, int(SLOT_FACE[self.record.partner[side, slot]]))

    def _fronts(self, pile: list[int]) -> list[str]:
        side = int(self.record.side)
        slots = pile[::-1] if side == LIGHT else self.record.partner[LIGHT, pile].tolist()
        return [face_name(self._named_side, int(SLOT_FACE[slot])) for slot in slots]


def ask(turn: Position, seat: int) -> Position:
    """Have all that are asked before this seat, in a UNO window or about a cut, decline."""
    phase = turn.phase
    while turn.phase == phase and turn.actor != seat:
        turn.do("decline")
    assert phase in ("uno", "cut")
    assert (turn.phase, turn.actor) == (phase, seat)
    return turn


def decline_all(turn: Position) -> Position:
    """Have all that are asked decline."""
    phase = turn.phase
    assert phase in ("uno", "cut")
    while turn.phase == phase:
        turn.do("decline")
    return turn


def faces_of(counts: np.ndarray, side: str) -> dict[str, int]:
    """Cards by face, as an observation counts them, in words."""
    return {face_name(SIDE_NAMES.index(side), int(face)): int(counts[face]) for face in np.flatnonzero(counts)}


class _Box:
    """The cards that are not yet in a position, and those taken out: each a pair of a light and a dark slot."""

    def __init__(self, side: int, is_classic: bool) -> None:
        self.side, self.is_classic = side, is_classic
        slots = CLASSIC_SLOTS if is_classic else np.arange(NUM_CARDS)
        self.num_cards = len(slots)
        self.free = [[list(slots[SLOT_FACE[slots] == face]) for face in range(NUM_FACES)] for _ in (LIGHT, DARK)]
        self.cards: list[list[int | None]] = []

    def take(self, names: Iterable[str]) -> list[int]:
        """Take cards out by name; returns their places among `cards`."""
        places = []
        for name in names:
            card: list[int | None] = [None, None]
            for words, side in zip(name.split(" / "), (self.side, 1 - self.side), strict=False):
                face = FACES[CLASSIC if self.is_classic else side][words]
                card[side] = int(self.free[side][face].pop(0))
            places.append(len(self.cards))
            self.cards.append(card)
        return places

    def take_rest(self) -> list[int]:
        """Give every card its other face, and take out the cards that were not named."""
        num_named = len(self.cards)
        self.cards += [[None, None] for _ in range(self.num_cards - num_named)]
        self._fill(LIGHT)
        if self.is_classic:
            self.cards = [[card[LIGHT]] * 2 for card in self.cards]
        else:
            self._fill(DARK)
        return list(range(num_named, self.num_cards))

    def _fill(self, side: int) -> None:
        free = [int(slot) for slots in self.free[side] for slot in slots]
        for card in self.cards:
            if card[side] is None:
                card[side] = free.pop(0)


def position(
    rules: Rules,
    hands: Sequence[str],
    *,
    top: str,
    under: Sequence[str] = (),
    draws: Sequence[str] = (),
    has_rest: bool = True,
    side: Literal["light", "dark"] = "light",
    color: str | None = None,
    turn: int = 0,
    direction: int = 1,
    dealer: int = 0,
    said_uno: Sequence[int] = (),
    scores: Sequence[int] = (),
    num_turns: int = 1,
    episode: Literal["round", "match"] = "round",
    seed: int = 0,
) -> Position:
    """A position in which a seat decides about its play.

    Args:
        rules: the rules.
        hands: by seat, cards with commas between them.
        top: the top card.
        under: the discards under it, from the top down.
        draws: the first cards of the draw pile, from the top down.
        has_rest: whether all other cards follow in the draw pile; else they are out of play.
        side: the side in play of the flip deck.
        color: the colour in play, where the top card is a wild.
        turn: the seat whose turn it is.
        direction: 1 or -1.
        dealer: the round's dealer.
        said_uno: the seats that have said UNO.
        scores: by seat; 0 by default.
        num_turns: turns begun this round, this one included.
        episode: 'round' or 'match'.
        seed: what is random from here on.
    """
    box = _Box(SIDE_NAMES.index(side), rules.deck == "classic")
    held = [box.take(filter(None, hand.split(", "))) for hand in hands]
    discards, draw_pile = box.take([top, *under]), box.take(draws)
    rest = box.take_rest()
    engine = Engine(rules, seed=seed, num_players=len(hands), episode=episode)
    record = engine.snapshot(0)
    _fill_cards(record, box, held, discards, draw_pile + rest * has_rest)
    record["said_uno"] = sum(1 << seat for seat in said_uno)
    record["scores"][: len(scores)] = scores
    record["actor"] = record["turn_seat"] = turn
    record["direction"], record["dealer"], record["num_turns"] = direction, dealer, num_turns
    if color:
        record["color"] = COLOR_NAMES[box.side].index(color)
    engine.restore(0, record)
    return Position(engine)


def _fill_cards(record: np.ndarray, box: _Box, held: list[list[int]], discards: list[int], draw_pile: list[int]) -> None:
    """Write where all cards are into a record, and no more than a turn that has just begun needs."""
    cards = np.array(box.cards, np.uint8)
    record["partner"][LIGHT, cards[:, LIGHT]] = cards[:, DARK]
    record["partner"][DARK, cards[:, DARK]] = cards[:, LIGHT]
    record["hand"], record["hand_size"] = 0, 0
    for seat, places in enumerate(held):
        record["hand_size"][seat] = len(places)
        for side in (LIGHT, DARK):
            record["hand"][side, seat] = slot_words(cards[places, side].tolist())
    order = -1 if box.side == LIGHT else 1  # the top is a pile's end on the light side, its start on the dark side
    record["draw_pile"][: len(draw_pile)] = cards[draw_pile, LIGHT][::order]
    record["draw_start"], record["draw_end"] = 0, len(draw_pile)
    record["discard_pile"][: len(discards)] = cards[discards, LIGHT][::order]
    record["discard_start"], record["discard_size"] = 0, len(discards)
    for side in (LIGHT, DARK):
        record["backs"][side] = 1 + SLOT_FACE[record["partner"][side]]
        record["seen"][side] = record["lying"][side] = slot_words(cards[discards, side].tolist())
    record["known"] = record["shown"] = record["said_uno"] = record["to_ask"] = record["num_reshuffles"] = 0
    record["went_out"], record["num_out"], record["pair_size"], record["pending_draws"] = 0, 0, 0, 0
    record["silent_seat"], record["cutter"], record["proposal"], record["is_rejected"] = NOBODY, NOBODY, 0, 0
    record["side"], record["color"] = box.side, SLOT_COLOR[cards[discards[0], box.side]]
    record["phase"], record["then"], record["drawn_card"], record["receiver"] = Phase.PLAY, Then.ASKED, NO_CARD, NOBODY
    record["challenged_color"], record["is_guilty"], record["idle_turns"] = NO_COLOR, 0, 1


def dealt(rules: Rules, num_players: int, start: str, back: str | None = None) -> Position:
    """A fresh deal whose first card has this symbol, on its light side (and this one on its dark side)."""
    deals = Engine(rules, 4096, seed=1, num_players=num_players)
    games = np.arange(deals.num_games)
    cards = deals.games.discard_pile[games, deals.games.discard_start]
    backs = deals.games.partner[games, LIGHT, cards]
    is_wanted = _symbols(CLASSIC if rules.deck == "classic" else LIGHT)[cards] == start
    if back:
        is_wanted &= _symbols(DARK)[backs] == back
    engine = Engine(rules, num_players=num_players)
    engine.restore(0, deals.snapshot(int(games[is_wanted][0])))
    return Position(engine)


def _symbols(side: int) -> np.ndarray:
    """The symbol of each slot in words."""
    return np.array(SYMBOL_NAMES[side])[SLOT_SYMBOL]
