"""Recorded games watched: what a page holds and what it does in a browser. The games are those of tests/golden."""

import base64
import gzip
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from imageio_ffmpeg import count_frames_and_secs, read_frames
from playwright.sync_api import Browser, Page, Request, expect

from agents.protocol import AgentError
from eval.movie import MovieError
from eval.record import read_records, write_records
from eval.watch.command import WatchCommand
from eval.watch.frames import OPEN, frame_of, frames, moments, num_frames, seat_names
from eval.watch.page import Show
from eval.watch.server import make_server
from tests.browser import PHONE, overflows
from tests.eval.own_agents import Uniform
from unoflip_env.actions import COLOR
from unoflip_env.deck import SLOT_FACE
from unoflip_env.engine import Engine
from unoflip_env.observation import observation_layout
from unoflip_env.records import Decision, GameRecord, RecordError

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
UNIFORM = "tests.eval.own_agents:Uniform"


@cache
def golden(name: str) -> list[GameRecord]:
    return list(read_records(GOLDEN / f"{name}.jsonl"))


@pytest.mark.parametrize("name", ["official", "variants"])
def test_every_decision_and_every_end_has_a_frame(name: str) -> None:
    record = golden(name)[2]
    shown = list(frames(record, OPEN, {}))
    assert len(shown) == num_frames(record)
    decisions = [decision for played in record.rounds for decision in played.decisions]
    asked = [frame for frame in shown if frame.seat is not None]
    assert [(frame.seat, frame.action) for frame in asked] == [(d.seat, d.action) for d in decisions]
    assert [[option.action for option in frame.options] for frame in asked] == [d.legal for d in decisions]
    endings = [frame.ending for frame in shown if frame.seat is None]
    assert len(endings) == len(record.rounds)
    assert all("points in hand" in ending for ending in endings)


def broken_off(record: GameRecord, num_decisions: int) -> GameRecord:
    first = replace(record.rounds[0], decisions=record.rounds[0].decisions[:num_decisions])
    result = replace(record.result, is_finished=False, winners=[], scores=[0] * record.players)
    return replace(record, rounds=[first], result=result, game=1, games=1)


def test_a_game_that_was_broken_off_ends_where_it_did() -> None:
    shown = list(frames(broken_off(golden("official")[0], 5), OPEN, {}))
    assert [frame.ending for frame in shown] == [""] * 5 + ["the game was broken off"]


def test_flips_and_challenges_are_marked() -> None:
    shown = list(frames(golden("official")[0], OPEN, {}))
    flips = [frame for frame in shown if "flip" in frame.marks]
    assert len(flips) == 3
    assert all(frame.words.endswith("flip") for frame in flips)
    assert [frame.words for frame in shown if "challenge" in frame.marks] == ["challenge"] * 2
    sides = [frame.side for frame in shown]
    assert [a != b for a, b in pairwise(sides)] == ["flip" in frame.marks for frame in shown[:-1]]


def others_cannot_tell(decision: Decision) -> Decision:
    """A decision that looks the same to all others: another copy, another card face down, other things it might have done."""
    if decision.action >= COLOR:
        return replace(decision, legal=[])
    is_hidden = decision.phase in ("give_card", "gift")
    copies = range(COLOR) if is_hidden else np.flatnonzero(SLOT_FACE == SLOT_FACE[decision.action])
    return replace(decision, legal=[], action=int(copies[-1]))


@pytest.mark.parametrize(("name", "game"), [("official", 1), ("variants", 0), ("variants", 1), ("icebreaker", 2)])
def test_a_seat_s_view_holds_nothing_that_it_cannot_know(name: str, game: int) -> None:
    record = golden(name)[game]
    names = seat_names(record)
    redealt = Engine(record.rules.to_rules(), num_players=record.players, episode=record.episode)
    uniform = Uniform(observation_layout(record.players, redealt.rules.information))
    evaluators = dict.fromkeys(range(record.players), uniform)
    num_hidden = 0
    for number, moment in enumerate(moments(record)):
        seat = number % record.players
        redealt.restore(0, moment.engine.determinize(0, seat, number))
        other = replace(moment, engine=redealt)
        if moment.decision and moment.decision.seat != seat:
            other = replace(other, decision=others_cannot_tell(moment.decision))
            num_hidden += 1
        seen = frame_of(moment, str(seat), names, evaluators)
        assert frame_of(other, str(seat), names, evaluators) == seen
    assert num_hidden > 10


