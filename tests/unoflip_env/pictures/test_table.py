"""The drawn table: what a seat knows, its legal actions, and nothing else."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.unoflip_env.play import play
from unoflip_env import Engine
from unoflip_env.actions import CARD, DRAW_CARD
from unoflip_env.deck import DARK, LIGHT, SLOT_FACE, face_name
from unoflip_env.game import Phase
from unoflip_env.pictures import BACK_ID, LAYOUTS, card_symbols, face_id, standalone_svg, table_svg
from unoflip_env.pictures.cards import HEIGHT, WIDTH
from unoflip_env.table_view import TableView

SVG = "{http://www.w3.org/2000/svg}"


def uses(svg: str) -> list[str]:
    return re.findall(r'href="#([\w-]+)"', svg)


def drawn_faces(svg: str, side: int) -> list[int]:
    letter = "ldc"[side]
    return sorted(int(name.removeprefix(f"card-{letter}")) for name in uses(svg) if name.startswith(f"card-{letter}"))


def other_faces(view: TableView, field: str) -> list[int]:
    counts = view.see[field].sum(axis=0, dtype=np.int64)
    return np.repeat(np.arange(counts.size), counts).tolist()


def boxes(svg: str) -> Iterator[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each card."""
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        for use in group.findall(f"{SVG}use[@x]"):
            scale = float(group.attrib["transform"].removeprefix("scale(").removesuffix(")"))
            x, y = float(use.attrib["x"]), float(use.attrib["y"])
            yield x * scale, y * scale, (x + WIDTH) * scale, (y + HEIGHT) * scale


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("num_players", [2, 3, 5, 10])
def test_everything_known_is_drawn_and_lies_within_the_picture(layout: Any, num_players: int) -> None:
    engine = Engine(num_players=num_players, seed=num_players)
    for number, _ in enumerate(play(engine, np.random.default_rng(num_players), 300)):
        if number % 60:
            continue
        view = TableView(engine)
        svg = table_svg(view, layout)
        own = [int(SLOT_FACE[slot]) for slot in view.slots]
        own_backs = [int(back) - 1 for back in view.see["own_backs"] if back]
        flip, top, draw = (view.number(name) for name in ("flip_face", "top_face", "draw_back"))
        draws = [draw - 1] if draw else []
        assert drawn_faces(svg, view.side) == sorted([*own, *other_faces(view, "other_known"), top])
        assert drawn_faces(svg, 1 - view.side) == sorted([*own_backs, *other_faces(view, "other_backs"), flip - 1, *draws])
        width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
        for left, upper, right, lower in boxes(svg):
            assert -1 <= left <= right <= width + 1
            assert -1 <= upper <= lower <= height + 1


OPTIONS = [{}, {"deck": "classic"}, {"information": "fronts"}, {"own_backs": False}, {"preset": "berserker", "max_turns": 60}]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_file_by_itself_holds_all_that_it_refers_to_and_a_page_what_tables_refer_to(options: dict[str, Any]) -> None:
    engine = Engine(options, num_players=3, seed=1, episode="match")
    on_page = {element.get("id") for element in ElementTree.fromstring(card_symbols()).iter()}
    for number, _ in enumerate(play(engine, np.random.default_rng(1), 200)):
        if number % 20 == 0:
            svg = standalone_svg(TableView(engine, "open" if number % 40 else "actor"))
            inside = {element.get("id") for element in ElementTree.fromstring(svg).iter()}
            assert set(uses(svg)) <= inside
            assert set(uses(table_svg(TableView(engine)))) <= on_page


@pytest.mark.parametrize("options", OPTIONS)
def test_nothing_leaks(options: dict[str, Any]) -> None:
    """What a seat is shown stays the same, letter by letter, when all it does not know is dealt anew."""
    engine = Engine(options, num_players=3, seed=2, episode="match")
    for number, _ in enumerate(play(engine, np.random.default_rng(2), 120)):
        for seat in range(3 if number % 6 == 0 else 0):
            svg, true = table_svg(TableView(engine, seat)), engine.snapshot()
            engine.restore(0, engine.determinize(0, seat, seed=number))
            changed = engine.snapshot() != true
            assert table_svg(TableView(engine, seat)) == svg
            engine.restore(0, true)
            assert changed


