"""Programs that play, and programs that do everything wrong that a program can."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.external.agent import ExternalAgent, FaultCount, describe_faults
from agents.external.messages import decision, greeting, read_greeting
from agents.external.program import Fault, Limits, ProgramError
from agents.protocol import FORFEIT, Agent, AgentError
from agents.registry import make_agent
from eval.ledger import Shard
from eval.play import DuplicateDeals
from eval.record import record_games
from eval.rule_statistics import measure
from eval.settings import make_settings
from eval.tournament import play_shard
from eval.workers import _begin_worker
from tests.eval.own_agents import FirstLegal
from unoflip_env.actions import NUM_ACTIONS
from unoflip_env.engine import Engine
from unoflip_env.notation import parse_action
from unoflip_env.observation import observation_layout
from unoflip_env.rules import Rules

ROOT = Path(__file__).parents[3]
BOT = [sys.executable, str(Path(__file__).parent / "bot.py")]
LAYOUT = observation_layout(2)
SHORT = Rules(hand=2)
PATIENT = Limits(move_seconds=10, memory_mb=512)
QUICK = Limits(move_seconds=1.0, memory_mb=512)


def bot(what: str, after: int = 0, limits: Limits = PATIENT) -> ExternalAgent:
    return ExternalAgent([*BOT, what, str(after)], LAYOUT, limits)


def ask(agent: Agent, num_rows: int = 1) -> list[int]:
    """The answers to the first decisions of some games."""
    engine = Engine(SHORT, num_rows, 7, num_players=2)
    uniforms = np.linspace(0, 0.9, num_rows)
    return agent.act(engine.observe(agent.layout), engine.legal_mask(), uniforms).tolist()


def play(agents: list[Agent], num_deals: int = 4) -> DuplicateDeals:
    deals = DuplicateDeals(agents, [0, 1], SHORT, num_deals, 5)
    deals.play()
    return deals


def test_plays_as_the_same_agent_in_this_process_does() -> None:
    here, there = FirstLegal(LAYOUT), bot("well")
    expected, got = (play([agent, FirstLegal(LAYOUT)]).outcomes() for agent in (here, there))
    np.testing.assert_array_equal(got.wins, expected.wins)
    np.testing.assert_array_equal(got.points, expected.points)
    assert not got.is_forfeit.any()
    assert not there.faults
    assert not list(describe_faults([here, there]))


@pytest.mark.parametrize(
    ("what", "fault", "words"),
    [
        ("crash", "crash", "exit status 1: RuntimeError: a bug in the bot"),
        ("exit", "crash", "exit status 3"),
        ("red", "crash", "exit status 1: \N{REPLACEMENT CHARACTER}[31mred letters\N{REPLACEMENT CHARACTER}"),
        ("kill", "crash", "signal 9 (Killed"),
        ("hang", "timeout", "no answer in time"),
        ("illegal", "illegal", "expected one of ["),
        ("range", "illegal", "action 1000000: expected one of ["),
        ("nonsense", "nonsense", "'I play red 7': expected a JSON object"),
        ("deep", "nonsense", "expected a JSON object"),
        ("broken_text", "nonsense", "expected a JSON object"),
        ("float", "nonsense", "'action': a number"),
        ("old", "nonsense", "expected {'id': 1, "),
        ("flood", "flood", "an answer of more than 65,536 bytes"),
        ("log", "crash", "exit status 1"),
        ("memory", "crash", "exit status 1: MemoryError"),
    ],
)
def test_what_a_bot_does_wrong_costs_it_that_game_alone(what: str, fault: Fault, words: str) -> None:
    agent = bot(what, 1, QUICK if fault == "timeout" else PATIENT)
    answers = ask(agent, 2)
    assert answers[0] >= 0
    assert answers[1] == FORFEIT
    assert agent.faults == {fault: 1}
    assert words in agent.first_faults[fault].replace("'id': 2, ", "'id': 1, ")
    if fault != "illegal":
        assert ask(agent)[0] >= 0, "it is started again"
    assert next(describe_faults([agent])).startswith(f"{what}: forfeited 1 for '{fault}'; the first: ")


def test_the_games_go_on_and_are_lost() -> None:
    agent = bot("crash", after=3)
    outcomes = play([agent, FirstLegal(LAYOUT)]).outcomes()
    assert outcomes.num_deals == 4
    assert agent.faults["crash"] == outcomes.is_forfeit[..., 0].sum() > 2
    assert not outcomes.is_forfeit[..., 1].any()
    np.testing.assert_array_equal(outcomes.wins[outcomes.is_forfeit[..., 0]], [[0, 1]] * agent.faults["crash"])


def test_three_failures_in_a_row_are_enough() -> None:
    agent = bot("hang", limits=QUICK)
    assert ask(agent, 20) == [FORFEIT] * 20
    assert agent.faults == {"timeout": 3, "given up": 17}


def test_illegal_actions_alone_never_end_a_bot() -> None:
    agent = bot("illegal")
    assert ask(agent, 20) == [FORFEIT] * 20
    assert agent.faults == {"illegal": 20}


def test_a_failure_between_illegal_actions_is_not_in_a_row() -> None:
    agent = bot("hang", limits=QUICK)
    for _ in range(2):
        assert ask(agent) == [FORFEIT]
    agent._program._command = [*BOT, "illegal"]
    agent._program.stop()
    assert ask(agent) == [FORFEIT]
    assert (agent._num_failures, agent.faults) == (0, {"timeout": 2, "illegal": 1})


def test_nonsense_in_the_greeting_after_a_restart_is_a_failure() -> None:
    agent = bot("crash")
    agent._program._command = [*BOT, "protocol"]
    assert ask(agent, 5) == [FORFEIT] * 5
    assert agent.faults == {"crash": 1, "nonsense": 2, "given up": 2}
    assert not agent._program.is_running


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "\u202eback"])
def test_a_name_does_nothing_to_the_terminal(name: str) -> None:
    with pytest.raises(ProgramError, match="characters that cannot be printed"):
        read_greeting(json.dumps({"protocol": 1, "name": name}).encode(), LAYOUT)
    assert read_greeting(json.dumps({"protocol": 1, "name": "Köß 小明"}).encode(), LAYOUT).name == "Köß 小明"


@pytest.mark.parametrize("name", ["start_seconds", "move_seconds", "total_seconds"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), 0.0, -1.0])
def test_limits_are_finite(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}={value}: expected"):
        replace(Limits(), **{name: value})


def test_the_time_in_all_is_limited() -> None:
    agent = bot("sleepy", limits=Limits(total_seconds=60))
    assert ask(agent)[0] >= 0
    used = agent._program.seconds
    assert used > 0.01
    agent._program.seconds += 60
    assert ask(agent, 2) == [FORFEIT] * 2
    assert agent.faults == {"out of time": 2}
    assert not agent._program.is_running


def test_its_children_die_with_it() -> None:
    agent = bot("child")
    assert ask(agent) == [FORFEIT]
    child = int(agent.first_faults["crash"].split()[-1])
    assert ends(child)


@pytest.mark.parametrize("how", ["killed", "worker"])
def test_a_process_takes_its_bots_along(how: str) -> None:
    """Were it by SIGKILL, or as a worker whose master is gone; though a bot be deaf to the end of its input."""
    lifeline, writer = Pipe(duplex=False)
    answer, question = Pipe(duplex=False)
    player = get_context("fork").Process(target=play_with_a_deaf_bot, args=(lifeline, writer, question))
    player.start()
    process = answer.recv()
    assert is_alive(process)
    if how == "killed":
        player.kill()
    writer.close()
    player.join(20)
    assert player.exitcode == (-signal.SIGKILL if how == "killed" else 1)
    assert ends(process)


def play_with_a_deaf_bot(lifeline: Connection, writer: Connection, question: Connection) -> None:
    writer.close()
    _begin_worker(lifeline)
    agent = bot("hang")
    assert agent._program._process
    question.send(agent._program._process.pid)
    time.sleep(60)


def ends(process: int) -> bool:
    """Whether it does so within some seconds."""
    for _ in range(100):
        if not is_alive(process):
            return True
        time.sleep(0.05)
    return False


def is_alive(process: int) -> bool:
    """A zombie, which its new parent has yet to collect, is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_a_bot_ends_with_its_agent() -> None:
    agent = bot("well")
    process = agent._program._process
    assert process
    assert is_alive(process.pid)
    del agent
    assert not is_alive(process.pid)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("cmd:", "expected a command"),
        ("cmd:'", "No closing quotation"),
        ("cmd:no_such_program", "exit status 127"),
        ("cmd:true", "it closed its output|exit status 0"),
        (f"cmd:{' '.join(BOT)} protocol", "protocol: Input should be 1"),
        (f"cmd:{' '.join(BOT)} peek", "reads information='open', and these rules show 'table' only"),
        ("process:greedily", "exit status 1: .*AgentError.*greedily"),
        ("nowhere.toml", "nowhere.toml"),
    ],
)
def test_bots_that_do_not_start_are_refused(spec: str, words: str) -> None:
    with pytest.raises(AgentError, match=words):
        make_agent(spec, 2)