def test_a_card_that_is_given_is_shown_to_the_giver_alone() -> None:
    record = golden("variants")[0]
    given = next(moment for moment in moments(record) if moment.decision and moment.decision.phase == "give_card")
    assert given.decision
    views = Show([record], None, {}).views(0)
    hidden = {view for view in views if frame_of(given, view, seat_names(record), {}).move == "a card"}
    assert hidden == {str(seat) for seat in range(record.players)} - {str(given.decision.seat)}


def test_what_agents_think_is_shown_to_those_who_may_know() -> None:
    record = golden("official")[1]
    show = Show([record], None, {1: UNIFORM})
    seat_1, seat_2, open_cards = (json.loads(show.view(0, view)) for view in ("1", "2", OPEN))
    for i, seat in enumerate(open_cards["seat"]):
        percents = [option["percent"] for option in open_cards["options"][i]]
        if seat == 1:
            assert sum(percents) == pytest.approx(100, abs=0.05 * len(percents) + 0.01)
            assert (open_cards["value"][i], seat_1["value"][i]) == (0.25, 0.25)
            assert seat_1["options"][i] == open_cards["options"][i]
            assert seat_2["options"][i] == []
        else:
            assert percents == [None] * len(percents)
            assert open_cards["value"][i] is None
    assert not any(seat_2["value"])


def test_an_agent_that_sees_all_cards_thinks_aloud_with_open_cards_only() -> None:
    record = golden("official")[1]
    oracle = {seat: Uniform(observation_layout(record.players, "open")) for seat in range(record.players)}
    assert any(frame.value for frame in frames(record, OPEN, oracle))
    assert not any(frame.value for frame in frames(record, "0", oracle))


def test_a_seat_s_page_holds_that_seat_s_view_alone() -> None:
    record = golden("official")[1]
    page = Show([record], 2, {}).whole_page(lambda num: None)
    packed = [part.split(">", 1) for part in page.split('<script type="application/gzip" id="view-')[1:]]
    assert [name for name, _ in packed] == ['0-2"']
    view = json.loads(gzip.decompress(base64.b64decode(packed[0][1].split("<")[0])))
    assert view["wide"] == [frame.wide for frame in frames(record, "2", {})]
    for secret in (record.seed, record.rounds[0].position, str(record.rounds[0].deal[:9])):
        assert secret not in page


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seat": 4}, RecordError, "seat=4: expected 0 to 1, the seats of game 1"),
        ({"seat": -1}, RecordError, "seat=-1: expected 0 to 1"),
        ({"game": 4}, RecordError, "game=4: expected 1 to 3, the games of"),
        ({"agent": ("7=random",)}, RecordError, "seat=7: expected 0 to 1"),
        ({"agent": ("greedy",)}, AgentError, "agent 'greedy': tells no probabilities, expected a network"),
        ({"agent": ("0=nobody",)}, AgentError, "agent 'nobody': expected one of random"),
        ({"agent": ("a", "0=b", "c")}, AgentError, "agent c: a second one for all other seats"),
        ({"agent": ("a", "0=b", "0=c")}, AgentError, "agent 0=c: a second one for seat 0"),
        ({"gif": Path("a.mp4")}, MovieError, "gif=a.mp4: expected a name that ends in .gif"),
        ({"gif": Path("a.gif"), "seconds": 0}, MovieError, "seconds a frame 0: expected 0.02 to 60"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object], error: type[Exception], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=re.escape(words)):
        WatchCommand(file=GOLDEN / "official.jsonl", html=Path("a.html"), **options).run()  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_a_game_is_written_as_films(tmp_path: Path) -> None:
    write_records(tmp_path / "a.jsonl", [broken_off(golden("official")[0], 3)])
    gif, mp4 = tmp_path / "a.gif", tmp_path / "a.mp4"
    WatchCommand(file=tmp_path / "a.jsonl", gif=gif, mp4=mp4, seat=1, seconds=0.1).run()
    assert count_frames_and_secs(str(mp4))[0] == 4
    assert next(read_frames(str(gif)))["size"] == (800, 560)


