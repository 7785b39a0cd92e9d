import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unoflip_env.play import cards_in_play, hands_agree, play, sets_agree, tables
from unoflip_env.deck import LIGHT, NUM_CARDS, SLOT_FACE, words_slots
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.rules import Rules


@settings(max_examples=80, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1), length=st.integers(0, 150))
def test_a_redeal_changes_nothing_that_its_seat_sees(table, seed, length):
    rules, num_players = table
    engine = Engine(rules, 1, seed, num_players=num_players, episode="match")
    for _ in play(engine, np.random.default_rng(5), length):
        pass
    copy = Engine(rules, 1, num_players=num_players, episode="match")
    for seat in range(num_players):
        copy.restore(0, engine.determinize(0, seat, seed ^ 1))
        assert copy.observe(seats=seat).tobytes() == engine.observe(seats=seat).tobytes()
        if engine.actor[0] == seat:
            assert copy.legal_mask().tobytes() == engine.legal_mask().tobytes()
        assert cards_in_play(copy.games[0]) == cards_in_play(engine.games[0])
        assert hands_agree(copy.games[0])
        assert sets_agree(copy.games[0])
        for _ in play(copy, np.random.default_rng(6), 10):
            assert copy.legal_mask().any()


def fronts(record: np.ndarray, seat: int) -> list[int]:
    return words_slots(record["hand"][record["side"], seat])


def test_a_redeal_deals_other_hands_and_other_cards_to_come():
    engine = Engine(seed=4)
    other = 1 - int(engine.actor[0])
    deals = [engine.determinize(0, 1 - other, seed) for seed in range(20)]
    assert len({tuple(fronts(deal, other)) for deal in deals}) == 20
    assert len({deal["draw_pile"].tobytes() for deal in deals}) == 20
    assert len({int(deal["rng_key"]) for deal in deals}) == 20
    assert all(fronts(deal, 1 - other) == fronts(engine.snapshot(), 1 - other) for deal in deals)


def test_open_information_leaves_nothing_to_redeal():
    engine = Engine({"information": "open"}, seed=4)
    before, after = engine.snapshot(), engine.determinize(0, 0, 9)
    for name in ("hand", "draw_pile", "partner", "discard_pile"):
        assert (before[name] == after[name]).all()
    assert before["rng_key"] != after["rng_key"]


def test_after_a_flip_the_fronts_that_were_backs_stay():
    engine = Engine({"hand": 12, "uno": "auto"}, seed=0, num_players=3)
    for _ in play(engine, np.random.default_rng(0), 2000):
        record = engine.games[0]
        if record.side != LIGHT:
            break
    seat = int(engine.actor[0])
    for other in set(range(3)) - {seat}:
        known = engine.observe(seats=seat)[0, engine.layout["other_known"]].reshape(2, -1).sum(axis=1)
        assert known[(other - seat) % 3 - 1] == record.hand_size[other]
        deals = [engine.determinize(0, seat, n) for n in range(10)]
        faces = {tuple(SLOT_FACE[fronts(deal, other)]) for deal in deals}
        assert faces == {tuple(SLOT_FACE[fronts(engine.snapshot(), other)])}
        pairs = {tuple(int(deal["partner"][1, slot]) for slot in fronts(deal, other)) for deal in deals}
        assert len(pairs) == 10  # which back belongs to which front was never seen


def test_the_printed_pairing_stays_as_it_is():
    rules = Rules(pairing="printed")
    engine = Engine(rules, seed=4)
    assert (engine.determinize(0, 0, 1)["partner"][LIGHT] == rules.dark_slots).all()


def test_a_redeal_is_uniform_over_what_could_be():
    """One hidden card in the other hand, any back: each hidden card is as likely (chi-square, fixed seeds)."""
    engine = Engine({"hand": 1, "information": "fronts", "uno": "auto"}, seed=8)
    other = 1 - int(engine.actor[0])
    record = engine.snapshot()
    own, top = fronts(record, 1 - other)[0], int(record["discard_pile"][0])
    weights = np.ones(NUM_CARDS)
    weights[top] = 0
    weights[[own, own ^ 1]] = 0.5  # nobody could tell which copy of its face the own card is
    counts = np.zeros(NUM_CARDS)
    for seed in range(11_000):
        counts[fronts(engine.determinize(0, 1 - other, seed), other)] += 1
    expected = weights[weights > 0] * counts.sum() / weights.sum()
    statistic = ((counts[weights > 0] - expected) ** 2 / expected).sum()
    assert counts[top] == 0
    assert abs(statistic - (expected.size - 1)) < 4 * np.sqrt(2 * (expected.size - 1))


def test_a_visible_back_tells_of_the_printed_front():
    """Under the printed pairing a back leaves as many fronts as it has copies; each is as likely (chi-square, fixed seeds)."""
    engine = Engine({"hand": 1, "pairing": "printed", "uno": "auto"}, seed=8)
    other = 1 - int(engine.actor[0])
    record = engine.snapshot()
    face = SLOT_FACE[record["partner"][LIGHT, fronts(record, other)[0]]]
    counts = np.zeros(NUM_CARDS)
    for seed in range(2000):
        counts[fronts(engine.determinize(0, 1 - other, seed), other)] += 1
    could_be = np.flatnonzero(counts)
    assert (SLOT_FACE[record["partner"][LIGHT, could_be]] == face).all()
    assert 2 <= could_be.size <= 4
    assert abs(counts[could_be] - 2000 / could_be.size).max() < 4 * np.sqrt(2000 / could_be.size)


def test_what_is_drawn_later_differs_too():
    engine = Engine(seed=4)
    copies = [Engine() for _ in range(2)]
    for n, copy in enumerate(copies):
        copy.restore(0, engine.determinize(0, int(engine.actor[0]), n))
        for _ in play(copy, np.random.default_rng(7), 30):
            pass
    assert copies[0].games.tobytes() != copies[1].games.tobytes()


@pytest.mark.parametrize("information", ["table", "fronts"])
def test_a_bluff_still_to_be_challenged_is_judged_by_the_new_hand(information):
    engine = Engine({"information": information, "uno": "auto", "hand": 20}, 64, seed=1)
    verdicts = set()
    for _ in play(engine, np.random.default_rng(8), 300):
        for game in np.flatnonzero(engine.phase == Phase.RESPOND):
            verdicts |= {int(engine.determinize(int(game), int(engine.actor[game]), n)["is_guilty"]) for n in range(4)}
    assert verdicts == {0, 1}