def test_a_file_says_what_a_bot_may_use(tmp_path: Path) -> None:
    shutil.copy(BOT[1], tmp_path)
    text = f'name = "mine"\ncommand = [{sys.executable!r}, "bot.py", "hang"]\n[limits]\nmove_seconds = 0.1\nmemory_mb = 0\n'
    (tmp_path / "mine.toml").write_text(text)
    agent = make_agent(str(tmp_path / "mine.toml"), 2)
    assert agent.name == "mine"
    assert ask(agent) == [FORFEIT]
    assert isinstance(agent, ExternalAgent)
    assert agent.faults == {"timeout": 1}
    for wrong, words in (("move_seconds = 0.1", "move_second"), ("0.1", "'soon'"), ("0.1", "-1")):
        (tmp_path / "mine.toml").write_text(text.replace(wrong, "move_second = 1" if wrong != "0.1" else words))
        with pytest.raises(AgentError, match=r"mine\.toml.*(limits\.move_second|move_seconds=-1)"):
            make_agent(str(tmp_path / "mine.toml"), 2)


def test_a_bot_s_file_gives_it_no_name_that_a_terminal_would_obey(tmp_path: Path) -> None:
    (tmp_path / "red.toml").write_text(f'name = "\\u001b[31mred"\ncommand = [{sys.executable!r}, {BOT[1]!r}, "well"]\n')
    with pytest.raises(AgentError, match=r"red\.toml': its name '\\x1b\[31mred' has characters that cannot be printed"):
        make_agent(str(tmp_path / "red.toml"), 2)


