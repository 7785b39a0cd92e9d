"""The drawn table: everything a seat knows is there, and nothing else."""

import re
from itertools import takewhile
from typing import Any

import numpy as np
import pytest

from unoflip_env import Engine, unoflip_v0
from unoflip_env.actions import KEEP
from unoflip_env.deck import DARK, FACE_NAMES, LIGHT, SLOT_FACE, face_name, words_slots
from unoflip_env.game import Phase
from unoflip_env.render import WIDTH, table_text
from unoflip_env.table_view import TableView


def positions(engine: Engine, num_decisions: int, rng: np.random.Generator) -> Any:
    """Random play, position by position."""
    for _ in range(num_decisions):
        if engine.is_over[0]:
            engine.reset()
        yield
        engine.step([rng.choice(np.flatnonzero(engine.legal_mask()[0]))])


def until(engine: Engine, phase: Phase) -> None:
    """Play at random to the next decision of this kind."""
    for _ in positions(engine, 5000, np.random.default_rng(0)):
        if engine.phase[0] == phase:
            return
    raise AssertionError(f"no {phase.name} in 5000 decisions")


def hand_lines(text: str, seat: int) -> list[str]:
    lines = text.split(f"Hand of player_{seat}")[1].splitlines()[2:]
    return list(takewhile(bool, lines))


def test_shows_what_the_actor_needs() -> None:
    engine = Engine(num_players=3, seed=1)
    for _ in positions(engine, 40, np.random.default_rng(1)):
        game, seat = engine.games[0], int(engine.actor[0])
        text = table_text(engine)
        see = engine.layout.view(engine.observe()[0])
        side = int(game["side"])
        top, flip = int(see["top_face"][0]), int(see["flip_face"][0]) - 1
        assert f"viewed by player_{seat}" in text
        assert re.search(f"Side in play +{'dark' if side else 'light'}", text)
        assert f"{face_name(side, top).replace('_', ' ')}, on {game['discard_size'] - 1} others" in text
        assert f"a Flip would bring up {face_name(1 - side, flip).replace('_', ' ')}" in text
        assert f"turn {game['num_turns']}" in text
        assert f"{see['draw_size'][0]} cards" in text
        lines = hand_lines(text, seat)
        assert len(lines) == game["hand_size"][seat]
        for line, slot in zip(lines, np.flatnonzero(see["own_hand"]), strict=True):
            back = face_name(1 - side, int(see["own_backs"][slot]) - 1).replace("_", " ")
            assert face_name(side, int(SLOT_FACE[slot])).replace("_", " ") in line
            assert back in line
            assert line.split()[0].isdigit() == engine.legal_mask()[0, slot]


def test_names_the_other_actions_with_their_numbers() -> None:
    engine = Engine(num_players=2, seed=0)
    until(engine, Phase.DRAWN)
    text = table_text(engine)
    assert text.splitlines()[-1] == f"Actions: {KEEP} keep"
    assert sum(line.endswith("just drawn") for line in text.splitlines()) == 1
    until(engine, Phase.RESPOND)
    assert "is to accept the draw, challenge it or stack onto it.\nActions: 118 accept, 119 challenge" in table_text(engine)
    until(engine, Phase.COLOR)
    names = ("pink", "turquoise", "orange", "purple") if engine.games[0]["side"] else ("red", "yellow", "green", "blue")
    assert all(f"color {name}" in table_text(engine).splitlines()[-1] for name in names)


def test_only_the_actor_is_shown_its_legal_actions() -> None:
    engine = Engine(num_players=2, seed=0)
    other = 1 - int(engine.actor[0])
    text = table_text(engine, other)
    assert "Actions" not in text
    assert not any(line.split()[0].isdigit() for line in hand_lines(text, other))
    assert f"player_{1 - other} is to play a card or draw." in text


