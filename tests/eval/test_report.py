import json
import re
import shlex
import warnings
from contextlib import closing
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect
from tyro.extras import subcommand_cli_from_dict

from eval import charts
from eval.commands import COMMANDS
from eval.export import read_games
from eval.ledger import Ledger, LedgerError
from eval.ratings import TableWins, rate
from eval.report import Section, command_of, read_report, write_report
from eval.settings import Settings, make_settings
from eval.tournament import play_shard, play_tournament, shards_of
from tests.browser import DESKTOP, PHONE, overflows
from tests.eval.test_commands import OWN, run
from unoflip_env.deck import NUM_CARDS
from unoflip_env.rules import PRESETS, Rules

AGENTS = "random_play", "greedy", f"{OWN}:FirstLegal"
RULES = PRESETS["official"], Rules(hand=3)


def settings(rules: tuple[Rules, ...] = RULES, **options) -> Settings:
    return make_settings(AGENTS, rules, deals=20, seed=4, **options)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "results.db"
    with closing(Ledger(path, settings())) as opened:
        play_tournament(opened)
    return path


def test_figures_are_those_of_the_games(ledger: Path) -> None:
    sections = [section for section in read_report(ledger).sections if isinstance(section, Section)]
    games = read_games(ledger).to_pydict()
    rows = {name: np.array(column) for name, column in games.items()}
    assert [section.rules.name for section in sections] == ["official", "official with hand=3"]
    for section in sections:
        own_rules = rows["rules"] == section.rules.name
        for agent in section.agents:
            own = own_rules & (rows["agent"] == agent.name)
            assert agent.win_rate == pytest.approx(rows["win"][own].mean())
            assert agent.points == pytest.approx(rows["points"][own].mean())
            assert (agent.num_games, agent.num_forfeits) == (80, 0)
            assert agent.win_rate_interval[0] <= agent.win_rate <= agent.win_rate_interval[1]
            assert list(agent.game_points) == sorted(agent.game_points)
        for seat in (0, 1):
            assert section.seats[seat] == pytest.approx(rows["win"][own_rules & (rows["seat"] == seat)].mean())
        length = rows["decisions"][own_rules].reshape(-1, 2).sum(axis=1)
        assert length.min() <= section.agents[0].lengths[2] <= length.max()
    assert sections[0].agents[0].lengths[2] > sections[1].agents[0].lengths[2], "larger hands, longer games"


