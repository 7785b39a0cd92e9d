"""The page of a seat in a real browser: people click and type until a round is over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from eval.live.room import MAX_RATE, Room
from tests.browser import DESKTOP, PHONE, overflows
from tests.eval.live.tables import live_table, room_at, serving
from tests.eval.own_agents import FirstLegal
from unoflip_env.records import check

_CLICK_FIRST = """() => {
  const selectors = ["#picture .card[role=button]", "#choices button", "#picture [role=button]"];
  const all = selectors.flatMap((selector) => [...document.querySelectorAll(selector)]);
  const one = all.find((each) => each.getClientRects().length > 0);
  one?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
}"""


def sit(page: Page, room: Room, address: str, person: int = 0) -> None:
    page.goto(f"http://{address}/seat/{list(room.tokens)[person]}")
    expect(page.locator("#question")).not_to_contain_text("Connecting")


@contextmanager
def open_page(page: Page, room: Room) -> Iterator[str]:
    """Serve the room and sit down as its first person; gives the address."""
    with serving(room) as address:
        sit(page, room, address)
        yield address
        page.goto("about:blank")  # or else it would miss its server


def play_until_rest(*pages: Page) -> None:
    """Click a card that can be played, or else what there is, in turn, until the round is over."""
    for _ in range(600):
        for page in pages:
            page.evaluate(_CLICK_FIRST)
        pages[0].wait_for_timeout(2000 / MAX_RATE)  # or else the server would take it for a flood
        if pages[0].locator("#end[open]").count():
            return
    raise AssertionError("the round does not end")


def test_a_round_is_played_by_clicking(page: Page) -> None:
    table = live_table("greedy", "sharp", hand=3, seed=3)
    room = room_at(table)
    with open_page(page, room):
        expect(page.locator("body")).to_have_class("my-turn")
        assert "Your turn" in page.title()
        decision, hand = table.num_decisions, page.locator("#picture .wide .card")
        assert hand.count() == len(table.view(0).slots)
        page.locator("#picture .wide [role=button]").first.click()
        expect(page.locator("#lines")).to_contain_text("You ")
        assert table.num_decisions > decision
        play_until_rest(page)
        expect(page.locator("#end-title")).to_have_text(table.ending)
        assert page.locator("#results tr").count() == 3
        page.locator("#go-on").click()
        expect(page.locator("#end")).to_be_hidden()
    assert table.records()[0].result.is_finished
    check(table.records()[0])


def test_a_reload_keeps_the_seat(page: Page) -> None:
    table = live_table("greedy", dealer=1, uno="auto")
    room = room_at(table)
    with open_page(page, room):
        expect(page.locator("body")).to_have_class("my-turn")
        page.get_by_role("button", name="Draw", exact=True).first.click()
        expect(page.locator("#lines")).to_contain_text("You draw ")
        told, num_cards = page.locator("#lines li").all_inner_texts(), len(table.view(0).slots)
        page.reload()
        expect(page.locator("#lines")).to_contain_text("You draw ")
        assert page.locator("#lines li").all_inner_texts()[: len(told)] == told
        assert page.locator("#picture .wide .card").count() == num_cards


def test_two_people_play_in_two_pages(page: Page) -> None:
    table = live_table(num_people=2, hand=3)
    room = room_at(table)
    with open_page(page, room) as address:
        expect(page.locator("#question")).to_have_text("Waiting for everybody to come")
        assert page.context.browser
        other = page.context.browser.new_page()
        sit(other, room, address, person=1)
        asked, waiting = (page, other) if table.actor == 0 else (other, page)
        expect(asked.locator("body")).to_have_class("my-turn")
        expect(waiting.locator("#question")).to_have_text(f"{table.names[table.actor or 0]} is to decide")
        assert waiting.locator("#board [role=button]").count() == 0
        play_until_rest(page, other)
        other.close()
        expect(page.locator("#seats .away")).to_have_count(1)
    check(table.records()[0])


def test_the_keyboard_is_enough(page: Page) -> None:
    table = live_table("greedy", dealer=1)
    room = room_at(table)
    with open_page(page, room):
        expect(page.locator("body")).to_have_class("my-turn")
        page.keyboard.press("ArrowRight")
        actions, names = table.question(table.view(0)).actions, set()
        for _ in actions:
            names.add(page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"))
            page.keyboard.press("ArrowRight")
        assert len(names) > 1
        assert "" not in names
        page.keyboard.press("Enter")
        expect(page.locator("#lines")).to_contain_text("You ")


def test_hints_are_shown(page: Page) -> None:
    table = live_table("greedy", dealer=1)
    room = room_at(table, adviser=FirstLegal(table.engine.layout))
    with open_page(page, room):
        page.get_by_role("button", name="What would FirstLegal do?").click()
        question = table.question(table.view(0))
        expect(page.locator("#hint")).to_contain_text(question.label(question.actions[0]))


def test_it_fits_a_phone(page: Page) -> None:
    table = live_table(*["greedy"] * 9, dealer=9, preset="berserker", rule_vote=True)
    room = room_at(table)
    with open_page(page, room):
        for width in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": 800})
            assert not overflows(page)
            expect(page.locator(f"#picture .{'wide' if width == DESKTOP else 'narrow'} svg.table")).to_be_visible()