def test_a_folder_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    agent = ExternalAgent([*BOT, "crash", "1"], LAYOUT, PATIENT, folder=tmp_path / "home")
    assert ask(agent)[0] >= 0
    (tmp_path / "home").rmdir()
    assert ask(agent, 4) == [FORFEIT] * 4
    assert agent.faults == {"crash": 3, "given up": 1}
    assert "3 failures in a row, the last: [Errno 2] No such file" in agent.first_faults["given up"]


@pytest.mark.parametrize(("num_starts", "is_lost"), [(1, True), (2, True), (3, False)])
def test_a_bot_that_does_not_start_again_forfeits_and_the_tournament_goes_on(
    tmp_path: Path, num_starts: int, is_lost: bool
) -> None:
    """Its first start is that of the settings; each of the two shards is one more, or three that fail."""
    log = tmp_path / "starts.txt"
    specs = f"cmd:{' '.join(BOT)} seldom {num_starts} {log}", "tests.eval.own_agents:FirstLegal"
    settings = make_settings(specs, (SHORT,), deals=4).model_copy(update={"shard_deals": 2})
    played = [play_shard(settings, Shard(first_deal, 0, 0)) for first_deal in (0, 2)]
    assert played[1].outcomes.is_forfeit[..., 0].all() == is_lost
    assert played[0].outcomes.is_forfeit.any() == (num_starts == 1)
    if is_lost:
        ((_, fault),) = played[1].faults
        assert (fault.fault, fault.number) == ("given up", 4)
        assert fault.first == "3 failures in a row, the last: exit status 1: no licence today"
    assert len(log.read_text().split()) == {1: 7, 2: 5, 3: 3}[num_starts]


def test_an_agent_in_a_process_of_its_own() -> None:
    """Its layout is its own, too: what it reads is larger than the table, and without backs."""
    agent = make_agent(f"process:{__name__}:Wide", 2)
    assert (agent.name, agent.layout) == ("Wide", observation_layout(4, "fronts"))
    outcomes, expected = (play([one, FirstLegal(LAYOUT)], 2).outcomes() for one in (agent, Wide(LAYOUT)))
    np.testing.assert_array_equal(outcomes.wins, expected.wins)
    assert isinstance(agent, ExternalAgent)
    assert not agent.faults


class Wide(FirstLegal):
    """Prints, which must not disturb the protocol; plays by its observation."""

    def __init__(self, layout: object) -> None:
        super().__init__(observation_layout(4, "fronts"))

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        assert observations.shape[1] == self.layout.size
        print("thinking")
        turns = observations[:, self.layout["own_hand"]].sum(axis=1) % 2
        return np.where(turns, legal_mask.argmax(axis=1), NUM_ACTIONS - 1 - legal_mask[:, ::-1].argmax(axis=1))