@pytest.mark.parametrize(
    "options", [{}, {"information": "fronts"}, {"own_backs": False}, {"skip_role": "give", "max_turns": 60}, {"uno": "auto"}]
)
def test_nothing_leaks(options: dict[str, Any]) -> None:
    """What a seat is shown stays the same, letter by letter, when all it does not know is dealt anew."""
    engine = Engine(options, num_players=3, seed=2)
    for number, _ in enumerate(positions(engine, 100, np.random.default_rng(2))):
        for seat in range(3 if number % 8 == 0 else 0):
            text, true = table_text(engine, seat), engine.snapshot()
            engine.restore(0, engine.determinize(0, seat, seed=number))
            changed = engine.snapshot() != true
            assert table_text(engine, seat) == text
            engine.restore(0, true)
            assert changed


def test_the_deal_shows_no_front_of_another_hand() -> None:
    engine = Engine(num_players=3, seed=3)
    for row in (line for line in table_text(engine, 0).splitlines() if line.startswith((" player_1", " player_2"))):
        dark = {name for color, _ in FACE_NAMES[DARK] for name in color.split()}
        light = {color for color, _ in FACE_NAMES[LIGHT] if color}
        words = set(row.replace(",", "").replace(";", "").split())
        assert words & dark
        assert not words & light


def test_seats_are_whole_numbers_of_any_kind() -> None:
    engine = Engine(num_players=3, seed=1)
    other = (int(engine.actor[0]) + 1) % 3
    for kind in (np.int64, np.uint8):
        view = TableView(engine, kind(other))
        assert type(view.seat) is int
        assert view.seat == other
        assert not view.legal.any()
    wrong: list[Any] = [1.0, True, 3, -1, "all", None]
    for view in wrong:
        with pytest.raises(ValueError, match="expected 'actor', 'open' or a seat 0 to 2"):
            TableView(engine, view)
    with pytest.raises(ValueError, match=r"seat=1\.0: expected"):
        TableView(engine, "open", seat=1.0)  # type: ignore[arg-type]


def test_without_backs_none_are_shown() -> None:
    engine = Engine({"information": "fronts"}, num_players=3, seed=3)
    text = table_text(engine, 0)
    assert not any(color in text for color in ("pink", "turquoise", "orange", "purple"))


def test_open_view_shows_every_front() -> None:
    engine = Engine({"hand": 1}, num_players=4, seed=4)
    rows = [line for line in table_text(engine, "open").splitlines() if line.startswith(" player_")]
    for seat, row in enumerate(rows):
        (slot,) = words_slots(engine.games[0]["hand"][LIGHT, seat])
        is_own = seat == engine.actor[0]
        assert row.endswith("below" if is_own else face_name(LIGHT, int(SLOT_FACE[slot])).replace("_", " "))
    assert len(rows) == 4


def test_says_who_won() -> None:
    engine = Engine(num_players=2, seed=5)
    while not engine.is_over[0]:
        engine.step(engine.legal_mask().argmax(axis=1))
    (winner,) = [seat for seat in (0, 1) if engine.rewards[0, seat] > 0]
    text = table_text(engine)
    assert text.endswith(f"Over: player_{winner} won, the hand is empty.")
    assert "viewed by player_0" in text
    assert "decides" not in text


@pytest.mark.parametrize("num_players", [2, 10])
def test_is_plain_text_of_at_most_100_columns(num_players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(num_players=num_players, seed=6)
    for _ in positions(engine, 20, np.random.default_rng(6)):
        text = table_text(engine)
        assert max(map(len, text.splitlines())) <= WIDTH
    plain = table_text(engine)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    assert table_text(engine) == plain
    assert "\x1b" not in plain


def test_human_prints_at_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env: Any = unoflip_v0.env(num_players=2, render_mode="human", render_seat=1)
    env.reset(seed=0)
    assert capsys.readouterr().out.count("viewed by player_1") == 1
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert capsys.readouterr().out.count("viewed by player_1") == 1
    assert env.render() is None
    assert "Hand of player_1" in capsys.readouterr().out


def test_ansi_is_returned_and_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    env = unoflip_v0.env(num_players=2, render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert isinstance(text, str)
    assert f"Hand of {env.agent_selection}" in text
    assert capsys.readouterr().out == ""


def test_warns_without_a_mode() -> None:
    env = unoflip_v0.env(num_players=2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
