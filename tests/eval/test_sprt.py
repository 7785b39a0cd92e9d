import numpy as np
import pytest
from scipy.optimize import brentq

from eval.sprt import Sprt, SprtError, expected_score
from eval.sprt_simulation import simulate, tilted

PENTANOMIAL = np.linspace(0, 1, 5)


def fishtest_ratio(scores: np.ndarray, score0: float, score1: float) -> float:
    """The pentanomial ratio as fishtest computes it, with frequencies and a root finder in place of ours."""
    counts = np.array([max(np.sum(scores == value), 1e-3) for value in PENTANOMIAL])
    chances = counts / counts.sum()

    def likeliest(mean: float) -> np.ndarray:
        above = PENTANOMIAL - mean
        x = brentq(lambda x: (chances * above / (1 + x * above)).sum(), -1 / (1 - mean) + 1e-6, 1 / mean - 1e-6)
        return chances / (1 + x * above)

    return float(counts.sum() * (chances * np.log(likeliest(score1) / likeliest(score0))).sum())


def test_is_the_pentanomial_test_of_fishtest() -> None:
    test = Sprt(0.5, 0.52)
    scores = np.random.default_rng(0).choice(PENTANOMIAL, p=[0.1, 0.15, 0.4, 0.2, 0.15], size=500)
    path = test.path(scores)
    for num_deals in (5, 50, 500):
        assert path[num_deals - 1] == pytest.approx(fishtest_ratio(scores[:num_deals], 0.5, 0.52), abs=1e-3)
    np.testing.assert_allclose(test.path(scores, 200), path[200:])
    np.testing.assert_allclose(test.path(np.stack([scores, scores])), [path, path])


def test_deals_without_any_luck_decide_by_themselves() -> None:
    """Identical agents split every deal, winners of all win all."""
    test = Sprt(0.5, 0.55)
    for scores, sign in ((np.full(200, 0.5), -1), (np.ones(200), 1), (np.zeros(200), -1)):
        path = test.path(scores)
        end = test.end(path)
        assert end is not None
        assert np.sign(path[end]) == sign


def test_what_the_rotations_share_is_no_evidence() -> None:
    """The same wins, once in pairs that cancel out and once in pairs that go together: the first are the surer."""
    rng = np.random.default_rng(1)
    cancelling = rng.choice([0.5, 1.0], 300, p=[0.9, 0.1])
    together = rng.choice([0.0, 1.0], 300, p=[0.45, 0.55])
    ratios = [Sprt(0.5, 0.55).path(scores)[-1] for scores in (cancelling, together)]
    assert ratios[0] > 5 * abs(ratios[1])


@pytest.mark.parametrize(
    ("num_seats", "weights"), [(2, [0.24, 0.0, 0.52, 0.0, 0.24]), (4, [0.305, 0.433, 0.216, 0.043, 0.003])]
)
def test_errs_as_seldom_as_it_says(num_seats: int, weights: list[float]) -> None:
    """200 tests each; the shares are within 3 standard errors of their bounds."""
    test = Sprt(expected_score(0, num_seats), expected_score(60, num_seats), alpha=0.05, beta=0.1)
    worse, better = (
        simulate(test, tilted(np.array(weights), mean), 200, seed=2, max_deals=2000) for mean in (test.score0, test.score1)
    )
    assert worse.score1_share < 0.05 + 3 * 0.0154
    assert better.score0_share < 0.1 + 3 * 0.0212
    for rates in (worse, better):
        assert rates.score0_share + rates.score1_share == 1
        assert 10 < rates.mean_deals < 250
    surely = simulate(test, tilted(np.array(weights), expected_score(200, num_seats)), 100, seed=3)
    assert surely.score1_share == 1
    assert surely.mean_deals < 40


def test_a_tilted_distribution_has_its_mean() -> None:
    chances = tilted(np.array([0.2, 0.2, 0.2, 0.2, 0.2]), 0.7)
    assert chances.sum() == pytest.approx(1)
    assert chances @ PENTANOMIAL == pytest.approx(0.7)
    assert (np.diff(chances) > 0).all()


def test_elo_at_tables_of_any_size() -> None:
    assert expected_score(0, 4) == 0.25
    assert expected_score(400, 2) == pytest.approx(10 / 11)
    assert expected_score(400, 4) == pytest.approx(10 / 13)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.5, 0.5), "win rates 0.5 and 0.5: expected 0 < the first < the second < 1"),
        ((0.0, 0.5), "win rates 0 and 0.5"),
        ((0.5, 1.0), "win rates 0.5 and 1"),
        ((0.5, 0.6, 0.0), "alpha=0.0: expected more than 0"),
        ((0.5, 0.6, 0.1, 0.5), "beta=0.5: expected more than 0 and less than 0.5"),
    ],
)
def test_tests_without_a_meaning(arguments: tuple[float, ...], words: str) -> None:
    with pytest.raises(SprtError, match=words):
        Sprt(*arguments)
