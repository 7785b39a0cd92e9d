import json
import sys
import warnings
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from rich.console import Console

from eval.equilibrium import alpha_rank, nash_average
from eval.live_ratings import LiveRatings
from eval.other_rankings import describe_ranking
from eval.rating_tables import notes, print_ratings
from eval.ratings import TableWins, expected_payoff, rate
from eval.statistics import RatingError


def table(line_up: Sequence[str], chances: Sequence[float], num_deals: int, seed: int = 0, first_deal: int = 0) -> TableWins:
    """A table whose places win with these chances, each game by itself."""
    rng = np.random.default_rng([seed, *map(ord, "".join(line_up))])
    wins = rng.multinomial(len(line_up), chances, size=num_deals) / len(line_up)
    return TableWins(tuple(line_up), first_deal + np.arange(num_deals), wins)


def luce(line_up: Sequence[str], elo: dict[str, float], num_deals: int, seed: int = 0) -> TableWins:
    strengths = np.array([10 ** (elo[name] / 400) for name in line_up])
    return table(line_up, strengths / strengths.sum(), num_deals, seed)


ELO = {"random_play": 0.0, "b": 60.0, "c": 150.0, "d": 300.0}


@pytest.mark.parametrize(
    "line_ups",
    [
        list(combinations(ELO, 2)),
        list(pairwise(ELO)),
        [("random_play", "b", "c", "d"), ("d", "random_play", "random_play")],
        [("random_play", "b"), ("c", "b", "b"), ("d", "c")],
    ],
)
def test_finds_the_strengths_that_made_the_results(line_ups: list[tuple[str, ...]]) -> None:
    ratings = rate([luce(line_up, ELO, 20_000) for line_up in line_ups], 0, num_resamples=200)
    assert ratings.names == ("d", "c", "b", "random_play")
    assert ratings.anchor == "random_play"
    assert ratings.elo[3] == 0
    for name, elo, low, high in zip(ratings.names, ratings.elo, *ratings.elo_interval, strict=True):
        assert low <= elo <= high
        assert abs(elo - ELO[name]) < 10, name
    assert ratings.is_bounded.all()
    np.testing.assert_allclose(ratings.payoff + ratings.payoff.T, np.where(np.isnan(ratings.payoff), np.nan, 1))
    assert np.nanmax(np.abs(ratings.payoff - expected_payoff(ratings.elo))) < 0.02
    assert np.nanmax(np.abs(ratings.surprise)) < 4
    assert not ratings.cycles


def test_two_agents_are_rated_by_their_odds() -> None:
    """3 of 4 games are odds of 3, 191 Elo points; a prior of one game in 4,000 moves them by less than a point."""
    wins = np.tile([[0.75, 0.25]], (2000, 1))
    ratings = rate([TableWins(("a", "b"), np.arange(2000), wins)], 0, anchor="b", num_resamples=20)
    assert ratings.elo[0] == pytest.approx(400 * np.log10(3), abs=0.2)
    assert ratings.payoff[0, 1] == 0.75
    assert (ratings.num_deals, ratings.num_games) == (2000, 4000)


def test_intervals_cover_as_often_as_they_say() -> None:
    """Of 60 tournaments; the count is within 3.5 standard errors of 95%."""
    num_covered = 0
    for seed in range(60):
        tables = [luce(line_up, ELO, 100, seed) for line_up in [("random_play", "c"), ("random_play", "b", "c")]]
        ratings = rate(tables, seed, num_resamples=60)
        place = ratings.names.index("c")
        low, high = ratings.elo_interval[:, place]
        num_covered += low <= ELO["c"] <= high
    assert num_covered / 60 > 0.95 - 3.5 * 0.0281


def test_a_deal_is_drawn_for_all_tables_that_played_it() -> None:
    """What two tables share cancels out in the difference of the two that met the third on the same cards."""
    shared = np.random.default_rng(1).choice([0.2, 0.8], 400)[:, None]
    wins = np.hstack([shared, 1 - shared])
    deals = np.arange(400)
    same = rate([TableWins((name, "z"), deals, wins) for name in "ab"], 0, anchor="a", num_resamples=300)
    others = [TableWins((name, "z"), deals + 400 * i, wins) for i, name in enumerate("ab")]
    apart = rate(others, 0, anchor="a", num_resamples=300)
    widths = [np.diff(ratings.elo_interval[:, ratings.names.index("b")], axis=0)[0] for ratings in (same, apart)]
    assert widths[0] < 0.01 < 10 < widths[1]


