import numpy as np
import pytest

from eval.statistics import bootstrap_interval, variance_ratio


@pytest.mark.parametrize("distribution", ["normal", "bernoulli", "skewed"])
def test_covers_the_mean_as_often_as_it_says(distribution: str) -> None:
    """Of 600 samples, 95% of the intervals hold the true mean; the count itself is within 3.5 standard errors."""
    rng = np.random.default_rng(0)
    draw, mean = {
        "normal": (lambda: rng.normal(3.0, 2.0, 200), 3.0),
        "bernoulli": (lambda: rng.random(200) < 0.3, 0.3),
        "skewed": (lambda: rng.exponential(2.0, 200), 2.0),
    }[distribution]
    num_covered = 0
    for seed in range(600):
        low, high = bootstrap_interval(draw(), seed, num_resamples=400)
        num_covered += low <= mean <= high
    assert 0.95 - 3.5 * 0.0089 < num_covered / 600 < 0.95 + 3.5 * 0.0089


def test_agrees_with_the_normal_interval_of_a_large_sample() -> None:
    values = np.random.default_rng(1).random(4000)
    half = 1.96 * values.std() / np.sqrt(values.size)
    np.testing.assert_allclose(bootstrap_interval(values, 0), [values.mean() - half, values.mean() + half], atol=half / 10)


def test_a_wider_level_is_a_wider_interval() -> None:
    values = np.random.default_rng(2).random(100)
    narrow, wide = bootstrap_interval(values, 0, level=0.5), bootstrap_interval(values, 0, level=0.99)
    assert wide[0] < narrow[0] < values.mean() < narrow[1] < wide[1]


def test_units_stay_whole() -> None:
    """Columns are resampled together: what always adds up to one does so in every sample."""
    wins = np.random.default_rng(3).random((50, 1))
    low, high = bootstrap_interval(np.hstack([wins, 1 - wins]), 0)
    assert low.shape == (2,)
    np.testing.assert_allclose(low + high[::-1], 1)


def test_same_seed_same_interval_in_any_memory() -> None:
    values = np.random.default_rng(4).random((30, 2, 3))
    first = bootstrap_interval(values, 5)
    assert first.shape == (2, 2, 3)
    np.testing.assert_array_equal(first, bootstrap_interval(values, 5))
    assert (first != bootstrap_interval(values, 6)).any()


def test_no_spread_no_width() -> None:
    np.testing.assert_array_equal(bootstrap_interval(np.full(10, 0.25), 0), [0.25, 0.25])


@pytest.mark.parametrize("num_units", [0, 1])
def test_too_few_units(num_units: int) -> None:
    with pytest.raises(ValueError, match=f"{num_units} units: expected at least 2"):
        bootstrap_interval(np.zeros(num_units), 0)


def test_variance_ratio() -> None:
    rng = np.random.default_rng(0)
    luck, skill = rng.normal(size=(2, 20_000))
    apart = rng.normal(size=(20_000, 2))
    assert variance_ratio(apart) == pytest.approx(1, abs=0.05)
    opposite = np.stack([skill + 2 * luck, apart[:, 0] - 2 * luck], axis=1)  # variances 5 and 5, of the sum 2
    assert variance_ratio(opposite) == pytest.approx(5, abs=0.3)
    assert variance_ratio(np.stack([luck, luck], axis=1)) == pytest.approx(0.5)
    assert variance_ratio(np.stack([luck, 1 - luck], axis=1)) is None
    together = np.stack([opposite, apart], axis=2)  # 5 + 5 + 1 + 1 over 2 + 2
    assert variance_ratio(together) == pytest.approx(3, abs=0.1)