class Page(HTMLParser):
    """What stands where, and what is loaded from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        links = [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        self.loaded += [link for link in links if not link.startswith(("#", "data:"))]


def test_a_page_holds_all_and_loads_nothing(ledger: Path, tmp_path: Path) -> None:
    done = run("report", str(ledger), "--out", str(tmp_path / "a.html"), "--png", str(tmp_path / "png"))
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.tags.count("svg") == page.tags.count("figure") == 10
    assert not page.loaded
    assert "script" not in page.tags
    assert "url(http" not in text
    for words in ("random_play", "FirstLegal", "official with hand=3", "80", "version ", settings().id):
        assert words in text
    images = sorted((tmp_path / "png").iterdir())
    assert len(images) == 10
    assert all(image.read_bytes().startswith(b"\x89PNG") for image in images)
    done = run("report", str(ledger), "--out", str(tmp_path / "b.html"), "--png", str(tmp_path / "png"), "--json")
    found = json.loads(done.stdout)
    assert sorted(found.pop("png")) == [str(image) for image in images]
    assert found == {"tournament": settings().id, "games": 240, "file": str(tmp_path / "b.html")}


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_the_page_opens_in_a_browser(ledger: Path, tmp_path: Path, page: BrowserPage, width: int) -> None:
    write_report(ledger, tmp_path / "a.html")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((tmp_path / "a.html").as_uri())
    assert not overflows(page)
    assert page.locator("h3").all_inner_texts() == ["Ratings", "Who beats whom", "Wins by seat", "Lengths and points"] * 2
    page.get_by_role("link", name="Rules official with hand=3").click()
    heading = page.get_by_role("heading", name="Rules official with hand=3")
    expect(heading).to_be_in_viewport()
    figures = [figure.bounding_box() for figure in page.locator("figure svg").all()]
    assert all(box and box["width"] > 300 and box["height"] > 100 for box in figures)
    page.get_by_text("All settings").click()
    expect(page.locator("details pre")).to_be_visible()
    assert not overflows(page)


@pytest.mark.parametrize(
    ("num_shards", "missing"), [(0, ["nothing has been played"] * 2), (1, [None, "nothing has been played"])]
)
def test_a_tournament_that_has_just_begun(num_shards: int, missing: list, tmp_path: Path, typed, page: BrowserPage) -> None:
    made = settings(num_players=2)
    with Ledger(tmp_path / "results.db", made) as opened:
        for shard in islice(shards_of(made), num_shards):
            opened.add(shard, play_shard(made, shard))
    out = tmp_path / "report.html"
    assert typed("report", str(tmp_path / "results.db"), "--out", str(out))[::2] == (0, "")
    page.goto(out.as_uri())
    assert page.locator("h2").all_inner_texts()[:2] == ["Rules official", "Rules official with hand=3"]
    texts = page.get_by_text("No ratings yet").all_inner_texts()
    expected = [words for words in missing if words]
    assert len(texts) == len(expected)
    assert all(text.startswith(f"No ratings yet: {words}") for text, words in zip(texts, expected, strict=True))
    assert page.locator("svg").count() == 5 * missing.count(None)


def test_the_same_figure_is_the_same_text() -> None:
    rates, interval = np.array([0.6, 0.4]), np.array([[0.5, 0.3], [0.7, 0.5]])
    assert charts.svg(charts.seats(rates, interval)) == charts.svg(charts.seats(rates, interval))


def test_intervals_without_width_are_drawn() -> None:
    """All deals alike, so that the ends of an interval are the rating but for rounding, on either side of it."""
    wins = {("a", "b"): 0.75, ("b", "c"): 0.5, ("a", "c"): 0.6}
    tables = [TableWins(pair, np.arange(60), np.tile([[p, 1 - p]], (60, 1))) for pair, p in wins.items()]
    assert charts.svg(charts.ratings(rate(tables, 0))).startswith("<svg")


def test_names_are_not_taken_for_formulas_and_long_ones_leave_room() -> None:
    tables = [TableWins(("$x^{2}$_{y$", "b" * 300), np.arange(60), np.tile([[0.75, 0.25]], (60, 1)))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rated = rate(tables, 0)
        for figure in (charts.ratings(rated), charts.crosstable(rated), charts.boxes(rated.names, [[1.0] * 5] * 2, "")):
            [axes] = figure.axes
            charts.svg(figure)
            assert axes.get_yticklabels()[0].get_text().endswith("$x^{2}$_{y$")
            assert axes.get_position().width > 0.3


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_a_long_name_leaves_room_in_the_table(ledger: Path, tmp_path: Path, page: BrowserPage, width: int) -> None:
    write_report(ledger, tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    (tmp_path / "a.html").write_text(text.replace("<td>greedy</td>", f"<td>{'greedy' * 30}</td>"), encoding="utf-8")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((tmp_path / "a.html").as_uri())
    name = page.get_by_role("cell", name="greedygreedy").first.bounding_box()
    assert name
    assert name["width"] < width / 2
    assert not overflows(page)


def test_rule_sets_of_the_same_name_are_two(tmp_path: Path) -> None:
    """Tables that say how the sides of the cards are paired have no names."""
    rng = np.random.default_rng(0)
    two = [Rules(pairing=tuple(rng.permutation(NUM_CARDS).tolist())) for _ in range(2)]
    made = make_settings(("greedy", "sharp"), (*two,), deals=5)
    with Ledger(tmp_path / "results.db", made) as opened:
        play_tournament(opened)
    sections = read_report(tmp_path / "results.db").sections
    assert sections[0].rules.name == sections[1].rules.name
    for section in sections:
        assert isinstance(section, Section)
        assert [agent.num_games for agent in section.agents] == [10, 10]


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_written(ledger: Path, tmp_path: Path, typed) -> None:
    (tmp_path / "file").touch()
    status, _, error = typed("report", str(ledger), "--out", str(tmp_path / "a.html"), "--png", str(tmp_path / "file"))
    assert (status, error) == (2, f"error: {tmp_path / 'file'}: File exists\n")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_names_are_not_taken_for_html(tmp_path: Path) -> None:
    agents = "greedy", f"{OWN}:FirstLegal"
    made = make_settings(agents, RULES[1:], deals=2)
    entry = made.agents[1].model_copy(update={"name": "<b>first</b>"})
    made = made.model_copy(update={"agents": (made.agents[0], entry)})
    with closing(Ledger(tmp_path / "results.db", made)) as opened:
        play_tournament(opened)
    write_report(tmp_path / "results.db", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;first&lt;/b&gt;" in text
    assert "<b>" not in text


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        (RULES[:1], {}),
        (RULES[1:], {"num_players": 3, "kind": "line-ups", "episode": "match", "orders": "balanced"}),
        ((PRESETS["casual"], PRESETS["classic"]), {"num_players": 4}),
        ((Rules(accumulate=True, double="identical"),), {"num_players": 4, "kind": "head-to-head"}),
        (RULES[:1], {"kind": "ladder", "anchors": ("sharp", "random")}),
        (RULES[1:], {"kind": "ladder", "anchors": ("sharp",), "num_players": 3}),
        (RULES[:1], {"kind": "line-ups", "sample": 2}),
        (RULES[1:], {"kind": "line-ups", "sample": 1, "num_players": 3, "orders": "all"}),
    ],
)
def test_the_command_plays_the_same_tournament(rules: tuple[Rules, ...], options: dict, tmp_path: Path) -> None:
    made = settings(rules, **options)
    command = command_of(made)
    assert command
    words = command.replace("again.db", str(tmp_path / "again.db")).replace("--deals 20", "--deals 2")
    again = subcommand_cli_from_dict(COMMANDS, args=shlex.split(words)[3:])
    assert again.run() == 0
    with closing(Ledger(tmp_path / "again.db")) as played:
        assert played.settings == made.model_copy(update={"deals": 2})


def test_what_takes_more_than_a_command() -> None:
    """Two rule sets, one of them no preset; line-ups of which nobody knows how they were drawn."""
    assert command_of(settings()) is None
    sample = settings(RULES[:1], kind="line-ups", sample=2)
    assert command_of(sample)
    assert command_of(sample.model_copy(update={"sample": None})) is None


def test_a_report_says_how_to_climb_a_ladder_again(tmp_path: Path, typed) -> None:
    ladder = ("tournament", "greedy", "--format", "ladder", "--anchors", "random_play", "random", "--deals", "2")
    assert typed(*ladder, "--out", str(tmp_path / "a.db"))[0] == 0
    assert typed("report", str(tmp_path / "a.db"), "--out", str(tmp_path / "a.html"))[0] == 0
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    command = re.search(r"<pre>python -m eval (tournament .*) --out again.db</pre>", text)
    assert command
    assert typed(*shlex.split(command[1]), "--out", str(tmp_path / "b.db"))[0] == 0
    assert read_games(tmp_path / "a.db").equals(read_games(tmp_path / "b.db"))


def test_what_is_no_ledger(tmp_path: Path, typed) -> None:
    with pytest.raises(LedgerError, match="no such file"):
        write_report(tmp_path / "nowhere.db", tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
    status, _, error = typed("report", str(tmp_path / "nowhere.db"), "--out", str(tmp_path / "report.html"))
    assert status == 2
    assert error.startswith("error: ")
    assert not (tmp_path / "report.html").exists()