def test_one_that_never_won_is_rated_below_the_rest_and_said_to_be() -> None:
    tables = [luce(("a", "b"), {"a": 50, "b": 0}, 500), table(("a", "c"), (1, 0), 500), table(("b", "c"), (1, 0), 500)]
    ratings = rate(tables, 0, anchor="b", num_resamples=50)
    assert ratings.names == ("a", "b", "c")
    assert -3000 < ratings.elo[2] < -800
    assert ratings.is_bounded.tolist() == [True, True, False]
    assert np.isfinite(ratings.elo_interval).all()
    assert any(note.startswith("c: won or lost all that ties them to b") for note in notes(ratings))


def test_strengths_very_far_apart_are_no_surprise() -> None:
    """The ratings say 1 but for rounding, and all deals went alike: neither spreads."""
    names = "abcdefg"
    tables = [table(pair, (1, 0), 500) for pair in [*pairwise(names), ("a", "g")]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ratings = rate(tables, 0, num_resamples=5)
    assert expected_payoff(ratings.elo)[0, -1] == 1
    assert np.abs(ratings.surprise[0, -1]) < 1


def test_an_agent_has_its_half_against_itself_even_where_it_never_won() -> None:
    tables = [table(("a", "c"), (1, 0), 50), luce(("a", "b"), {"a": 50, "b": 0}, 50), table(("b", "c"), (1, 0), 50)]
    assert np.diag(rate(tables, 0, num_resamples=5).payoff).tolist() == [0.5] * 3


def test_circles_and_surprises_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    chances = {("a", "b"): 0.6, ("b", "c"): 0.6, ("c", "a"): 0.6, ("a", "d"): 0.7, ("b", "d"): 0.7, ("c", "d"): 0.7}
    ratings = rate([table(pair, (p, 1 - p), 2000) for pair, p in chances.items()], 0, anchor="d", num_resamples=100)
    assert [set(cycle) for cycle in ratings.cycles] == [{"a", "b", "c"}]
    a, b = ratings.names.index("a"), ratings.names.index("b")
    assert ratings.surprise[a, b] > 5
    assert ratings.surprise[b, a] == pytest.approx(-ratings.surprise[a, b])
    print_ratings(ratings, Console(width=100))
    printed = capsys.readouterr().out
    for words in ("d is at 0", "standard errors from what the ratings say", "no scale can say that", "24,000 games on 2,000"):
        assert words in printed


@pytest.mark.parametrize("width", [60, 80, 200])
def test_every_figure_of_many_agents_is_there(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    """However narrow the terminal: payoffs go on in more tables."""
    names = [f"{letter}-agent-with-quite-a-name" for letter in "abcdefghij"]
    pairs = [table(pair, (0.5, 0.5), 60) for pair in combinations(names, 2)]
    print_ratings(rate(pairs, 0, num_resamples=5), Console(width=width))
    printed, *_ = capsys.readouterr().out.partition("games on")
    assert printed.count("%") == 10 * 9 + 1, "with the level of the interval"
    assert all(printed.count(f" v {number} ") == 1 for number in range(1, 11))
    assert "…" not in printed
    assert max(map(len, printed.splitlines()[:-1])) <= width


def test_shared_wins_count_as_parts() -> None:
    wins = np.tile([[0.5, 0.5]], (50, 1))
    ratings = rate([TableWins(("a", "b"), np.arange(50), wins)], 0, num_resamples=20)
    np.testing.assert_allclose(ratings.elo, 0, atol=1e-6)
    assert not np.nan_to_num(ratings.surprise).any()


def test_tables_with_fewer_deals() -> None:
    tables = [luce(("a", "b"), {"a": 100, "b": 0}, 4000), luce(("b", "c"), {"b": 100, "c": 0}, 1000)]
    ratings = rate(tables, 0, anchor="c", num_resamples=50)
    assert ratings.elo[:2] == pytest.approx([200, 100], abs=25)
    assert (ratings.num_deals, ratings.num_games) == (4000, 10_000)


def test_ratings_are_json_and_the_same_again() -> None:
    tables = [luce(("a", "b"), {"a": 100, "b": 0}, 100), luce(("b", "c"), {"b": 100, "c": 0}, 100)]
    first, second = (json.dumps(rate(tables, 5, num_resamples=50).as_dict(), allow_nan=False) for _ in range(2))
    assert first == second
    assert json.loads(first)["payoff"][0][2] is None


@pytest.mark.parametrize(
    ("tables", "anchor", "words"),
    [
        ([], None, "agents none: expected at least 2"),
        ([table(("a", "a"), (0.5, 0.5), 5)], None, "agents a: expected at least 2"),
        ([table(("a", "b"), (0.5, 0.5), 1)], None, "1 whole deals"),
        ([table(("a", "b"), (0.5, 0.5), 5)], "c", "anchor 'c': expected one of a, b"),
        ([table((*pair,), (0.5, 0.5), 5) for pair in ("ab", "cd")], None, r"never met.*a, b \| c, d"),
    ],
)
def test_what_cannot_be_rated(tables: list[TableWins], anchor: str | None, words: str) -> None:
    with pytest.raises(RatingError, match=words):
        rate(tables, 0, anchor=anchor)


def test_a_live_ladder_finds_the_order() -> None:
    rng = np.random.default_rng(0)
    live = LiveRatings()
    for _ in range(300):
        a, b = rng.choice(list(ELO), 2, replace=False)
        share = rng.binomial(2, 1 / (1 + 10 ** ((ELO[b] - ELO[a]) / 400))) / 2
        live.update({a: share, b: 1 - share})
    standings = live.standings()
    assert [standing.name for standing in standings] == ["d", "c", "b", "random_play"]
    assert all(standing.deviation < 3 for standing in standings)
    with pytest.raises(ValueError, match="agents a: expected at least 2"):
        live.update({"a": 1.0})


def test_the_ladder_of_tables_finds_the_order() -> None:
    tables = [luce(line_up, ELO, 150) for line_up in [*combinations(ELO, 2), ("d", "b", "b", "random_play")]]
    headline, *lines = describe_ranking("ladder", tables, 0)
    assert "openskill" in headline
    assert [line.split()[-1] for line in lines] == ["d", "c", "b", "random_play"]


def test_game_theory_of_tables() -> None:
    pytest.importorskip("open_spiel.python.egt.alpharank")
    tables = [luce(line_up, ELO, 150) for line_up in combinations(ELO, 2)]
    for kind in ("nash", "alpha-rank"):
        _, *lines = describe_ranking(kind, tables, 0)
        assert lines[0].endswith("d")
        assert float(lines[0].split("%")[0]) > 95


def test_few_deals_are_told() -> None:
    few = rate([TableWins(("a", "b"), np.arange(20), np.tile([[0.75, 0.25]], (20, 1)))], 0, num_resamples=5)
    always = rate([TableWins(("a", "b"), np.arange(90), np.tile([[1.0, 0.0]], (90, 1)))], 0, num_resamples=5)
    many = rate([luce(("a", "b"), {"a": 30, "b": 0}, 90)], 0, num_resamples=5)
    assert [any("wider than they are" in note for note in notes(one)) for one in (few, always, many)] == [True, True, False]


CIRCLE = np.array([[0.5, 0.7, 0.3, 0.9], [0.3, 0.5, 0.7, 0.9], [0.7, 0.3, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]])


def test_nash_averaging_mixes_those_in_the_circle() -> None:
    pytest.importorskip("open_spiel.python.algorithms.nash_averaging")
    mixture, average = nash_average(CIRCLE)
    np.testing.assert_allclose(mixture, [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-4)
    np.testing.assert_allclose(average, [0, 0, 0, -0.4], atol=1e-4)


def test_alpha_rank_plays_those_in_the_circle() -> None:
    pytest.importorskip("open_spiel.python.egt.alpharank")
    np.testing.assert_allclose(alpha_rank(CIRCLE), [1 / 3, 1 / 3, 1 / 3, 0], atol=0.01)


def test_game_theory_without_its_library_or_with_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("algorithms.nash_averaging", "egt.alpharank"):
        monkeypatch.setitem(sys.modules, f"open_spiel.python.{module}", None)
    for ranking in (nash_average, alpha_rank):
        with pytest.raises(RatingError, match="the extra `spiel`"):
            ranking(CIRCLE)
        with pytest.raises(RatingError, match="not a number in some cells"):
            ranking(np.where(np.eye(4, k=1), np.nan, CIRCLE))
