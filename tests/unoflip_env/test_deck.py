from collections import Counter

import numpy as np
import pytest

from unoflip_env import deck
from unoflip_env.deck import DARK, LIGHT, NUM_CARDS, NUM_FACES, load_pairing, slot_words, words_slots

HEADER = "light_color,light_symbol,dark_color,dark_symbol\n"


def printed_rows() -> list[str]:
    names = [[deck.FACE_NAMES[side][face] for face in deck.SLOT_FACE] for side in (LIGHT, DARK)]
    return [",".join(names[LIGHT][light] + names[DARK][dark]) + "\n" for light, dark in enumerate(deck.PRINTED_PAIRING)]


@pytest.mark.parametrize("side", [LIGHT, DARK])
def test_the_tables_hold_what_the_names_say(side):
    assert deck.SLOT_FACE.size == NUM_CARDS
    assert len(deck.FACE_NAMES[side]) == NUM_FACES
    for face, (color, symbol) in enumerate(deck.FACE_NAMES[side]):
        assert deck.FACE_COLOR[face] == (deck.COLOR_NAMES[side].index(color) if color else deck.NO_COLOR)
        assert deck.SYMBOL_NAMES[side][deck.FACE_SYMBOL[face]] == symbol
        assert (deck.SLOT_FACE == face).sum() == (2 if color else 4)
        assert deck.SLOT_FACE[deck.FACE_START[face]] == face


def test_slots_of_a_face_lie_in_one_word():
    first = deck.FACE_START
    assert (first // 64 == (first + deck.FACE_COPIES - 1) // 64).all()


def test_sets_of_slots_go_there_and_back():
    slots = [0, 63, 64, 111]
    assert words_slots(slot_words(slots)) == slots
    assert words_slots(np.zeros(2, np.uint64)) == []


def test_the_printed_pairing_is_one_of_all_cards():
    assert sorted(deck.PRINTED_PAIRING) == list(range(NUM_CARDS))
    pairs = Counter(row.strip() for row in printed_rows())
    assert pairs["red,1,pink,3"] == 1
    assert pairs["blue,1,purple,skip_everyone"] == 2
    assert pairs[",wild_draw_two,purple,9"] == 1


def test_a_pairing_is_read_from_a_file(tmp_path):
    (tmp_path / "mine.csv").write_text(HEADER + "".join(reversed(printed_rows())), encoding="utf-8")
    table = load_pairing(tmp_path / "mine.csv")
    assert sorted(table) == list(range(NUM_CARDS))

    def faces(pairing: tuple[int, ...]) -> Counter:
        return Counter((deck.SLOT_FACE[light], deck.SLOT_FACE[dark]) for light, dark in enumerate(pairing))

    assert faces(table) == faces(deck.PRINTED_PAIRING)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (printed_rows()[:-1], "mine.csv: 111 cards, expected 112"),
        ([*printed_rows()[:-1], "red,1,pink,3\n"], r"mine.csv, line 113: no copy of the light face \('red', '1'\) is left"),
        (["red,1,blue,3\n"], r"mine.csv, line 2: no copy of the dark face \('blue', '3'\)"),
        (["red\n"], r"mine.csv, line 2: no copy of the light face \('red', None\)"),
    ],
)
def test_a_bad_pairing_file_is_refused_with_its_line(tmp_path, rows, message):
    (tmp_path / "mine.csv").write_text(HEADER + "".join(rows), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_pairing(tmp_path / "mine.csv")
