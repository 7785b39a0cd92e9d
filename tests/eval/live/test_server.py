"""A live table over the wire: what a seat is sent, what is refused, who has a seat."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from agents.protocol import Agent, AgentError
from agents.registry import make_agent
from eval.live.messages import MAX_MESSAGE, State
from eval.live.room import MAX_RATE, Pace, Room
from eval.live.server import open_socket
from eval.live.table import LiveTable, PlayError, seat_players
from tests.eval.live.tables import live_table, play_bots, room_at, serving
from tests.eval.own_agents import Cheat, FirstLegal, Floating
from unoflip_env.actions import CHALLENGE
from unoflip_env.observation import observation_layout
from unoflip_env.records import check
from unoflip_env.rules import PRESETS

WAIT = 120  # seconds for an answer, on a busy machine that compiles


class Client:
    """A person's browser, as far as messages go."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.received: list[dict[str, Any]] = []

    def send(self, message: Any, *, is_patient: bool = True) -> None:
        time.sleep(is_patient / MAX_RATE)
        self._socket.send(message if isinstance(message, (str, bytes)) else json.dumps(message))

    def receive(self, kind: str = "state", **fields: Any) -> dict[str, Any]:
        """The next message of a kind in which these fields have these values."""
        while True:
            message = json.loads(self._socket.recv(timeout=WAIT))
            self.received.append(message)
            if message["type"] == kind and all(message[name] == value for name, value in fields.items()):
                return message

    def question(self, after: int = -1) -> dict[str, Any]:
        """The next state, later than decision `after`, in which this seat is asked something, or the round is over."""
        while (state := self.receive())["decision"] <= after or not (state["choices"] or state["ending"]):
            pass
        return state

    def is_closed_with(self, code: int) -> bool:
        with suppress(ConnectionClosed):
            while True:
                self._socket.recv(timeout=WAIT)
        return self._socket.close_code == code


@contextmanager
def sitting(address: str, token: str) -> Iterator[Client]:
    with connect(f"ws://{address}/live/{token}", open_timeout=WAIT) as socket:
        yield Client(socket)


class Checked(Room):
    """Deals anew what a seat does not know, again and again, and sees whether it is shown, and would be advised, the same."""

    def __init__(self, table: LiveTable, pace: Pace, adviser: Agent) -> None:
        super().__init__(table, pace, adviser)
        self.adviser = adviser
        self.differing: list[State] = []
        self.sent: list[State] = []
        self.hints: list[Any] = []

    def state(self, seat: int) -> State:
        engine = self.table.engine
        state, hint, record = super().state(seat), self._hint_for(seat), engine.snapshot()
        engine.restore(0, engine.determinize(0, seat, len(self.sent)))
        if (super().state(seat), self._hint_for(seat)) != (state, hint):
            self.differing.append(state)
        engine.restore(0, record)
        self.sent.append(state)
        self.hints.append(hint)
        return state

    def _hint_for(self, seat: int) -> Any:
        """The hint that the seat could have now, if it decides."""
        return self.table.asked(self.adviser).weigh() if self.table.actor == seat else None


@pytest.mark.parametrize("preset", ["official", "berserker"])
def test_a_seat_is_sent_nothing_that_it_cannot_know(preset: str) -> None:
    """Two people, for whom an agent decides at once, and their hints."""
    table, greedy = live_table("sharp", num_people=2, preset=preset, hand=5), make_agent("greedy", 3)
    room = Checked(table, Pace(delay=0, turn_seconds=0.001, stand_in=greedy), greedy)
    first, second = room.tokens
    with serving(room) as address, sitting(address, first) as ann, sitting(address, second) as ben:
        for seat, person in enumerate((ann, ben)):
            while not person.receive()["ending"]:
                pass
            sent = [state for state in room.sent if state.seat == seat]
            assert [State.model_validate(message) for message in person.received] == sent[: len(person.received)]
    assert len(ann.received) > 10
    assert any(room.hints)
    assert not room.differing
    check(table.records()[0])


