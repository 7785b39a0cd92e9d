"""The course of a game as generators: each asks for a `Decision` with `yield` and is sent the action chosen."""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal, NamedTuple

from tests.reference.cards import LIGHT, Card
from tests.reference.table import Table
from unoflip_env.actions import ACCEPT, CATCH, CHALLENGE, COLOR, DECLINE, DRAW_CARD, KEEP, SAY_UNO, SEAT
from unoflip_env.rules import Rules


class Decision(NamedTuple):
    """What a seat is asked. `wrong` holds the actions that are taken back with a penalty (TURN-5)."""

    seat: int
    phase: str
    legal: frozenset[int]
    wrong: frozenset[int] = frozenset()


Asking = Generator[Decision, int, None]
AskingNext = Generator[Decision, int, int]  # returns the seat whose turn is next


class ReferenceGame:
    """One game from its seed: a round, or a match. `decision` is None once it is over."""

    def __init__(self, rules: Rules, num_seats: int, seed: int, episode: Literal["round", "match"] = "round") -> None:
        self.rules = rules
        self.table = Table(rules, num_seats, seed)
        self.scores = [0] * num_seats
        self.hand_points = [0] * num_seats
        self.winners: set[int] = set()
        self.termination = "none"
        self._flow = self._play_rounds(is_match=episode == "match")
        self.decision: Decision | None = next(self._flow)

    def legal(self) -> frozenset[int]:
        """The numbers of the legal actions; none once the game is over."""
        return self.decision.legal if self.decision else frozenset()

    def step(self, action: int) -> None:
        """Take an action. Raises ValueError, the game unchanged, for one that is not open to the seat that decides."""
        if not self.decision or action not in self.decision.legal | self.decision.wrong:
            raise ValueError(f"action {action}: expected one of {sorted(self.legal())}")
        self.decision = self._flow.send(action)

    # ------------------------------------------------------------------ rounds and their ends

    def _play_rounds(self, is_match: bool) -> Generator[Decision | None, int, None]:
        is_over = False
        while not is_over:
            self.table.deal()
            yield from self._play_round()
            self._score()
            is_over = not is_match or self._end_match()
        yield None

    def _play_round(self) -> Asking:
        seat = yield from self._start()
        while not self._end_round():
            seat = yield from self._turn(seat)

    def _end_round(self) -> bool:
        """END-1, TURN-7, TURN-8: whether the round ends before another turn; then how, and who won it."""
        hands, rules = self.table.hands, self.rules
        if not all(hands):
            self.termination, rank = "empty_hand", [len(hand) for hand in hands]
        elif self.table.idle_turns == self.table.num_seats:
            self.termination, rank = "blocked", self._points()
        elif rules.max_turns and self.table.num_turns == rules.max_turns:
            by_cards = rules.timeout_winner == "fewest_cards"
            self.termination, rank = "timeout", [len(hand) for hand in hands] if by_cards else self._points()
        else:
            return False
        self.winners = {seat for seat, value in enumerate(rank) if value == min(rank)}
        self.table.happened[self.termination] += 1
        return True

    def _points(self) -> list[int]:
        """SCORE-1, SCORE-3: the points in each hand."""
        side = LIGHT if self.rules.score_side == "light" else self.table.side
        return [sum(card.faces[side].points for card in hand) for hand in self.table.hands]

    def _score(self) -> None:
        """SCORE-4, TURN-9."""
        self.hand_points = self._points()
        pot = sum(points for seat, points in enumerate(self.hand_points) if seat not in self.winners)
        for seat, points in enumerate(self.hand_points):
            if self.rules.scoring == "own_hand":
                self.scores[seat] += points
            elif seat in self.winners:
                self.scores[seat] += pot // len(self.winners)
        self.table.num_rounds += 1

    def _end_match(self) -> bool:
        """SCORE-5: whether the target is reached; then who won the match."""
        if max(self.scores) < self.rules.target:
            return False
        best = min(self.scores) if self.rules.scoring == "own_hand" else max(self.scores)
        self.winners = {seat for seat, score in enumerate(self.scores) if score == best}
        self.table.happened["match"] += 1
        return True

    # ------------------------------------------------------------------ the start

    def _start(self) -> AskingNext:
        """START: what the first card does; returns the seat that has the first turn."""
        table = self.table
        first = table.next_seat(table.dealer)
        match table.top.symbol:
            case "draw_one":
                table.draw_cards(first, 1)
                return table.next_seat(first)
            case "reverse":
                table.direction = -table.direction
                return table.dealer
            case "skip":
                return table.next_seat(first)
            case "wild":
                yield from self._name_color(first)
            case "flip":
                yield from self._flip(first)
        return first

    # ------------------------------------------------------------------ a turn

    def _turn(self, seat: int) -> AskingNext:
        """One seat's go; returns the seat whose turn is next."""
        table = self.table
        num_moves = table.num_moves
        table.num_turns += 1
        if self.rules.uno_window == "next_turn":  # UNO-2
            table.said_uno.clear()
        else:
            yield from self._uno_window(seat)
        next_seat = yield from self._play_or_draw(seat)
        table.idle_turns = table.idle_turns + 1 if table.num_moves == num_moves else 0
        return next_seat

    def _play_or_draw(self, seat: int) -> AskingNext:
        """TURN-1, TURN-2, TURN-4."""
        plays = self._plays(seat)
        may_draw = self.rules.draw == "optional" or not any(self._is_honest(seat, card) for card in plays.values())
        action = yield from self._ask_play(seat, "play", plays, {DRAW_CARD} if may_draw else set())
        if action == DRAW_CARD:
            drawn = self._draw_instead(seat)
            plays = {action: card for action, card in self._plays(seat).items() if card is drawn}
            if drawn is None or not plays:
                return self.table.next_seat(seat)
            must_play = self.rules.drawn_card == "must_play" and self._is_honest(seat, drawn)
            action = yield from self._ask_play(seat, "drawn", plays, set() if must_play else {KEEP})
            if action == KEEP:
                return self.table.next_seat(seat)
        if action not in plays:  # TURN-5
            self.table.take_back(self.table.held_slots(seat)[action])
            self.table.draw_cards(seat, 2)
            return self.table.next_seat(seat)
        return (yield from self._play(seat, plays[action]))

    def _ask_play(self, seat: int, phase: str, plays: dict[int, Card], others: set[int]) -> AskingNext:
        """A decision about playing a card, with UNO said first or not (UNO-2); returns the action."""
        wrong = set(self.table.held_slots(seat)) - set(plays) if self.rules.illegal == "penalty" else set()
        decision = Decision(seat, phase, frozenset(plays) | others, frozenset(wrong))
        if not self._may_say_uno(seat) or not plays:
            return (yield decision)
        action = yield decision._replace(legal=decision.legal | {SAY_UNO})
        if action == SAY_UNO:
            self.table.said_uno.add(seat)
            action = yield decision
        return action

    def _draw_instead(self, seat: int) -> Card | None:
        """TURN-3; returns the last card drawn."""
        card = self.table.draw_card(seat)
        while self.rules.draw_count == "until_playable" and card and not self._is_honest(seat, card):
            another = self.table.draw_card(seat)
            if another is None:
                break
            card = another
        return card

    # ------------------------------------------------------------------ what may be played

    def _plays(self, seat: int) -> dict[int, Card]:
        """The legal plays by action (TURN-1, ACT-8)."""
        bluffs = self.rules.wild_draw == "bluff"
        return {
            action: card
            for action, card in self.table.held_slots(seat).items()
            if self._is_honest(seat, card) or (bluffs and self._is_wild_draw(card))
        }

    def _is_honest(self, seat: int, card: Card) -> bool:
        """Whether a card may be played without a bluff."""
        face = self.table.face(card)
        if face.color is not None:
            return face.color == self.table.color or face.symbol == self.table.top.symbol
        return face.symbol == "wild" or self.rules.wild_draw == "free" or not self._holds_color_in_play(seat)

    def _is_wild_draw(self, card: Card) -> bool:
        return self.table.face(card).symbol.startswith("wild_draw")

    def _holds_color_in_play(self, seat: int) -> bool:
        return any(self.table.face(card).color == self.table.color for card in self.table.hands[seat])

    # ------------------------------------------------------------------ a card played

    def _play(self, seat: int, card: Card) -> AskingNext:
        """The card, its colour (ACT-10), the UNO window (UNO-5), its effect; returns the seat whose turn is next."""
        is_bluff = self._is_wild_draw(card) and self._holds_color_in_play(seat)  # CHAL-6
        self.table.discard(seat, card)
        if self.table.color is None:
            yield from self._name_color(seat)
        yield from self._uno_window(seat)
        return (yield from self._take_effect(seat, self.table.face(card).symbol, is_bluff))

    def _take_effect(self, seat: int, symbol: str, is_bluff: bool) -> AskingNext:
        """ACTION cards; returns the seat whose turn is next."""
        table = self.table
        match symbol:
            case "draw_one" | "draw_five":  # ACT-1
                victim = table.next_seat(seat)
                table.draw_cards(victim, 1 if symbol == "draw_one" else 5)
                return table.next_seat(victim)
            case "reverse":  # ACT-2
                table.direction = -table.direction
                goes_again = table.num_seats == 2 and self.rules.two_player_reverse == "skip"
                return seat if goes_again else table.next_seat(seat)
            case "skip":
                return (yield from self._skip(seat))
            case "skip_everyone":  # ACT-4
                return seat
            case "flip":
                yield from self._flip(seat)
            case "wild_draw_two" | "wild_draw_color":
                return (yield from self._wild_draw(seat, symbol, is_bluff))
        return table.next_seat(seat)

    def _name_color(self, seat: int) -> Asking:
        """ACT-5, START-5, FLIP-3."""
        action = yield Decision(seat, "color", frozenset(range(COLOR, COLOR + 4)))
        self.table.color = action - COLOR

    def _flip(self, seat: int) -> Asking:
        """FLIP-2, FLIP-3."""
        self.table.turn_over()
        if self.table.color is None:
            yield from self._name_color(seat)

    def _skip(self, seat: int) -> AskingNext:
        """ACT-3."""
        table = self.table
        if self.rules.skip_role == "skip":
            return table.next_seat(seat, 2)
        if self.rules.skip_role == "all_draw":
            table.happened["all_draw"] += 1
            for places in range(1, table.num_seats):
                table.draw_card(table.next_seat(seat, places))
        elif table.hands[seat]:
            yield from self._give(seat)
        return table.next_seat(seat)

    def _give(self, seat: int) -> Asking:
        """ACT-3 `give`: an opponent, then a card; the UNO window comes if that leaves one (UNO-5)."""
        num_seats = self.table.num_seats
        action = yield Decision(seat, "give_seat", frozenset(range(SEAT, SEAT + num_seats - 1)))
        receiver = (seat + action - SEAT + 1) % num_seats
        cards = self.table.held_slots(seat)
        action = yield Decision(seat, "give_card", frozenset(cards))
        self.table.give(seat, cards[action], receiver)
        yield from self._uno_window(seat)

    def _wild_draw(self, seat: int, symbol: str, is_bluff: bool) -> AskingNext:
        """ACT-6, ACT-7 and the challenge (CHAL-1 to CHAL-5)."""
        table = self.table
        victim = table.next_seat(seat)
        if self.rules.wild_draw == "bluff":
            action = yield Decision(victim, "challenge", frozenset({ACCEPT, CHALLENGE}))
            if action == CHALLENGE:
                table.show_hand(seat, victim)
                table.happened["guilty" if is_bluff else "not_guilty"] += 1
                if is_bluff:
                    self._suffer(seat, symbol)
                    return victim
                self._suffer(victim, symbol)
                table.draw_cards(victim, 2)
                return table.next_seat(victim)
        self._suffer(victim, symbol)
        return table.next_seat(victim)

    def _suffer(self, seat: int, symbol: str) -> None:
        """What a wild draw makes a seat draw: two, or until the named colour comes."""
        if symbol == "wild_draw_two":
            self.table.draw_cards(seat, 2)
            return
        card = self.table.draw_card(seat)
        while card and self.table.face(card).color != self.table.color:
            card = self.table.draw_card(seat)

    # ------------------------------------------------------------------ UNO

    def _may_say_uno(self, seat: int) -> bool:
        """UNO-2: with two cards, or three where a turn can shed two."""
        sizes = (2, 3) if self.rules.skip_role == "give" else (2,)
        table = self.table
        return self.rules.uno == "declare" and seat not in table.said_uno and len(table.hands[seat]) in sizes

    def _uno_window(self, silent: int) -> Asking:
        """UNO-3, UNO-4: all are asked in random order until one speaks; none if there is nothing to say."""
        table = self.table
        if self.rules.uno == "auto" or silent in table.said_uno or len(table.hands[silent]) != 1:
            return
        waiting = list(range(table.num_seats))
        while waiting:
            seat = waiting.pop(table.rng.below(len(waiting)))
            action = yield Decision(seat, "uno", frozenset({SAY_UNO if seat == silent else CATCH, DECLINE}))
            if action == SAY_UNO:
                table.said_uno.add(silent)
                table.happened["own_uno"] += 1
            elif action == CATCH:
                table.draw_cards(silent, 2)
                table.happened["catch"] += 1
            if action != DECLINE:
                return
