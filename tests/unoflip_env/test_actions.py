import pytest

from unoflip_env.actions import NUM_ACTIONS, action_name
from unoflip_env.deck import CLASSIC, DARK, LIGHT


@pytest.mark.parametrize(
    ("action", "light", "dark"),
    [
        (0, "red 1", "pink 1"),
        (1, "red 1", "pink 1"),
        (18, "red draw_one", "pink draw_five"),
        (111, "wild_draw_two", "wild_draw_color"),
        (112, "color red", "color pink"),
        (116, "draw", "draw"),
        (121, "catch", "catch"),
        (123, "seat +1", "seat +1"),
        (131, "seat +9", "seat +9"),
        (132, "agree", "agree"),
        (133, "refuse", "refuse"),
        (134, "propose draw=optional", "propose draw=optional"),
        (155, "propose hand=10", "propose hand=10"),
    ],
)
def test_actions_have_names_on_either_side(action, light, dark):
    assert action_name(action, LIGHT) == light
    assert action_name(action, DARK) == dark


def test_the_classic_deck_has_names_of_its_own():
    names = [action_name(action, CLASSIC) for action in (18, 24, 111, 113)]
    assert names == ["red draw_two", "red 0", "wild_draw_four", "color yellow"]


def test_the_table_is_what_records_and_checkpoints_rely_on():
    assert NUM_ACTIONS == 156
    gestures = [action_name(action, LIGHT) for action in range(116, 123)]
    assert gestures == ["draw", "keep", "accept", "challenge", "uno", "catch", "decline"]


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS])
def test_other_numbers_have_no_name(action):
    with pytest.raises(ValueError, match=f"action {action}: expected 0 to 155"):
        action_name(action, LIGHT)
