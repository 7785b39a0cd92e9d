"""What lies on the table and what each seat has learned of it: hands, piles, the deal, the reshuffle, the turning over.

A pile is a list with its top card last. Turning a pile over as a block therefore reverses the list.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.reference.cards import (
    CLASSIC,
    DARK,
    FIRST_SLOT,
    LIGHT,
    NUM_SLOTS,
    PRINTED_PAIRING,
    Card,
    Face,
    Stream,
    make_classic_deck,
    make_flip_deck,
)
from unoflip_env.game import NOBODY
from unoflip_env.rules import Rules


def numbers(cards: list[Card]) -> list[int]:
    """What the cards are called where a number is wanted: their light slots."""
    return [card.slots[LIGHT] for card in cards]


class Table:
    """Cards, seats, direction, colour in play and knowledge; the rules that move cards without asking anybody."""

    def __init__(self, rules: Rules, num_seats: int, seed: int) -> None:
        rules.check_seats(num_seats)
        self.rules = rules  # as they are now: a vote may change them (MODE-1)
        self.num_seats = num_seats
        self.rng = Stream(seed)
        self.dealer = self.turn_seat = 0
        self.proposal = 0
        self.num_rounds = 0
        self.happened: Counter[str] = Counter()

    # ------------------------------------------------------------------ the deal

    def deal(self) -> None:
        """Deal a round (DEAL-1 to DEAL-4, DECK-3)."""
        self.rng.count = self.num_rounds << 32
        self._choose_dealer()
        self.direction = self.rules.initial_direction
        self.side = LIGHT
        self.cards = make_classic_deck() if self.rules.deck == "classic" else make_flip_deck(self._pairing())
        self.known = np.zeros((self.num_seats, NUM_SLOTS), bool)  # [seat, card]: its front (INFO-3)
        self.shown = np.zeros_like(self.known)  # [seat, card]: both its sides
        self.seen = np.zeros(NUM_SLOTS, bool)  # it lay face up this round
        self.said_uno: set[int] = set()
        self.went_out: list[int] = []  # seats whose hand was emptied, in that order (END-1)
        self.silent = NOBODY  # who may be caught in the UNO window
        self.cutter = NOBODY  # who has cut in with a card that has not landed (DBL-2)
        self.pending_draws = 0  # what a seat that is asked about it has to draw; 0: until the named colour comes
        self.num_turns = self.idle_turns = self.num_reshuffles = 0
        while not self._deal_hands():
            self.happened["redeal"] += 1
        self.color = self.top.color

    def _choose_dealer(self) -> None:
        if self.num_rounds:  # DEAL-3
            self.dealer = (self.dealer + self.rules.initial_direction) % self.num_seats
        elif self.rules.dealer == "random":  # DEAL-1
            self.dealer = self.rng.below(self.num_seats)
        else:
            self.dealer = self.rules.dealer

    def _pairing(self) -> list[int]:
        """DECK-3: the dark slot on the back of each light slot."""
        if self.rules.pairing == "printed":
            return PRINTED_PAIRING
        if self.rules.pairing == "shuffled":
            dark_slots = list(range(NUM_SLOTS))
            self.rng.shuffle(dark_slots)
            return dark_slots
        return list(self.rules.pairing)

    def _deal_hands(self) -> bool:
        """Shuffle, deal and turn a card up; False when no card that is left could be the first."""
        self.draw_pile = list(self.cards)
        self.rng.shuffle(self.draw_pile)
        self.hands: list[list[Card]] = [[] for _ in range(self.num_seats)]
        for _ in range(self.rules.hand):
            for places in range(1, self.num_seats + 1):
                self.hands[self.next_seat(self.dealer, places)].append(self.draw_pile.pop())
        return self._turn_up()

    def _turn_up(self) -> bool:
        """START-6, START-7: turn cards up until one may stay."""
        while True:
            card = self.draw_pile.pop()
            self.seen[numbers([card])] = True
            if self._may_start(card):
                self.discard_pile = [card]
                return True
            self.draw_pile.append(card)
            if not any(map(self._may_start, self.draw_pile)):
                return False
            self.rng.shuffle(self.draw_pile)

    def _may_start(self, card: Card) -> bool:
        symbol = card.faces[LIGHT].symbol
        return not symbol.startswith("wild_draw") and (symbol != "flip" or self.rules.start_flip == "flip")

    # ------------------------------------------------------------------ the cards in play

    def face(self, card: Card) -> Face:
        """The card's face on the side in play."""
        return card.faces[self.side]

    @property
    def top(self) -> Face:
        """The face on top of the discard pile."""
        return self.face(self.discard_pile[-1])

    def next_seat(self, seat: int, places: int = 1) -> int:
        """The seat so many places on in the direction of play."""
        return (seat + self.direction * places) % self.num_seats

    def opponents(self, seat: int) -> list[int]:
        """Whom a card can hit, in the order of play from the next seat (TEAM-3)."""
        others = [self.next_seat(seat, places) for places in range(1, self.num_seats)]
        return [other for other in others if not self.are_teammates(seat, other)]

    def are_teammates(self, seat: int, other: int) -> bool:
        """TEAM-1: whether two seats are in one team; without teams each is alone."""
        teams = self.rules.teams or self.num_seats
        return seat % teams == other % teams

    def held_slots(self, seat: int) -> dict[int, Card]:
        """The action that plays each card of a hand: the copies held of a face take its slots from the first on."""
        actions = {}
        first_slot = FIRST_SLOT[CLASSIC if self.rules.deck == "classic" else self.side]
        previous, next_slot = None, 0
        for card in sorted(self.hands[seat], key=lambda card: card.slots[self.side]):
            if self.face(card) != previous:
                previous = self.face(card)
                next_slot = first_slot[previous]
            actions[next_slot] = card
            next_slot += 1
        return actions

    def draw_card(self, seat: int) -> Card | None:
        """One card from the draw pile into a hand; None when nothing is left (TURN-6)."""
        if not self.draw_pile:
            self._reshuffle()
        if not self.draw_pile:
            return None
        card = self.draw_pile.pop()
        self.hands[seat].append(card)
        self.idle_turns = 0
        if self.rules.uno_window == "last_card":  # UNO-2: said for as long as nothing is drawn
            self.said_uno.discard(seat)
        return card

    def can_draw(self) -> bool:
        """Whether anything is left to draw (TURN-6, TURN-7)."""
        return bool(self.draw_pile) or len(self.discard_pile) > 1

    def draw_cards(self, seat: int, count: int) -> None:
        """That many cards, or what there is."""
        for _ in range(count):
            self.draw_card(seat)

    def _reshuffle(self) -> None:
        """TURN-6: all discards but the top card become the draw pile; the top is the list's start on the dark side."""
        *rest, top = self.discard_pile
        if not rest:
            return
        self.num_reshuffles += 1
        self.rng.count = self.num_rounds << 32 | self.num_reshuffles << 16
        self.rng.shuffle(rest)
        self.draw_pile = rest[::-1] if self.side == DARK else rest
        self.discard_pile = [top]
        for not_held in (self.draw_pile, self.discard_pile):
            self.known[:, numbers(not_held)] = self.shown[:, numbers(not_held)] = False
        self.happened["reshuffle"] += 1

    # ------------------------------------------------------------------ cards out of hands

    def discard(self, seat: int, card: Card) -> None:
        """A card from a hand onto the discard pile; its colour is in play."""
        self._take(seat, card)
        self.discard_pile.append(card)
        self.color = self.face(card).color
        self.seen[numbers([card])] = True
        self.idle_turns = 0

    def discard_under_top(self, seat: int, cards: list[Card]) -> None:
        """ACT-9 `dump`: cards from a hand go under the top card, the first lowest."""
        for card in cards:
            self._take(seat, card)
            self.discard_pile.insert(-1, card)
        self.seen[numbers(cards)] = True

    def give(self, giver: int, card: Card, receiver: int) -> None:
        """ACT-3, TEAM-2: a card changes hands; the others no longer know what the giver holds, or that it was this card."""
        for seat in set(range(self.num_seats)) - {giver, receiver}:
            self.known[seat, numbers(self.hands[giver])] = self.shown[seat, numbers(self.hands[giver])] = False
        self._take(giver, card)
        self.hands[receiver].append(card)
        self._remember(giver, [card])

    def swap_hands(self, seat: int, other: int) -> None:
        """ACT-9 `swap`: all can follow which hand went where."""
        self._remember(seat, self.hands[seat])
        self._remember(other, self.hands[other])
        self.hands[seat], self.hands[other] = self.hands[other], self.hands[seat]

    def _take(self, seat: int, card: Card) -> None:
        self.hands[seat].remove(card)
        if not self.hands[seat]:
            self.went_out = [other for other in self.went_out if other != seat] + [seat]

    # ------------------------------------------------------------------ turning over, showing

    def turn_over(self) -> None:
        """FLIP-2: piles and hands turn over; the backs that all could see are fronts now (INFO-2, INFO-3)."""
        self.side = 1 - self.side
        self.draw_pile.reverse()
        self.discard_pile.reverse()
        self.color = self.top.color
        if self.rules.information == "fronts":
            self.known[:] = self.shown[:] = False
        else:
            for hand in self.hands:
                self.known[:, numbers(hand)] = True
        self.happened["flip"] += 1

    def show_hand(self, seat: int, to: int) -> None:
        """CHAL-2: the hand is shown to one seat alone, from both sides."""
        self._remember(to, self.hands[seat])

    def show_card(self, card: Card) -> None:
        """A card in a hand lies open to all, from both sides, for a moment (TURN-5, DBL-2, INFO-3)."""
        self._remember(slice(None), [card])
        self.seen[numbers([card])] = True

    def _remember(self, seats: int | slice, cards: list[Card]) -> None:
        self.known[seats, numbers(cards)] = self.shown[seats, numbers(cards)] = True
