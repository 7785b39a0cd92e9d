import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unoflip_env.play import play, tables
from unoflip_env.deck import LIGHT, NUM_FACES, SLOT_FACE, words_slots
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.observation import ObservationLayout, describe_observation, observation_layout


def faces(slots: list[int]) -> list[int]:
    return np.bincount(SLOT_FACE[slots], minlength=NUM_FACES).tolist()


@settings(max_examples=40, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1), length=st.integers(0, 100))
def test_an_observation_tells_what_lies_on_the_table(table, seed, length):
    rules, n = table
    engine = Engine(rules, 1, seed, num_players=n, episode="match")
    for _ in play(engine, np.random.default_rng(5), length):
        pass
    g, sees_backs = engine.games[0], rules.information != "fronts" and rules.deck == "flip"
    for seat in range(n):
        see = engine.layout.view(engine.observe(seats=seat)[0])
        others = [(seat + k) % n for k in range(1, n)]
        assert faces(np.flatnonzero(see["own_hand"]).tolist()) == faces(words_slots(g.hand[g.side, seat]))
        assert see["hand_sizes"].tolist() == [g.hand_size[(seat + k) % n] for k in range(n)]
        for k, other in enumerate(others):
            backs = faces(words_slots(g.hand[1 - g.side, other]))
            assert see["other_backs"][k].tolist() == (backs if sees_backs else [0] * NUM_FACES)
            fronts = faces(words_slots(g.hand[g.side, other]))
            known = see["other_known"][k]
            assert known.tolist() == fronts if rules.information == "open" else (known <= fronts).all()
        own_backs = [face - 1 for face in see["own_backs"] if face]
        expected = words_slots(g.hand[1 - g.side, seat]) if sees_backs and rules.own_backs else []
        assert sorted(own_backs) == SLOT_FACE[expected].tolist()
        assert see["discards"].sum() == g.discard_size
        assert see["draw_size"] == int(g.draw_end) - int(g.draw_start)
        assert see["color"] == g.color
        assert see["phase"] == g.phase
        assert (see["seen_backs"] > 0).sum() == (len(words_slots(g.seen[g.side])) if sees_backs else 0)


def layouts_along_a_game(table, seed):
    rules, num_players = table
    engine = Engine(rules, 1, seed, num_players=num_players, episode="match")
    for _ in play(engine, np.random.default_rng(5), 60):
        for layout in (engine.layout, observation_layout(10, rules.information), observation_layout(num_players, "open")):
            yield engine, layout


@settings(max_examples=20, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1))
def test_entries_stay_within_the_bounds_of_their_fields(table, seed):
    for engine, layout in layouts_along_a_game(table, seed):
        assert (engine.observe(layout) <= layout.high).all()


@settings(max_examples=20, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1))
def test_every_entry_is_written(table, seed):
    for engine, layout in layouts_along_a_game(table, seed):
        zeros, ones = np.zeros((1, layout.size), np.uint8), np.full((1, layout.size), 255, np.uint8)
        assert (engine.observe(layout, out=zeros) == engine.observe(layout, out=ones)).all()


def test_a_wider_layout_holds_the_same_and_zeros():
    engine = Engine(seed=3, num_players=2)
    wide = ObservationLayout(4)
    narrow, seen = engine.layout.view(engine.observe()[0]), wide.view(engine.observe(wide)[0])
    for name, value in narrow.items():
        padded = np.zeros_like(seen[name])
        padded[: len(value)] = value
        assert (seen[name] == padded).all(), name


def test_a_blind_layout_shows_no_back_of_a_table_game():
    engine = Engine({"hand": 12, "uno": "auto"}, seed=0, num_players=3)
    blind = ObservationLayout(3, "fronts")
    for _ in play(engine, np.random.default_rng(0), 2000):
        if engine.games[0].side != LIGHT:
            break
    see = blind.view(engine.observe(blind)[0])
    for name in ("own_backs", "other_backs", "other_known", "seen_backs", "flip_face", "draw_back"):
        assert not see[name].any(), name
    assert engine.layout.view(engine.observe()[0])["other_known"].any()


def test_the_drawn_card_is_shown_to_its_seat_alone():
    engine = Engine({"uno": "auto"}, 200, seed=1)
    shown = 0
    for _ in play(engine, np.random.default_rng(1), 40):
        drawn = engine.phase == Phase.DRAWN
        seats = np.where(drawn, engine.actor, 0)
        own = engine.observe(seats=seats)[drawn][:, engine.layout["drawn_slot"]].ravel()
        other = engine.observe(seats=1 - seats)[drawn][:, engine.layout["drawn_slot"]]
        mask = engine.legal_mask()[drawn]
        assert mask[np.arange(own.size), own.astype(int) - 1].all()
        assert not other.any()
        shown += own.size
    assert shown > 50


def test_the_description_lists_every_field_with_its_place(capsys):
    describe_observation(3, "open")
    text = capsys.readouterr().out
    layout = ObservationLayout(3, "open")
    for row in layout.fields.values():
        assert f"{row.start}-{row.start + row.size - 1}" in text
        assert f"{row.name} " in text
        assert row.doc in text
    assert sum(row.size for row in layout.fields.values()) == layout.size


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1,), "max_players=1: expected 2 to 10"),
        ((11,), "max_players=11"),
        ((2, "all"), "information='all': expected one of table"),
    ],
)
def test_layouts_without_a_meaning_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ObservationLayout(*arguments)


def test_what_a_game_cannot_show_is_refused():
    with pytest.raises(ValueError, match="for a table of 3: expected max_players of 3 or more"):
        Engine(num_players=3).observe(ObservationLayout(2))
    with pytest.raises(ValueError, match="these rules show no backs"):
        Engine({"information": "fronts"}).observe(ObservationLayout(2, "table"))
    with pytest.raises(ValueError, match="observation of length 3: expected"):
        ObservationLayout(2).view(np.zeros(3, np.uint8))
