"""The game in the terminal, played by keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, OptionList, RichLog, Static

from eval.live.table import LiveTable, seat_players
from eval.live.terminal import TerminalApp
from tests.eval.live.tables import live_table
from tests.eval.own_agents import FirstLegal, Floating
from unoflip_env.notation import action_text
from unoflip_env.observation import observation_layout
from unoflip_env.records import check
from unoflip_env.rules import PRESETS


def play(table: LiveTable, keys: Callable[[TerminalApp, Pilot[None]], Awaitable[None]], **options: Any) -> None:
    """Run the app and press keys."""

    async def run() -> None:
        app = TerminalApp(table, options.get("adviser"), delay=0)
        async with app.run_test(size=(140, 45)) as pilot:
            await keys(app, pilot)

    asyncio.run(asyncio.wait_for(run(), 60))


async def wait_for_question(app: TerminalApp, pilot: Pilot[None]) -> None:
    """Let the bots move."""
    while app.table.actor not in (0, None):
        await pilot.pause(0.01)
    await pilot.pause()


def test_a_round_is_played_with_enter_alone() -> None:
    table = live_table("greedy", hand=3, seed=4)

    async def keys(app: TerminalApp, pilot: Pilot[None]) -> None:
        for _ in range(50):
            await wait_for_question(app, pilot)
            if table.is_resting:
                break
            await pilot.press("enter")
        assert str(app.query_one("#question", Static).content) == "The round is over"
        assert any(table.ending in line.text for line in app.query_one(RichLog).lines)
        await pilot.press("enter")
        await pilot.pause()
        assert not table.is_resting
        assert app.query_one(OptionList).option_count == len(table.question(table.view(0)).actions)

    play(table, keys)
    assert table.records()[0].result.is_finished
    check(table.records()[0])


def test_an_action_is_chosen_with_arrows_or_typed() -> None:
    table = live_table("greedy", dealer=1, uno="auto")

    async def keys(app: TerminalApp, pilot: Pilot[None]) -> None:
        last = table.question(table.view(0)).actions[-1]
        assert table.question(table.view(0)).label(last) == "Draw"
        await pilot.press("up", "enter")
        assert table.stories[0][1].startswith("You draw ")
        await wait_for_question(app, pilot)
        while not table.question(table.view(0)).actions:
            await wait_for_question(app, pilot)
        action, side = table.question(table.view(0)).actions[0], table.view(0).side
        decision = table.num_decisions
        app.query_one(Input).focus()
        app.query_one(Input).value = action_text(action, side)
        await pilot.press("enter")
        await pilot.pause()
        assert table.num_decisions > decision

    play(table, keys)


def test_what_is_typed_wrongly_is_told_and_changes_nothing() -> None:
    table = live_table("greedy", dealer=1)

    async def keys(app: TerminalApp, pilot: Pilot[None]) -> None:
        app.query_one(Input).focus()
        for typed, words in (("hello [x]", "'hello [x]': no action on the light side"), ("challenge", "not legal now")):
            app.query_one(Input).value = typed
            await pilot.press("enter")
            await pilot.pause()
            assert words in list(app._notifications)[-1].message
        assert table.num_decisions == 0

    play(table, keys)


def test_a_bot_that_answers_with_no_action_ends_the_game() -> None:
    layout = observation_layout(2)
    table = LiveTable(seat_players(1, [Floating(layout)]), PRESETS["official"].replace(dealer=0), "round", 2)

    async def keys(app: TerminalApp, pilot: Pilot[None]) -> None:
        while app.failure is None:
            await pilot.pause(0.01)
        assert "actions are float64" in str(app.failure)

    play(table, keys)


def test_hints_and_the_table_are_shown() -> None:
    table = live_table("greedy", dealer=1)

    async def keys(app: TerminalApp, pilot: Pilot[None]) -> None:
        await pilot.press("f2")
        await pilot.pause()
        question = table.question(table.view(0))
        shown = list(app._notifications)[-1]
        assert (shown.title, shown.message) == ("FirstLegal", question.label(question.actions[0]))
        assert "person" in app.export_screenshot()

    play(table, keys, adviser=FirstLegal(table.engine.layout))