def test_the_page_is_served_until_ctrl_c() -> None:
    command = [sys.executable, "-m", "eval", "watch", str(GOLDEN / "official.jsonl"), "--seat", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout
        address = started.stdout.readline().split()[0]
        with urllib.request.urlopen(address) as page:
            assert "Game 1: official, 2 players, a round" in page.read().decode()
        with urllib.request.urlopen(f"{address}view/1/1") as view:
            assert len(json.loads(view.read())["wide"]) == num_frames(golden("official")[1])
        for path in ("view/1/open", "view/1/2", "view/9/1", "../pyproject.toml"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(address + path)
        started.send_signal(signal.SIGINT)
        assert started.wait(60) == 0
        assert not started.stderr or started.stderr.read() == ""


@pytest.fixture
def address() -> Iterator[str]:
    """Where the golden games are served."""
    with make_server(Show(golden("official"), None, {}), "127.0.0.1", 0) as server:
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        serving.join()


def test_a_served_page_asks_for_its_views(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#table svg").wait_for()
    page.keyboard.press("1")
    expect(page.get_by_label("View")).to_have_value("1")
    page.keyboard.press("End")
    assert place(page) == num_frames(golden("official")[0])


def test_a_served_page_says_when_nobody_answers(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.route("**/view/*/*", lambda route: route.abort())
    page.goto(address)
    expect(page.locator("#caption")).to_contain_text("This view cannot be loaded")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for key in ("ArrowRight", "f", " ", "1"):
        page.keyboard.press(key)
    assert not errors
    page.context.close()


def test_where_it_cannot_be_served_is_named() -> None:
    with make_server(Show(golden("official"), None, {}), "127.0.0.1", 0) as server:
        for host, port in (("127.0.0.1", server.server_port), ("127.0.0.1", 65536), ("nowhere.invalid", 0)):
            with pytest.raises(OSError, match="cannot serve there") as refused:
                make_server(Show(golden("official"), None, {}), host, port)
            assert refused.value.filename == f"{host}:{port}"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of all games, as a user makes one."""
    out = tmp_path_factory.mktemp("watch") / "games.html"
    command = [
        sys.executable,
        "-m",
        "eval",
        "watch",
        str(GOLDEN / "official.jsonl"),
        "--html",
        str(out),
        "--agent",
        f"1={UNIFORM}",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (0, f"{out}\n"), done.stderr
    return out


@pytest.fixture
def viewer(page: Page, written: Path) -> Page:
    page.goto(written.as_uri())
    page.locator("#table svg").wait_for()
    return page


def place(page: Page) -> int:
    """The number of the position shown, from 1."""
    return int(page.inner_text("#caption span").split()[0])


def test_keys_step_through_a_game(viewer: Page) -> None:
    record = golden("official")[0]
    places = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        viewer.keyboard.press(key)
        places.append(place(viewer))
    last = num_frames(record)
    assert places == [2, 3, 2, last, last, 1, 1]
    viewer.keyboard.press("f")
    assert "flip" in viewer.inner_text("#caption strong")
    assert "light side" in viewer.inner_text("#table")
    viewer.keyboard.press("ArrowRight")
    assert "dark side" in viewer.inner_text("#table")
    viewer.keyboard.press("c")
    assert viewer.inner_text("#caption strong").endswith("challenge")
    viewer.keyboard.press("r")
    assert "points in hand" in viewer.inner_text("#caption strong")


def test_a_click_on_a_move_a_button_or_the_slider_leads_there(viewer: Page) -> None:
    viewer.locator("#moves button").nth(30).click()
    assert place(viewer) == 31
    assert viewer.locator("#moves [aria-current=step]").get_attribute("data-at") == "30"
    viewer.get_by_role("button", name="Forward").click()
    viewer.get_by_role("button", name="Forward").click()
    viewer.get_by_role("button", name="Back").click()
    assert place(viewer) == 32
    viewer.get_by_role("slider", name="Position").fill("70")
    assert place(viewer) == 71
    viewer.get_by_role("button", name="Flip", exact=True).click()
    assert "flip" in viewer.inner_text("#caption strong")
    viewer.get_by_role("button", name="Last").click()
    assert place(viewer) == num_frames(golden("official")[0])


def test_play_goes_on_by_itself_until_it_is_paused_or_at_the_end(viewer: Page) -> None:
    viewer.get_by_label("Speed").select_option("very fast")
    viewer.get_by_role("button", name="Play").click()
    expect(viewer.locator("#caption span")).to_have_text(re.compile(r"^([4-9]|\d\d+) of"))
    viewer.keyboard.press("Space")
    assert viewer.get_by_role("button", name="Play").is_visible()
    viewer.get_by_label("Speed").select_option("normal")
    viewer.get_by_role("slider", name="Position").fill(str(num_frames(golden("official")[0]) - 3))
    viewer.locator("h1").click()
    viewer.keyboard.press("Space")
    assert viewer.get_by_role("button", name="Pause").is_visible()
    viewer.get_by_role("button", name="Play").wait_for()
    assert place(viewer) == num_frames(golden("official")[0])


def test_the_view_of_a_seat_is_that_seat_s(viewer: Page) -> None:
    record = golden("official")[0]
    seat = record.rounds[0].decisions[0].seat
    assert viewer.locator("#options li").count() == len(record.rounds[0].decisions[0].legal)
    for other in range(2):
        viewer.keyboard.press(str(other))
        expect(viewer.get_by_label("View")).to_have_value(str(other))
        shown = next(frames(record, str(other), {}))
        assert viewer.locator("#table svg").get_attribute("aria-label") == f"The table as {seat_names(record)[other]} sees it"
        assert viewer.locator("#options li").count() == len(shown.options)
        assert ("What another seat could do" in viewer.inner_text("#value")) == (other != seat)
    viewer.keyboard.press("o")
    expect(viewer.get_by_label("View")).to_have_value(OPEN)


def test_an_agent_s_thoughts_are_shown(viewer: Page) -> None:
    decisions = golden("official")[0].rounds[0].decisions
    at = next(i for i, decision in enumerate(decisions) if decision.seat == 1 and len(decision.legal) > 1)
    viewer.get_by_role("slider", name="Position").fill(str(at))
    assert viewer.locator("#options meter").count() == len(decisions[at].legal)
    assert f"{100 / len(decisions[at].legal):.1f}%" in viewer.inner_text("#options")
    assert "The agent expects 0.25" in viewer.inner_text("#value")


def test_another_game_is_chosen(viewer: Page) -> None:
    viewer.get_by_label("Game").select_option(index=2)
    expect(viewer.locator("h1")).to_have_text("Game 3: own rules, 3 players, a match")
    assert viewer.locator("#moves h3").all_inner_texts() == ["Round 1", "Round 2"]
    assert viewer.locator("#view option").count() == 4


def test_the_page_loads_nothing_else(page: Page, written: Path) -> None:
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    page.goto(written.as_uri())
    page.locator("#table svg").wait_for()
    assert [request.url for request in asked if not request.url.startswith("data:")] == [written.as_uri()]
    assert written.stat().st_size < 3e6


@pytest.mark.parametrize("key", ["Home", "End", "f"])
def test_the_page_fits_a_desktop_and_a_phone(viewer: Page, key: str) -> None:
    viewer.keyboard.press(key)
    assert not overflows(viewer)
    expect(viewer.locator("#table svg")).to_have_attribute("viewBox", re.compile("^0 0 1000 "))
    viewer.set_viewport_size({"width": PHONE, "height": 844})
    assert not overflows(viewer)
    expect(viewer.locator("#table svg")).to_have_attribute("viewBox", re.compile("^0 0 390 "))


def test_the_page_can_be_light_or_dark(viewer: Page) -> None:
    grounds = set()
    for _ in range(2):
        viewer.get_by_role("button", name="Light or dark page").click()
        grounds.add(viewer.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_names_are_text_and_no_more(page: Page, tmp_path: Path) -> None:
    record = replace(golden("official")[1], agents=["<b>bold</b>", "</script><script>throw 1</script>", '"&quot;', "d"])
    (tmp_path / "a.html").write_text(Show([record], None, {}).whole_page(lambda num: None), encoding="utf-8")
    page.goto((tmp_path / "a.html").as_uri())
    page.locator("#table svg").wait_for()
    assert page.locator("b").count() == 0
    assert "as 1 </script><script>throw 1</script> saw it" in page.inner_text("#view")