def test_messages_hold_the_observation_the_legal_actions_and_no_more() -> None:
    engine = Engine("official", 1, 3, num_players=4)
    layout = observation_layout(4)
    observation, legal_mask = engine.observe(layout)[0], engine.legal_mask()[0]
    message = json.loads(decision(5, layout, observation, legal_mask, 0.25))
    assert list(message) == ["id", "legal", "moves", "uniform", "observation"]
    assert (message["id"], message["uniform"]) == (5, 0.25)
    assert message["legal"] == np.flatnonzero(legal_mask).tolist()
    assert [parse_action(text, engine.side(0)) for text in message["moves"]] == message["legal"]
    hello = json.loads(greeting(layout, 5.0))
    flat = np.concatenate([np.ravel(message["observation"][row["name"]]) for row in hello["observation"]])
    np.testing.assert_array_equal(flat, observation)
    assert [row["start"] for row in hello["observation"]] == [row.start for row in layout.fields.values()]
    assert hello["moves"]["light"][message["legal"][0]] == message["moves"][0]
    assert {row["name"]: row["values"] for row in hello["rules"]}["draw"] == ["optional", "stuck"]


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_the_example_in_c(tmp_path: Path) -> None:
    program = tmp_path / "any"
    subprocess.run(["cc", "-Wall", "-Werror", "-o", program, ROOT / "examples/bots/any.c"], check=True)
    agent = make_agent(f"cmd:{program}", 2)
    play([agent, FirstLegal(LAYOUT)])
    assert isinstance(agent, ExternalAgent)
    assert (agent.name, agent.faults) == ("any", {})
    assert len(set(ask(agent, 20))) > 3


def test_the_example_in_python() -> None:
    agent = make_agent(f"cmd:{sys.executable} {ROOT / 'examples/bots/shedder.py'}", 4)
    rules = Rules(skip_role="give", zero_role="none", teams=2, teammate_gift=True, double="identical", cut="anyone")
    DuplicateDeals([agent], [0] * 4, rules, 1, 3).play()
    assert isinstance(agent, ExternalAgent)
    assert (agent.name, agent.faults) == ("shedder", {})


def test_each_shard_of_a_tournament_begins_with_a_fresh_bot(tmp_path: Path) -> None:
    """One that has used up all its time in a shard has it again in the next, so that resuming changes nothing."""
    text = f"command = [{sys.executable!r}, {BOT[1]!r}, 'late', '5']\n[limits]\ntotal_seconds = 4\nmove_seconds = 60\n"
    (tmp_path / "late.toml").write_text(text)
    specs = str(tmp_path / "late.toml"), "tests.eval.own_agents:FirstLegal"
    settings = make_settings(specs, (SHORT,), deals=16).model_copy(update={"shard_deals": 8})
    for first_deal in (0, 8):
        played = play_shard(settings, Shard(first_deal, 0, 0))
        number = played.outcomes.is_forfeit[..., 0].sum()
        assert number > 0
        assert played.outcomes.decisions[..., 0].sum() > 5, "what it answered before"
        assert played.faults == ((0, FaultCount("out of time", number, "more than 4 s in all")),)


def test_commands_in_which_nobody_can_give_up_say_what_went_wrong(tmp_path: Path) -> None:
    agent = bot("crash", after=2)
    others: list[Agent] = [agent, FirstLegal(LAYOUT)]
    words = r"agent crash: gave the game up \(exit status 1: RuntimeError: a bug in the bot\)"
    with pytest.raises(AgentError, match=words):
        list(record_games(others, SHORT, 2, 0, num_players=2))
    with pytest.raises(AgentError, match=words):
        measure(SHORT, agent, 2, num_rounds=2, num_matches=2, seed=0)


def test_the_command_goes_on_without_the_bot() -> None:
    spec = f"cmd:{' '.join(BOT)} crash 5"
    command = [sys.executable, "-m", "eval", "match", spec, "tests.eval.own_agents:FirstLegal", "--deals", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "crash: forfeited" in done.stderr
    assert "a bug in the bot" in done.stderr


@pytest.mark.parametrize(
    ("limit", "value", "expected"),
    [
        ("memory_mb", -1, "0 or more"),
        ("move_seconds", 0, "more than 0"),
        ("total_seconds", float("inf"), "more than 0, and finite"),
    ],
)
def test_limits_say_what_they_take(limit: str, value: Any, expected: str) -> None:
    with pytest.raises(ValueError, match=f"{limit}={value}: expected a number {expected}"):
        Limits(**{limit: value})
