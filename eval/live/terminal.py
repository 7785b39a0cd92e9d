"""A live table in the terminal: one person against bots."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from agents.protocol import Agent, AgentError
from eval.live.table import LiveTable, PlayError
from eval.live.views import hint_of
from unoflip_env.notation import NotationError, action_text, parse_action
from unoflip_env.render import draw_table

SEAT = 0
"""Where the person sits."""
_GO_ON = -1  # in place of an action


class TerminalApp(App[None]):
    """Shows the table as the person in seat 0 sees it; actions are chosen from a list, or typed as records have them.

    Args:
        table: the table, with one person.
        adviser: the agent that gives hints, if any.
        delay: seconds before a bot moves.
    """

    TITLE = "UNO FLIP"
    CSS = """
    #right { width: 44; }
    #question { padding: 0 1; background: $primary; color: $text; text-style: bold; }
    #choices { height: 1fr; }
    #story { height: 1fr; border-top: solid $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "hint", "Hint"),
        Binding("f10,ctrl+q", "quit", "Quit"),
    ]

    def __init__(self, table: LiveTable, adviser: Agent | None, delay: float) -> None:
        super().__init__()
        self.table, self._adviser = table, adviser
        self.failure: AgentError | None = None
        """What a bot broke the game off with."""
        self._delay = max(delay, 0.001)  # a timer of 0 seconds never fires

    def compose(self) -> ComposeResult:
        """The table on the left; on the right what is asked, the answers and the story."""
        with Horizontal():
            with VerticalScroll(can_focus=False):
                yield Static(id="table")
            with Vertical(id="right"):
                yield Static(id="question")
                yield OptionList(id="choices")
                yield RichLog(id="story", wrap=True, min_width=20)
                yield Input(placeholder="or type: R7, draw, ->G", id="typed")
        yield Footer()

    def on_mount(self) -> None:
        """Begin."""
        self.query_one("#story").can_focus = False
        self._show()

    def _show(self) -> None:
        """Draw everything anew, and let the next bot move."""
        table, view = self.table, self.table.view(SEAT)
        question = table.question(view)
        self.query_one("#table", Static).update(draw_table(view, table.names))
        self.query_one("#question", Static).update(Text(question.text))
        choices = self.query_one(OptionList)
        choices.clear_options()
        choices.add_options(
            Option(Text(f"{action_text(a, view.side):5} {question.label(a)}"), f"{table.num_decisions} {a}")
            for a in question.actions
        )
        if table.is_resting:
            choices.add_option(Option("Next game" if table.is_done else "Next round", f"{table.num_decisions} {_GO_ON}"))
        if choices.option_count:
            choices.highlighted = 0
        story = self.query_one(RichLog)
        story.clear()
        for line in table.stories[SEAT]:
            story.write(Text(line))
        if table.actor not in (None, SEAT):
            self.set_timer(self._delay, self._move_bot)

    async def _move_bot(self) -> None:
        table, actor = self.table, self.table.actor
        if actor is not None and (agent := table.players[actor].agent):
            try:
                action = await asyncio.to_thread(table.asked(agent).choose)  # keys are heard meanwhile
            except AgentError as error:
                self.failure = error
                self.exit()
            else:
                table.act(actor, table.num_decisions, action)
                self._show()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen action."""
        decision, action = map(int, str(event.option_id).split())
        self._act(decision, action)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the action that was typed."""
        event.input.clear()
        try:
            action = parse_action(event.value, self.table.view(SEAT).side)
        except NotationError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self._act(self.table.num_decisions, action)

    def _act(self, decision: int, action: int) -> None:
        try:
            if action == _GO_ON:
                self.table.go_on(decision)
            else:
                self.table.act(SEAT, decision, action)
        except PlayError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self._show()

    def action_hint(self) -> None:
        """Show what the adviser would do."""
        if self._adviser is None:
            self.notify("nobody gives hints at this table: expected --hints AGENT", severity="error")
        elif self.table.actor == SEAT:
            try:
                hint = hint_of(self.table, SEAT, self._adviser.name, self.table.asked(self._adviser).weigh())
            except AgentError as error:
                self.notify(str(error), severity="error", markup=False)
            else:
                self.notify("\n".join(weight.words for weight in hint.weights[:5]), title=hint.agent, markup=False)
