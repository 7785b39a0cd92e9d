"""Pictures in pixels: faces told apart without colour, and the environments' `rgb_array`."""

from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from unoflip_env import Engine, unoflip_v0
from unoflip_env.deck import CLASSIC, DARK, LIGHT, NUM_FACES
from unoflip_env.pictures import BACK_ID, face_id, raster, table_image
from unoflip_env.pictures.cards import HEIGHT, WIDTH, used_symbols
from unoflip_env.pictures.raster import svg_image
from unoflip_env.table_view import TableView

SHAPE = (560, 800, 3)


@cache
def grey_cards(side: int) -> np.ndarray:
    """The faces of a side and a card face down, 40 pixels wide and in shades of grey: (NUM_FACES + 1, 60, 40)."""
    names = [*(face_id(side, face) for face in range(NUM_FACES)), BACK_ID]
    uses = "".join(f'<use href="#{name}" x="{i * WIDTH}"/>' for i, name in enumerate(names))
    box = f'viewBox="0 0 {WIDTH * len(names)} {HEIGHT}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{used_symbols(uses)}{uses}</svg>'
    pixels = svg_image(svg, 40 * len(names), "#808080").mean(axis=2)
    return np.stack(np.split(pixels, len(names), axis=1))


def edges(cards: np.ndarray) -> np.ndarray:
    """The outlines alone, whatever the shades that they part: bool of shape (cards, height, width)."""
    down, across = np.gradient(cards, axis=(1, 2))
    return np.hypot(down, across) > 16


@pytest.mark.parametrize("side", [LIGHT, DARK, CLASSIC])
def test_faces_are_told_apart_in_shades_of_grey_by_what_is_drawn_on_them(side: int) -> None:
    """A colour is a shape too, so outlines alone tell any two faces apart, even on small cards."""
    drawn = edges(grey_cards(side)).reshape(NUM_FACES + 1, -1)
    differences = (drawn[:, None] != drawn[None]).mean(axis=2)
    differences[np.diag_indices(NUM_FACES + 1)] = 1
    assert differences.min() > 0.012


@pytest.mark.parametrize("num_players", [2, 10])
def test_the_size_stays_over_a_game(num_players: int) -> None:
    env: Any = unoflip_v0.env(num_players=num_players, render_mode="rgb_array")
    env.reset(seed=0)
    frames = [env.render()]
    for _ in range(3):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        frames.append(env.render())
    assert [(frame.shape, frame.dtype) for frame in frames] == [(SHAPE, np.uint8)] * 4
    assert any((frame != frames[0]).any() for frame in frames)


def test_the_learner_is_drawn_alone_and_at_many_tables() -> None:
    env = gymnasium.make("UnoFlip-v0", num_players=3, seat=2, render_mode="rgb_array")
    env.reset(seed=1)
    seen = np.asarray(env.render())
    assert seen.shape == SHAPE
    tables = gymnasium.make_vec("UnoFlip-v0", num_envs=2, num_players=3, seat=2, render_mode="rgb_array")
    tables.reset(seed=1)
    both = np.stack([np.asarray(frame) for frame in tables.render() or ()])
    assert both.shape == (2, *SHAPE)
    assert (both[0] == seen).all()
    assert (both[1] != seen).any()


def test_vectors_of_tables_as_text_or_not_at_all() -> None:
    env = gymnasium.make_vec("UnoFlip-v0", num_envs=2, num_players=2, seat=1, render_mode="ansi")
    env.reset(seed=1)
    assert all("viewed by player_1" in str(text) for text in env.render() or ())
    env = gymnasium.make_vec("UnoFlip-v0", num_envs=2)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    with pytest.raises(ValueError, match="render_mode='human': expected None or one of ansi, rgb_array"):
        gymnasium.make_vec("UnoFlip-v0", num_envs=2, render_mode="human")


def test_other_widths_and_the_narrow_layout() -> None:
    view = TableView(Engine(num_players=2, seed=1))
    assert table_image(view, width=400).shape == (280, 400, 3)
    narrow = table_image(view, "narrow")
    assert narrow.shape[1] == 390
    assert narrow.shape[0] > narrow.shape[1]


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raster, "find_spec", lambda name: None)
    for make in (
        lambda: unoflip_v0.env(render_mode="rgb_array"),
        lambda: gymnasium.make("UnoFlip-v0", render_mode="rgb_array"),
        lambda: gymnasium.make_vec("UnoFlip-v0", render_mode="rgb_array"),
    ):
        with pytest.raises(DependencyNotInstalled, match=r"resvg_py and PIL not installed: .*unoflip-env\[pictures\]"):
            make()