HOSTILE: dict[str, tuple[Any, str]] = {
    "not JSON": ("hello", "message: Invalid JSON"),
    "nothing": ("", "message: Invalid JSON"),
    "a number": ("17", "message: "),
    "deeply nested": ("[" * 900, "message: Invalid JSON"),
    "binary": (b'{"type": "act", "decision": 0, "action": 116}', "message: binary, expected text"),
    "too long": ('"' + "a" * MAX_MESSAGE + '"', f"message: {MAX_MESSAGE + 2} characters, expected at most {MAX_MESSAGE}"),
    "no type": ({"action": 1}, "message: Unable to extract tag"),
    "unknown type": ({"type": "cheat"}, "message: Input tag 'cheat'"),
    "a field too many": ({"type": "act", "decision": 0, "action": 1, "seat": 1}, "message: act.seat: Extra inputs"),
    "a field too few": ({"type": "act", "decision": 0}, "message: act.action: Field required"),
    "a word for a number": (
        {"type": "act", "decision": 0, "action": "116"},
        "message: act.action: Input should be a valid int",
    ),
    "half a number": ({"type": "act", "decision": 0, "action": 0.5}, "message: act.action: Input should be a valid int"),
    "a huge number": ({"type": "act", "action": 10**40}, "not legal now"),
    "an illegal action": ({"type": "act", "action": CHALLENGE}, "not legal now"),
    "an old decision": ({"type": "act", "decision": -1, "action": 116}, "decision -1 is over"),
    "a round that goes on": ({"type": "go_on"}, "no round has just ended"),
    "a hint that nobody gives": ({"type": "hint"}, "nobody gives hints"),
}


def test_hostile_messages_change_nothing() -> None:
    table = live_table("greedy")
    play_bots(table)
    room = room_at(table)
    before, number = table.engine.snapshot(), table.num_decisions
    with serving(room) as address, sitting(address, next(iter(room.tokens))) as person:
        person.question()
        for name, (message, words) in HOSTILE.items():
            person.send({"decision": number, **message} if isinstance(message, dict) and name != "no type" else message)
            assert words in person.receive("error")["message"], name
        assert (table.engine.snapshot(), table.num_decisions) == (before, number)
        person.send({"type": "act", "decision": number, "action": table.question(table.view(0)).actions[0]})
        assert person.receive()["decision"] == number + 1


@pytest.mark.parametrize(("messages", "code"), [(["x"] * (3 * MAX_RATE), 1008), (["x" * 100_000], 1009)])
def test_floods_end_the_connection_alone(messages: list[str], code: int) -> None:
    table = live_table("greedy", dealer=1)
    room, before = room_at(table), table.engine.snapshot()
    token = next(iter(room.tokens))
    with serving(room) as address:
        with sitting(address, token) as flooding:
            flooding.receive()
            with suppress(ConnectionClosed):
                for message in messages:
                    flooding.send(message, is_patient=False)
            assert flooding.is_closed_with(code)
        with sitting(address, token) as person:
            assert person.receive()["seats"][0]["is_here"]
    assert table.engine.snapshot() == before


def test_links_that_are_for_no_seat() -> None:
    room = room_at(live_table("greedy"))
    with serving(room) as address:
        with sitting(address, "nonsense") as stranger:
            assert "no seat" in stranger.receive("error")["message"]
            assert stranger.is_closed_with(4404)
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://{address}/seat/nonsense", timeout=WAIT)
        with urlopen(f"http://{address}/seat/{next(iter(room.tokens))}", timeout=WAIT) as answer:
            assert b"<title>UNO FLIP" in answer.read()
            assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert len({len(token) for token in room.tokens}) == 1
    assert len(next(iter(room.tokens))) >= 22


def test_people_come_leave_and_come_back() -> None:
    """The game waits for all at first, then for whoever left once it is their turn, and gives them their seat again."""
    table = live_table(num_people=2, hand=5)
    room = room_at(table)
    first, second = room.tokens
    with serving(room) as address, sitting(address, first) as ann:
        waiting = ann.receive()
        assert waiting["is_waiting"]
        ann.send({"type": "act", "decision": 0, "action": 116})
        assert "has not begun" in ann.receive("error")["message"]
        with sitting(address, second) as ben:
            assert not ben.receive()["is_waiting"]
            both = ann.receive(is_waiting=False)
            assert [seat["is_here"] for seat in both["seats"]] == [True, True]
            assert bool(both["choices"]) == (table.actor == 0)
        left = ann.receive()
        assert [seat["is_here"] for seat in left["seats"]] == [True, False]
        assert not left["is_waiting"]
        with sitting(address, second) as ben:
            back = ben.receive()
            assert (back["seat"], back["lines"]) == (1, list(table.stories[1]))
            wrong = ann if table.actor == 1 else ben
            wrong.send({"type": "act", "decision": table.num_decisions, "action": 116})
            assert wrong.receive("error")["message"] == "it is not your turn"


