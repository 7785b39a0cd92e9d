"""How a rule set plays: counted again by hand, game by game."""

import json
import re
from itertools import pairwise

import numpy as np
import pytest

from agents.baselines import Baseline
from eval import rule_statistics
from eval.match import MatchError
from eval.rule_report import endings, lengths, page
from eval.rule_statistics import MEASURES, measure, play_games, wins_by_place
from tests.eval.test_commands import ROOT, run
from unoflip_env.engine import Engine
from unoflip_env.game import GAME
from unoflip_env.observation import observation_layout
from unoflip_env.rules import PRESETS, Rules, RulesError
from unoflip_env.streams import closed_keys, random_uniforms, random_words

AGENT = Baseline("greedy", observation_layout(3))
SEED = 5


def play_alone(rules: Rules, number: int, episode: str) -> tuple[np.ndarray, int, int]:
    """Game `number` at a table of 3 of its own: its record at the end, its decisions, its Flips."""
    key = random_words(np.array([SEED], np.uint64), np.array([number], np.uint64))
    engine = Engine(rules, num_players=3, episode=episode)  # type: ignore[arg-type]
    engine.reset(key)
    sides, decisions = [0, int(engine.games[0].side)], 0
    while not engine.is_over[0]:
        uniforms = random_uniforms(closed_keys(key, np.zeros_like(key)), np.array([decisions], np.uint64))
        engine.step(AGENT.act(engine.observe(AGENT.layout), engine.legal_mask(), uniforms))
        sides.append(int(engine.games[0].side))
        decisions += 1
    return engine.snapshot(), decisions, sum(a != b for a, b in pairwise(sides))


def same(records: np.ndarray, others: np.ndarray) -> bool:
    """Whether games stand alike, but for what earlier games at the same table left between the ends of the piles."""
    return all(np.array_equal(records[name], others[name]) for name in GAME.names or () if name != "discard_pile")


@pytest.mark.parametrize(("preset", "episode"), [("casual", "round"), ("berserker", "round"), ("icebreaker", "match")])
def test_games_are_those_played_alone_whatever_the_batch(preset, episode):
    rules = PRESETS[preset]
    played = play_games(rules, AGENT, 3, 7, SEED, episode=episode)
    again = play_games(rules, AGENT, 3, 7, SEED, episode=episode, batch=3)
    assert same(played.records, again.records)
    for number in range(7):
        record, decisions, flips = play_alone(rules, number, episode)
        assert same(played.records[number], record)
        assert (played.decisions[number], played.flips[number]) == (decisions, flips)
    assert not played.is_endless.any()


def test_the_means_are_those_of_the_games():
    rules = PRESETS["official"]
    found = measure(rules, AGENT, 3, num_rounds=30, num_matches=2, seed=SEED)
    rounds = [play_alone(rules, number, "round") for number in range(30)]
    assert found.figures["decisions"].mean == np.mean([decisions for _, decisions, _ in rounds])
    assert found.figures["flips"].mean == np.mean([flips for *_, flips in rounds])
    assert found.figures["points"].mean == np.mean([record["hand_points"][:3].sum() for record, *_ in rounds])
    assert found.figures["turns"].mean == np.mean([record["num_turns"] for record, *_ in rounds])
    assert found.figures["reshuffled"].mean == np.mean([record["num_reshuffles"] > 0 for record, *_ in rounds])
    assert sum(figure.mean for figure in found.wins) == pytest.approx(1)
    assert found.figures.keys() == MEASURES.keys()
    assert all(figure.low <= figure.mean <= figure.high for figure in (*found.figures.values(), *found.wins))
    assert (found.name, found.num_endless_rounds, found.num_endless_matches) == ("official", 0, 0)


def test_rounds_in_a_match_are_those_of_matches():
    found = measure(Rules(target=1), AGENT, 2, num_rounds=2, num_matches=4, seed=0)
    assert found.rounds is not None
    assert found.rounds.mean == 1
    longer = measure(Rules(target=300), AGENT, 2, num_rounds=2, num_matches=4, seed=0).rounds
    assert longer is not None
    assert longer.mean > 1


def test_a_limit_of_turns_shows():
    figures = measure(Rules(max_turns=5), AGENT, 3, num_rounds=20, num_matches=2, seed=0).figures
    assert (figures["turns"].mean, figures["timeout"].mean, figures["blocked"].mean) == (5, 1, 0)


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        (1, [[1, 0, 0], [0, 0.5, 0.5]]),  # places: seats 1, 2, 0 and 0, 1, 2
        (-1, [[0, 1, 0], [0.5, 0, 0.5]]),  # seats 2, 1, 0 and 1, 0, 2
    ],
)
def test_wins_are_counted_from_the_first_seat(direction, expected):
    records = np.zeros(2, GAME)
    records["dealer"] = 0, 2
    records["round_winners"] = 0b010, 0b110
    shares = wins_by_place(records, Rules(initial_direction=direction), 3)
    assert shares.tolist() == expected


