import json
import sys
from pathlib import Path

import numpy as np
import pytest

import eval.play
from agents.baselines import Baseline
from agents.protocol import Agent
from eval.duel import Duel, DuelResult
from eval.match import MatchError
from eval.play import DuplicateDeals
from eval.sprt import Sprt, expected_score
from tests.eval import own_agents
from tests.eval.test_commands import OWN, run
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules, RulesError

BOT = Path(__file__).parents[1] / "agents" / "external" / "bot.py"
SHORT = Rules(hand=3)


def duel(first: str, second: str, elo: tuple[float, float] = (0, 60), num_players: int = 2, **options) -> DuelResult:
    layout = observation_layout(num_players)
    agents: tuple[Agent, Agent] = Baseline(first, layout), Baseline(second, layout)
    test = Sprt(*(expected_score(points, num_players) for points in elo))
    return Duel(agents, SHORT, test, 1, num_players=num_players, **options).play().result()


@pytest.mark.parametrize("num_players", [2, 4])
def test_finds_out_who_is_better(num_players: int) -> None:
    better = duel("greedy", "random", num_players=num_players)
    assert better.verdict == "better"
    assert better.log_likelihood_ratio > better.test.bounds[1] > 0
    assert better.score > better.test.score1
    worse = duel("random", "greedy", num_players=num_players)
    assert worse.verdict == "not better"
    assert worse.log_likelihood_ratio < worse.test.bounds[0] < 0
    assert max(better.num_deals, worse.num_deals) < 100


def test_an_agent_is_not_better_than_itself() -> None:
    result = duel("greedy", "greedy")
    assert result.verdict == "not better"
    assert result.score_counts == {0.5: result.num_deals}


def test_stops_at_the_deal_that_decides_in_any_batch() -> None:
    results = [duel("sharp", "random_play", (0, 30), batch=batch) for batch in (2, 64, 1024)]
    assert results[0] == results[1] == results[2]
    num_deals = results[0].num_deals
    layout = observation_layout(2)
    deals = DuplicateDeals([Baseline("sharp", layout), Baseline("random_play", layout)], [0, 1], SHORT, num_deals, 1)
    deals.play()
    scores = deals.outcomes().wins[:, :, 0].mean(axis=1)
    path = results[0].test.path(scores)
    assert results[0].test.end(path) == num_deals - 1
    assert results[0].score == pytest.approx(scores.mean())
    assert sum(results[0].score_counts.values()) == num_deals


@pytest.mark.parametrize("num_players", [2, 3])
def test_games_given_up_and_broken_off_are_counted_up_to_the_deal_that_decides(num_players: int, monkeypatch) -> None:
    monkeypatch.setattr(eval.play, "MAX_TURNS", 12)
    layout = observation_layout(num_players)
    agents: tuple[Agent, Agent] = Baseline("greedy", layout), own_agents.Quitting(layout)
    results = [
        Duel(agents, SHORT, Sprt(0.5, 0.6), 1, num_players=num_players, batch=batch).play().result() for batch in (2, 64, 1024)
    ]
    assert results[0] == results[1] == results[2]
    deals = DuplicateDeals(agents, [0] + [1] * (num_players - 1), SHORT, results[0].num_deals, 1)
    deals.play()
    outcomes = deals.outcomes()
    assert results[0].num_forfeits == (0, outcomes.is_forfeit.sum())
    assert results[0].num_unfinished == outcomes.num_unfinished
    assert min(outcomes.is_forfeit.sum(), outcomes.num_unfinished) > 0


def test_gives_up_when_the_deals_run_out() -> None:
    assert duel("greedy", "random", (0, 50), max_deals=10**12).verdict == "better"
    result = duel("random_play", "random_play", (0, 10), max_deals=40)
    assert (result.verdict, result.num_deals) == ("unknown", 40)
    lower, upper = result.test.bounds
    assert lower < result.log_likelihood_ratio < upper


def test_after_an_interrupt_whole_deals_are_told() -> None:
    layout = observation_layout(2)
    agents: tuple[Agent, Agent] = own_agents.Interrupting(layout), Baseline("greedy", layout)
    interrupted = Duel(agents, SHORT, Sprt(0.5, 0.501), 3, batch=16)
    with pytest.raises(KeyboardInterrupt):
        interrupted.play()
    assert 2 <= interrupted.result().num_deals < 200
    assert interrupted.result().verdict == "unknown"


