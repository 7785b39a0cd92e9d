"""A table at which people and bots play one game after the other, each decision on record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agents.protocol import Agent
from eval.live.advice import Asked
from eval.live.story import Moment, card_words
from eval.live.words import Question
from unoflip_env.engine import Engine, Episode
from unoflip_env.records import TURN_LIMIT, GameRecord, Recorder, RoundEnd
from unoflip_env.rules import Rules
from unoflip_env.streams import closed_keys, random_uniforms, random_words
from unoflip_env.table_view import TableView

MAX_LINES = 60
"""Lines of its story that a seat can read back."""
PERSON = "person"


class PlayError(ValueError):
    """A table that cannot be set, or a move that cannot be made; the message says why."""


@dataclass(frozen=True)
class Player:
    """Who sits in a seat: an agent, or a person (None)."""

    name: str
    agent: Agent | None = None


def seat_players(num_people: int, agents: Sequence[Agent]) -> list[Player]:
    """The people, then the bots, as they sit; where a name would come twice all that bear it are numbered."""
    names = [PERSON] * num_people + [agent.name for agent in agents]
    numbers = [names[: place + 1].count(name) for place, name in enumerate(names)]
    unique = [f"{name} {n}" if names.count(name) > 1 else name for name, n in zip(names, numbers, strict=True)]
    return [Player(name, agent) for name, agent in zip(unique, [*[None] * num_people, *agents], strict=True)]


class LiveTable:
    """The game, its story as each seat saw it, and the records so far.

    After a round's last decision the table rests (`is_resting`) until `go_on`, which deals the next game if there is to be one.

    Args:
        players: by seat.
        rules: the rule set. A card that does not fit is refused whatever `illegal` says (TURN-5).
        episode: what a game is, a round or a match.
        seed: 64-bit seed of the deals and of the bots' random numbers.

    Raises RulesError for rules that cannot deal to so many.
    """

    def __init__(self, players: Sequence[Player], rules: Rules, episode: Episode, seed: int) -> None:
        rules.check_seats(len(players))
        self.players, self.rules, self.episode, self.seed = players, rules, episode, seed
        self.names = [player.name for player in players]
        self.num_decisions = 0
        """Decisions taken, in all games: tells an answer to this question from one to another."""
        self.stories: list[deque[str]] = [deque(maxlen=MAX_LINES) for _ in players]
        """What each seat was told, by seat, oldest line first; `num_lines` counts all that it was ever told."""
        self.num_lines = [0] * len(players)
        self._finished: list[GameRecord] = []
        self._deal()

    def _deal(self) -> None:
        number = np.array([len(self._finished)], np.uint64)
        deal_seed = random_words(np.array([self.seed % 2**64], np.uint64), number)
        self._agent_key = closed_keys(deal_seed, number)
        self._recorder = Recorder(self.rules, len(self.players), self.episode, int(deal_seed[0]))
        self.last_end: RoundEnd | None = None
        """How the round ended after which the table rests; None if it was broken off."""
        self.is_resting = False
        self._tell_deal()

    @property
    def engine(self) -> Engine:
        """The engine of the game at hand. What a seat may be shown is its `view`."""
        return self._recorder.engine

    @property
    def is_done(self) -> bool:
        """Whether the game is over, or broken off since it would not end."""
        return bool(self._recorder.is_done)

    @property
    def actor(self) -> int | None:
        """The seat that decides; None while the table rests."""
        return None if self.is_resting else int(self.engine.actor[0])

    def view(self, seat: int) -> TableView:
        """What a seat may know."""
        return TableView(self.engine, seat)

    def question(self, view: TableView) -> Question:
        """What the seat of a view is asked."""
        return Question(view, self.names, is_resting=self.is_resting)

    def act(self, seat: int, decision: int, action: int) -> None:
        """Take the decision number `decision` for a seat. Raises PlayError, with nothing changed, where that cannot be done."""
        self._check_number(decision)
        if seat != self.actor:
            raise PlayError("it is not your turn")
        question = self.question(self.view(seat))
        if action not in question.actions:
            labels = ", ".join(map(question.label, question.actions))
            raise PlayError(f"action {action}: not legal now; legal: {labels}")
        self._step(action)

    def go_on(self, decision: int) -> None:
        """Go on after a round, `decision` as for `act`. Raises PlayError if none has just ended."""
        self._check_number(decision)
        if not self.is_resting:
            raise PlayError("no round has just ended")
        self.num_decisions += 1
        if self.is_done:
            self._finished.append(self._record())
            self._deal()
        else:
            self.is_resting = False

    def _check_number(self, decision: int) -> None:
        if decision != self.num_decisions:
            raise PlayError(f"decision {decision} is over: expected {self.num_decisions}, the one at hand")

    def asked(self, agent: Agent) -> Asked:
        """The decision at hand as an agent in the place of the seat that decides would be asked it."""
        number = np.array([self.num_decisions], np.uint64)
        uniforms = random_uniforms(self._agent_key, number)
        return Asked(agent, self.engine.observe(agent.layout), self.engine.legal_mask(), uniforms)

    def note(self, line: str) -> None:
        """Tell all seats something that all may know."""
        for seat in range(len(self.players)):
            self._tell(seat, [line])

    def _tell(self, seat: int, lines: Iterable[str]) -> None:
        for line in lines:
            self.stories[seat].append(line)
            self.num_lines[seat] += 1

    def records(self) -> list[GameRecord]:
        """All games so far, the one at hand included once a decision has been taken in it."""
        games = [*self._finished, *([self._record()] if self._recorder.rounds[0].decisions else [])]
        return [replace(game, game=number, games=len(games)) for number, game in enumerate(games, start=1)]

    def _record(self) -> GameRecord:
        return self._recorder.record([player.agent.name if player.agent else player.name for player in self.players])

    def _step(self, action: int) -> None:
        views = [self.view(seat) for seat in range(len(self.players))]
        num_rounds = len(self._recorder.rounds)
        decision = self._recorder.step(action)
        self.num_decisions += 1
        self.is_resting = decision.end is not None or self.is_done
        self.last_end = decision.end
        has_new_deal = len(self._recorder.rounds) > num_rounds
        for before in views:
            moment = Moment(self.names, before, self.view(before.seat), action)
            self._tell(before.seat, moment.lines(has_ended=has_new_deal or self.is_resting))
        if self.is_resting:
            self.note(f"{self.ending}.")
        if has_new_deal and not self.is_done:
            self._tell_deal()

    def _tell_deal(self) -> None:
        """The card that is turned up, as everybody sees it."""
        view = self.view(0)
        top = card_words(view.side, view.number("top_face"))
        self.note(f"Round {len(self._recorder.rounds)}: {top} is turned up.")

    @property
    def ending(self) -> str:
        """Who won the last round or, once it is over, the match."""
        if not self.last_end:
            return f"The game is broken off after {TURN_LIMIT} turns"
        is_match = self.is_done and self.episode == "match"
        winners = self._recorder.result().winners if is_match else self.last_end.winners
        names = " and ".join(self.names[seat] for seat in winners)
        return f"{names} won the {'match' if is_match else 'round'}{_ENDINGS[self.last_end.termination]}"


_ENDINGS = {"empty_hand": "", "blocked": ": nobody could move", "timeout": ": the turns ran out"}