def test_the_deal_shows_no_front_of_another_hand() -> None:
    engine = Engine(num_players=4, seed=3)
    view = TableView(engine, 0)
    own, cards = int(view.see["hand_sizes"][0]), int(view.see["hand_sizes"].sum())
    assert len(drawn_faces(table_svg(view), LIGHT)) == own + 1
    assert len(drawn_faces(table_svg(view), DARK)) == cards + 2
    assert len(drawn_faces(table_svg(TableView(engine, "open")), LIGHT)) == cards + 1


def test_where_backs_are_not_seen_hands_lie_face_down() -> None:
    view = TableView(Engine({"information": "fronts", "hand": 5}, num_players=3, seed=3), 0)
    svg = table_svg(view)
    assert not drawn_faces(svg, DARK)
    assert uses(svg).count(BACK_ID) == 2 * 5 + 3


def test_legal_cards_and_the_draw_pile_carry_their_action_and_others_none() -> None:
    engine = Engine(num_players=2, seed=4)
    for _ in play(engine, np.random.default_rng(4), 100):
        view = TableView(engine)
        svg = table_svg(view)
        legal = np.flatnonzero(view.legal[: DRAW_CARD + 1])
        told = sorted(int(action) for action in re.findall(r'data-action="(\d+)"', svg))
        assert told == [action for action in legal if action < CARD + 112 or action == DRAW_CARD]
        assert "data-action" not in table_svg(TableView(engine, 1 - view.seat))
        for slot in view.slots:
            name = face_name(view.side, int(SLOT_FACE[slot])).replace("_", " ")
            assert svg.count(f'aria-label="{name}, back ') >= 1


def test_names_are_shown_as_given_and_never_as_markup() -> None:
    engine = Engine(num_players=2, seed=5)
    svg = table_svg(TableView(engine, 0), names=["Ann & Bo", "<b>"])
    assert "Ann &amp; Bo" in svg
    assert "&lt;b&gt;" in svg
    assert "player_" not in svg
    assert ElementTree.fromstring(svg).tag == f"{SVG}svg"
    with pytest.raises(ValueError, match=r"names=.*expected 2"):
        table_svg(TableView(engine, 0), names=["Ann"])
    with pytest.raises(ValueError, match="layout='tall': expected one of wide, narrow"):
        table_svg(TableView(engine, 0), "tall")  # type: ignore[arg-type]


def test_says_who_won() -> None:
    engine = Engine(num_players=2, seed=5)
    while not engine.is_over[0]:
        engine.step(engine.legal_mask().argmax(axis=1))
    (winner,) = (seat for seat in (0, 1) if engine.rewards[0, seat] > 0)
    assert f"player_{winner} won: the hand is empty." in table_svg(TableView(engine))


def test_what_is_decided_is_said_in_full_on_a_phone_too() -> None:
    engine = Engine(num_players=3, seed=0)
    names = ["somebody with a name", "another one", "a third"]
    for _ in play(engine, np.random.default_rng(0), 2000):
        if engine.phase[0] == Phase.RESPOND:
            break
    view = TableView(engine)
    told = f"{names[view.seat]} is to accept the draw, challenge it or stack onto it."
    for layout in LAYOUTS:
        lines = [element.text or "" for element in ElementTree.fromstring(table_svg(view, layout, names)).iter(f"{SVG}text")]
        assert told in " ".join(lines)


def test_faces_have_names_of_their_own() -> None:
    ids = [face_id(side, face) for side in range(3) for face in range(54)]
    assert len({*ids, BACK_ID}) == 3 * 54 + 1