def test_numbers_that_do_not_fit() -> None:
    with pytest.raises(MatchError, match="max_deals=1: expected 2 or more"):
        duel("greedy", "random", max_deals=1)
    layout = observation_layout(2)
    agents: tuple[Agent, Agent] = Baseline("greedy", layout), Baseline("random", layout)
    with pytest.raises(RulesError, match="num_players=1"):
        Duel(agents, SHORT, Sprt(0.5, 0.6), 0, num_players=1)
    with pytest.raises(MatchError, match="0 whole deals"):
        Duel(agents, SHORT, Sprt(0.5, 0.6), 0).result()


def test_the_command(typed) -> None:
    done = run("duel", "greedy", "random", "--option", "hand=3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] == "better"
    assert result["score1"] == pytest.approx(expected_score(20, 2))
    assert result["games"] == 2 * result["deals"] < 400
    assert np.isfinite(result["log_likelihood_ratio"])
    arguments = ("--win-rates", "0.25", "0.4", "--players", "4", "--max-deals", "2")
    status, out, error = typed("duel", "greedy", "random_play", *arguments)
    assert status == 1, error
    assert out.startswith(
        "it is not known yet whether the win rate of greedy against random_play is at most 25.00% or at least "
    )


def test_a_verdict_says_no_more_than_the_test_found(typed) -> None:
    """Which is a bound, far as the win rate may be from it."""
    for names, words in (
        (("greedy", "random"), "greedy is better than random: its win rate is at least 64.01% rather than 50.00% or less\n"),
        (
            ("random", "greedy"),
            "random is not better than greedy, or not by so much: its win rate is at most 50.00% rather than 64.01% or more\n",
        ),
    ):
        status, out, _ = typed("duel", *names, "--elo", "0", "100")
        assert status == 0
        assert out.startswith(words)


def test_games_given_up_are_told_as_by_a_match(typed) -> None:
    """In the text, in JSON, and beside the bot's faults, of which some are of deals that do not count."""
    bot = f"cmd:{sys.executable} {BOT} illegal 7"
    duel, match = ("duel", bot, "greedy", "--elo", "0", "100"), ("match", bot, "greedy")
    result = json.loads(typed(*duel, "--json")[1])
    number, none = result["num_forfeits"]
    assert (number > 0, none, result["unfinished_games"]) == (True, 0, 0)
    _, out, error = typed(*duel)
    line = f"illegal gave up {number:,} games: it loses these, and all others share the win\n"
    assert line in out
    assert line in typed(*match, "--deals", str(result["deals"]))[1]
    faults, others = error.splitlines()
    num_faults = int(faults.split()[2])
    assert faults.startswith(f"illegal: forfeited {num_faults} for 'illegal'; the first: action ")
    assert others == f"illegal: {num_faults - number} of these games are of deals that do not count"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--elo", "20", "0"], 2, "error: win rates 0.5288 and 0.5: expected"),
        (["--alpha", "0.7"], 2, "error: alpha=0.7: expected"),
        (["--players", "11"], 2, "error: num_players=11"),
        (["--players", "0"], 2, "error: num_players=0"),
        (
            ["--elo", "0", "20", "--win-rates", "0.5", "0.6"],
            2,
            "error: elo=(0.0, 20.0) with win_rates=(0.5, 0.6): expected one ",
        ),
        (["--elo", "-200000", "0"], 2, "error: win rates 0 and 0.5: expected"),
    ],
)
def test_errors_are_one_line(arguments: list[str], status: int, words: str, typed) -> None:
    ended, out, error = typed("duel", "greedy", "random", *arguments)
    assert (ended, out) == (status, "")
    assert words in error.splitlines()[-1]


def test_ctrl_c_tells_what_is_done(typed) -> None:
    status, out, error = typed("duel", f"{OWN}:Interrupting", "greedy", "--batch", "16", "--elo", "0", "1")
    assert status == 130
    assert "interrupted after" in error
    assert "it is not known yet" in out