def test_endless_games_are_broken_off_counted_and_left_out(monkeypatch):
    whole = play_games(PRESETS["official"], AGENT, 3, 20, SEED)
    limit = int(np.median(whole.records["num_turns"]))
    monkeypatch.setattr(rule_statistics, "MAX_TURNS", limit)
    found = measure(PRESETS["official"], AGENT, 3, num_rounds=20, num_matches=2, seed=SEED)
    is_short = whole.records["num_turns"] < limit
    assert 0 < found.num_endless_rounds < 20
    assert found.figures["turns"].mean < limit
    assert 20 - found.num_endless_rounds == is_short.sum()
    assert found.figures["turns"].mean == whole.records["num_turns"][is_short].mean()


def test_where_nothing_ended_there_are_no_figures(monkeypatch):
    monkeypatch.setattr(rule_statistics, "MAX_TURNS", 2)
    found = measure(PRESETS["official"], AGENT, 3, num_rounds=5, num_matches=2, seed=0)
    assert (found.figures, found.wins, found.rounds, found.num_endless_rounds) == ({}, (), None, 5)
    assert lengths(found) == ["official", "3", "-", "-", "-", "-"]
    assert endings(found) == ["official", "3", "-", "-", "-", "100.0%", "-"]
    assert "| official | 3 | - |" in page([found], "python -m eval statistics")


@pytest.mark.parametrize(
    ("options", "players", "error", "message"),
    [
        ({"num_rounds": 1}, 3, MatchError, "rounds=1: expected 2 to 10,000,000"),
        ({"num_matches": 0}, 3, MatchError, "matches=0: expected 2 to 10,000,000"),
        ({"num_matches": 10**12}, 3, MatchError, "matches=1000000000000: expected 2 to 10,000,000"),
        ({}, 11, RulesError, "num_players=11"),
    ],
)
def test_what_cannot_be_measured_is_refused(options, players, error, message):
    with pytest.raises(error, match=message):
        measure(PRESETS["official"], AGENT, players, **{"num_rounds": 2, "num_matches": 2, "seed": 0, **options})


def test_the_command_prints_two_tables_and_writes_the_page(tmp_path):
    path = tmp_path / "page.md"
    rules = ["--rules", "classic", "configs/rules/family.toml", "--players", "2", "4"]
    options = [*rules, "--rounds", "20", "--matches", "2", "--markdown", str(path)]
    done = run("statistics", *options)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith((" classic", " family"))]
    assert rows == 2 * [["classic", "2"], ["classic", "4"], ["family", "2"], ["family", "4"]]
    assert max(map(len, done.stdout.splitlines())) <= 80
    text = path.read_text(encoding="utf-8")
    assert f"\n    python -m eval statistics {' '.join(options)}\n" in text
    assert f"`classic` {PRESETS['classic'].id}" in text


def test_the_command_gives_json():
    arguments = ["--rules", "official", "--players", "2", "--rounds", "20", "--matches", "2", "--seed", "3", "--json"]
    done = run("statistics", *arguments)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)
    assert (result["rules"], result["rules_id"], result["players"]) == ("official", PRESETS["official"].id, 2)
    assert (result["rounds"], result["matches"], result["seed"], len(result["wins_by_place"])) == (20, 2, 3, 2)
    assert result["round"]["decisions"]["low"] < result["round"]["decisions"]["mean"] < result["round"]["decisions"]["high"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rules", "offical"], "'offical'"),
        (["--rules", "all", "nowhere.toml"], "nowhere.toml"),
        (["--players", "2", "11"], "num_players=11"),
        (["--agent", "gredy"], "agent 'gredy'"),
        (["--rounds", "1"], "rounds=1: expected 2 to 10,000,000"),
    ],
)
def test_the_errors_of_the_command_are_one_line(arguments, words):
    done = run("statistics", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert words in done.stderr


def test_an_interrupted_table_shows_the_rows_that_are_done():
    arguments = ["--agent", "tests.eval.own_agents:Interrupting", "--players", "2", "--rounds", "500", "--matches", "2"]
    done = run("statistics", "--rules", "official", *arguments)
    assert done.returncode == 130
    assert "interrupted: 0 of 1 rows are done" in done.stderr
    assert not done.stdout


def test_the_page_of_the_kit_is_of_the_rules_as_they_are():
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    command = next(line for line in text.splitlines() if line.startswith("    python -m eval statistics"))
    assert command.endswith("--markdown docs/statistics.md")
    assert dict(re.findall(r"`(\w+)`\s+([0-9a-f]{8})", text)) == {name: rules.id for name, rules in PRESETS.items()}
    rows = re.findall(r"^\| (\w+) \| (\d+) \|", text, re.MULTILINE)
    assert rows == 2 * [(name, players) for name in PRESETS for players in ("2", "4", "8")]