def test_the_newest_window_has_the_seat() -> None:
    room = room_at(live_table("greedy"))
    token = next(iter(room.tokens))
    with serving(room) as address, sitting(address, token) as older:
        older.receive()
        with sitting(address, token) as newer:
            assert "another window" in older.receive("error")["message"]
            assert older.is_closed_with(1008)
            assert newer.receive()["seats"][0]["is_here"]


def test_hints_on_demand() -> None:
    table = live_table("greedy")
    play_bots(table)
    room = room_at(table, adviser=FirstLegal(table.engine.layout))
    with serving(room) as address, sitting(address, next(iter(room.tokens))) as person:
        state = person.question()
        assert state["adviser"] == "FirstLegal"
        person.send({"type": "hint", "decision": state["decision"]})
        first = state["choices"][0]
        weights = [{"action": first["action"], "label": first["label"], "probability": None}]
        assert person.receive("hint") == {
            "type": "hint",
            "decision": state["decision"],
            "agent": "FirstLegal",
            "weights": weights,
        }
        person.send({"type": "hint", "decision": state["decision"] + 1})
        assert "your own decision" in person.receive("error")["message"]


def test_somebody_else_decides_when_time_is_up() -> None:
    table = live_table("greedy", dealer=1)
    room = Room(table, Pace(delay=0, turn_seconds=0.01, stand_in=make_agent("sharp", 2)))
    with serving(room) as address, sitting(address, next(iter(room.tokens))) as person:
        while not (state := person.receive())["decision"]:
            pass
    assert "The time of person is up: sharp decides." in state["lines"]


@pytest.mark.parametrize(("kind", "words"), [(Floating, "actions are float64"), (Cheat, "knows no legal answer")])
def test_an_adviser_without_an_answer_says_so(kind: type[FirstLegal], words: str) -> None:
    table = live_table("greedy", dealer=1)
    room = room_at(table, adviser=kind(table.engine.layout))
    with serving(room) as address, sitting(address, next(iter(room.tokens))) as person:
        state = person.question()
        person.send({"type": "hint", "decision": state["decision"]})
        assert words in person.receive("error")["message"]


def test_a_bot_that_answers_with_no_action_ends_the_game() -> None:
    layout = observation_layout(2)
    table = LiveTable(seat_players(1, [Floating(layout)]), PRESETS["official"].replace(dealer=0), "round", 2)
    room = room_at(table)

    async def play() -> None:
        room.sit(0)
        await asyncio.wait_for(room.run(), WAIT)

    with pytest.raises(AgentError, match="agent Floating: actions are float64"):
        asyncio.run(play())


def test_records_are_kept_at_every_rest() -> None:
    saved: list[int] = []
    table = live_table("greedy", hand=2)
    room = room_at(table, save=lambda: saved.append(len(table.records())))
    with serving(room) as address, sitting(address, next(iter(room.tokens))) as person:
        state = person.question()
        for game in (1, 2):
            while not state["ending"]:
                person.send({"type": "act", "decision": state["decision"], "action": state["choices"][0]["action"]})
                state = person.question(after=state["decision"])
            person.send({"type": "go_on", "decision": state["decision"]})
            state = person.question(after=state["decision"])
            assert game in saved


def test_a_port_that_is_taken_is_told() -> None:
    with open_socket("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(PlayError, match=f"host 127.0.0.1, port {port}: Address already in use"):
            open_socket("127.0.0.1", port)
    with pytest.raises(PlayError, match="port 99999: expected 0 to 65535"):
        open_socket("127.0.0.1", 99999)
