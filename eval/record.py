"""Games played by agents and kept as files: one line of JSON a game (docs/records.md), written, read and played again."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from agents.external.agent import check_answered
from agents.protocol import Agent, AgentError, ask
from eval.match import MatchError, line_up_of
from unoflip_env.deck import SIDE_NAMES
from unoflip_env.engine import Episode, IllegalActionError
from unoflip_env.files import beside, check_writable
from unoflip_env.notation import action_text
from unoflip_env.records import Decision, GameRecord, Recorder, RecordError, Round, RoundEnd, check
from unoflip_env.rules import Rules
from unoflip_env.streams import closed_keys, random_uniforms, random_words

WIDTH = 100
_ENDINGS = {"empty_hand": "a hand is empty", "blocked": "nobody could move", "timeout": "the turns ran out"}


def record_games(
    agents: Sequence[Agent],
    rules: Rules,
    num_games: int,
    seed: int,
    *,
    num_players: int,
    episode: Episode = "round",
) -> Iterator[GameRecord]:
    """The first games of `Match(agents, rules, ..., seed)`, one after the other: every deal in each rotation of the line-up.

    Raises MatchError for numbers that do not fit, RulesError for rules that cannot deal to so many, and AgentError, in the
    course of the games, where an agent chooses an action that is not legal.
    """
    line_up = line_up_of(len(agents), num_players)
    if num_games < 1:
        raise MatchError(f"games={num_games}: expected at least 1")
    rules.check_seats(num_players)
    return _record_games([agents[i] for i in line_up], rules, num_games, seed, episode)


def _record_games(line_up: Sequence[Agent], rules: Rules, num_games: int, seed: int, episode: Episode) -> Iterator[GameRecord]:
    num_players = len(line_up)
    for game in range(num_games):
        deal, rotation = divmod(game, num_players)
        deal_seed = random_words(_words(seed), _words(deal))
        agent_key = closed_keys(deal_seed, _words(rotation))
        agents = [line_up[(seat - rotation) % num_players] for seat in range(num_players)]
        recorder = Recorder(rules, num_players, episode, int(deal_seed[0]))
        play_game(recorder, agents, agent_key)
        yield recorder.record([agent.name for agent in agents], game + 1, num_games)


def play_game(recorder: Recorder, agents: Sequence[Agent], agent_key: np.ndarray) -> None:
    """Play a game to its end. `agents` are by seat; `agent_key`, shape (1,) uint64, is the stream of their random numbers."""
    engine, number = recorder.engine, 0
    while not recorder.is_done:
        agent = agents[int(engine.actor[0])]
        uniforms = random_uniforms(agent_key, _words(number))
        actions = ask(agent, engine.observe(agent.layout), engine.legal_mask(), uniforms)
        check_answered(agent, actions)
        try:
            recorder.step(int(actions[0]))
        except IllegalActionError as error:
            raise AgentError(f"agent {agent.name}: {error}") from error
        number += 1


def _words(number: int) -> np.ndarray:
    """A number as 64-bit words, shape (1,) uint64."""
    return np.array([number % 2**64], np.uint64)


def write_records(path: Path, records: Iterable[GameRecord], on_game: Callable[[int], None] = lambda num_games: None) -> None:
    """Write records, a line each, beside the file and then in its place. Raises RecordError where that cannot be done.

    If anything goes wrong, Ctrl-C included, a file that was there is still there as it was.
    """
    try:
        check_writable(path)
        with beside(path) as new, new.open("w", encoding="utf-8", newline="\n") as file:
            for record in records:
                file.write(record.to_json() + "\n")
                on_game(1)
    except OSError as error:
        raise RecordError(f"{path}: cannot be written: {error.strerror}") from error


def read_records(path: Path) -> Iterator[GameRecord]:
    """The games of a file, each played again and found to be as the engine plays it.

    Raises RecordError, naming the file, the line, the round, the decision and what is wrong, for a file that cannot be read,
    is cut or altered, or is no record at all. Files that were put one after the other are read as one.
    """
    last: GameRecord | None = None
    for line, content in _lines(path):
        try:
            record = _parse(content)
            _check_place(record, last)
            check(record)
        except RecordError as error:
            raise RecordError(f"{path}, line {line}: {error}") from error
        yield record
        last = record
    if last is None:
        raise RecordError(f"{path}: no games, expected a line of JSON for each")
    if last.game != last.games:
        raise RecordError(f"{path}: ends after game {last.game} of {last.games}")


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from enumerate(file, start=1)
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from error


def count_lines(path: Path) -> int:
    """The lines of a file. Raises RecordError if it cannot be read."""
    return sum(1 for _ in _lines(path))


@cache
def _adapter() -> TypeAdapter[GameRecord]:
    return TypeAdapter(GameRecord)


def _parse(content: bytes) -> GameRecord:
    try:
        return _adapter().validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise RecordError(f"{place}: {first['msg']}" if place else first["msg"]) from error


def _check_place(record: GameRecord, last: GameRecord | None) -> None:
    """The games of a file are all there, in their order."""
    is_next = last is not None and last.game != last.games
    expected = (last.game + 1, last.games) if last and is_next else (1, record.games)
    if (record.game, record.games) != expected or record.games < 1:
        raise RecordError(f"game {record.game} of {record.games}, expected game {expected[0]} of {max(expected[1], 1)}")


def describe(record: GameRecord) -> str:
    """A game as people read it: who played, the moves of each round, how it ended."""
    rules = f"{record.rules.name or 'own rules'} (id {record.rules.id})"
    lines = [f"Game {record.game} of {record.games}: {rules}, a {record.episode}, seed {record.seed}"]
    if record.rules.name is None:
        changes = ", ".join(f"{name}={value}" for name, value in record.rules.options.items() if name != "pairing")
        lines.append(f"Official rules with {changes}")
    lines.append("Seats: " + ", ".join(f"{seat} {name}" for seat, name in enumerate(record.agents)))
    for number, played in enumerate(record.rounds, start=1):
        lines += _describe_round(number, played)
    lines.append(_describe_result(record))
    return "\n".join(lines)


def _describe_round(number: int, played: Round) -> Iterator[str]:
    side, _, top, *_ = played.position.split()
    yield f"Round {number}: seat {played.dealer} deals, {top} lies on top ({side})"
    yield from _wrap(_moves(played))
    yield from (f"  {describe_end(decision.end)}" for decision in played.decisions if decision.end)


def describe_end(end: RoundEnd) -> str:
    """How a round ended, as people read it."""
    points, scores = (", ".join(map(str, numbers)) for numbers in (end.points, end.scores))
    return f"{_ENDINGS[end.termination]}; {_name_seats(end.winners)}; points in hand {points}; scores {scores}"


def _moves(played: Round) -> Iterator[str]:
    """The moves of a round, those of one seat in a row together: '0:W,→G 1:draw,keep'."""
    befores = [played.position, *(decision.position for decision in played.decisions[:-1])]
    moves = [(decision.seat, _move(decision, before)) for decision, before in zip(played.decisions, befores, strict=True)]
    for seat, run in groupby(moves, key=lambda move: move[0]):
        yield f"{seat}:{','.join(text for _, text in run)}"


def _move(decision: Decision, before: str) -> str:
    """A move in the notation of the side in play; a reshuffle after it is marked with an asterisk."""
    text = action_text(decision.action, SIDE_NAMES.index(before.split()[0])) + "*" * len(decision.reshuffles)
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _wrap(words: Iterable[str]) -> list[str]:
    return textwrap.wrap(
        " ".join(words), WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _name_seats(seats: Sequence[int]) -> str:
    return f"seat{'s' * (len(seats) > 1)} {', '.join(map(str, seats))} won"


def _describe_result(record: GameRecord) -> str:
    result = record.result
    if not result.is_finished:
        return f"Broken off after {record.num_decisions} decisions"
    names = sorted({record.agents[seat] for seat in result.winners})
    return f"Result: {_name_seats(result.winners)} ({', '.join(names)}), {record.num_decisions} decisions"
