"""DECK: the cards."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.rulebook.position import dealt
from unoflip_env.deck import DARK, LIGHT, NUM_CARDS, SLOT_FACE, face_name
from unoflip_env.engine import Engine
from unoflip_env.rules import Rules, RulesError

COLORS = {"light": ("red", "yellow", "green", "blue"), "dark": ("pink", "turquoise", "orange", "purple")}
ACTIONS = {
    "light": ("draw_one", "reverse", "skip", "flip"),
    "dark": ("draw_five", "reverse", "skip_everyone", "flip"),
}
WILDS = {"light": ("wild", "wild_draw_two"), "dark": ("wild", "wild_draw_color")}


@pytest.mark.parametrize(("side", "start"), [("light", "5"), ("dark", "flip")])
def test_deck_1_deck_flip_has_112_cards_of_two_faces(side: str, start: str) -> None:
    symbols = [str(number) for number in range(1, 10)] + list(ACTIONS[side])
    expected = {f"{color} {symbol}": 2 for color in COLORS[side] for symbol in symbols} | dict.fromkeys(WILDS[side], 4)
    assert sum(expected.values()) == NUM_CARDS
    deal = dealt(Rules(start_flip="flip"), 4, start)
    hands = [face for seat in range(4) for face in deal.hand(seat)]
    assert Counter(hands + deal.draw_pile + deal.discards) == expected


def test_deck_2_deck_classic_has_108_cards_of_one_face() -> None:
    symbols = [str(number) for number in range(1, 10)] + ["draw_two", "skip", "reverse"]
    expected = {f"{color} {symbol}": 2 for color in COLORS["light"] for symbol in symbols}
    expected |= {f"{color} 0": 1 for color in COLORS["light"]} | {"wild": 4, "wild_draw_four": 4}
    assert sum(expected.values()) == 108
    for num_players in (2, 10):
        deal = dealt(Rules(deck="classic"), num_players, "5")
        hands = [face for seat in range(num_players) for face in deal.hand(seat)]
        assert Counter(hands + deal.draw_pile + deal.discards) == expected
        assert deal.side == "classic"


def test_deck_2_deck_classic_has_no_flip_and_nothing_on_the_backs() -> None:
    deal = dealt(Rules(deck="classic"), 3, "5")
    assert deal.actor is not None
    for field in ("own_backs", "other_backs", "seen_backs", "flip_face", "draw_back"):
        assert not deal.observe(deal.actor)[field].any()


def test_deck_2_a_deal_to_more_than_the_108_cards_is_refused() -> None:
    with pytest.raises(RulesError, match=r"hand=12 with num_players=9.*108.*at most 11"):
        Engine(Rules(deck="classic", hand=12), num_players=9)


def pairings(rules: Rules) -> list[list[int]]:
    """The dark slots on the backs of the light slots, in several games."""
    engine = Engine(rules, 4, seed=3)
    partner = engine.games.partner
    for game in range(4):
        assert partner[game, DARK, partner[game, LIGHT]].tolist() == list(range(NUM_CARDS))
    return partner[:, LIGHT].tolist()


def test_deck_3_pairing_shuffled_is_drawn_for_every_game() -> None:
    assert len(set(map(tuple, pairings(Rules(pairing="shuffled"))))) == 4


def test_deck_3_pairing_shuffled_is_drawn_for_every_round() -> None:
    engine = Engine(Rules(pairing="shuffled", max_turns=1), seed=3, episode="match")
    before = engine.games.partner.copy()
    while engine.games.num_rounds[0] == 0:
        engine.step([engine.legal_mask()[0].argmax()])
    assert (engine.games.partner != before).any()


def test_deck_3_pairing_printed_is_the_same_for_all() -> None:
    tables = pairings(Rules(pairing="printed"))
    assert tables == [tables[0]] * 4
    backs = [face_name(DARK, int(SLOT_FACE[slot])) for slot in tables[0]]
    assert backs[:4] == ["pink 3", "purple 2", "orange reverse", "purple draw_five"]  # of red 1, 1, 2, 2
    assert backs[-4:] == ["orange 4", "orange 7", "pink 2", "purple 9"]  # of the Wild Draw Twos


def test_deck_3_pairing_table_is_taken_as_it_is() -> None:
    table = tuple(reversed(range(NUM_CARDS)))
    assert pairings(Rules(pairing=table)) == [list(table)] * 4


def test_deck_3_pairing_table_must_hold_each_slot_once() -> None:
    with pytest.raises(RulesError, match="pairing"):
        Rules(pairing=(0,) * NUM_CARDS)
