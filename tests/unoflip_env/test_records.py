"""Records hold all that happened, and only a record of what happened passes the check."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rulebook.position import position
from tests.unoflip_env.play import random_actions, tables
from unoflip_env import records
from unoflip_env.actions import CHALLENGE, DRAW_CARD, KEEP
from unoflip_env.deck import DARK, FACE_START, LIGHT, NUM_CARDS, SLOT_FACE, words_slots
from unoflip_env.engine import Engine, IllegalActionError
from unoflip_env.game import Phase
from unoflip_env.notation import action_text, discards, position_text
from unoflip_env.records import GameRecord, Recorder, RecordError, check, shuffled
from unoflip_env.rules import PRESETS, Rules

MATCH = PRESETS["icebreaker"].replace(target=300)


def play(recorder: Recorder, num_decisions: int = 100_000) -> GameRecord:
    """Random decisions to the end, or so many."""
    rng = np.random.default_rng(recorder.seed)
    for _ in range(num_decisions):
        if recorder.is_done:
            break
        recorder.step(int(random_actions(recorder.engine, rng)[0]))
    return recorder.record(["a"] * recorder.engine.num_seats)


@pytest.fixture(scope="module")
def match() -> GameRecord:
    """A match of several rounds with votes."""
    record = play(Recorder(MATCH, 3, "match", seed=11))
    assert len(record.rounds) > 2
    return record


def test_a_record_is_a_pure_function_of_rules_seed_and_actions(match: GameRecord) -> None:
    assert play(Recorder(MATCH, 3, "match", seed=11)) == match
    check(match)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("episode", ["round", "match"])
def test_presets_pass_the_check(preset: str, episode: Any) -> None:
    record = play(Recorder(PRESETS[preset].replace(target=40), 4, episode, seed=1))
    assert record.result.is_finished
    check(record)
    assert json.loads(record.to_json())["rules"]["id"] == PRESETS[preset].replace(target=40).id


def test_the_record_tells_what_an_engine_of_its_own_shows(match: GameRecord) -> None:
    engine = Engine(MATCH, num_players=3, episode="match")
    engine.reset([int(match.seed, 16)])
    for number, played in enumerate(match.rounds):
        game = engine.games[0]
        assert (played.dealer, played.pairing) == (game["dealer"], game["partner"][LIGHT].tolist())
        assert sorted(played.deal) == list(range(112))
        for decision in played.decisions:
            before = engine.snapshot()
            assert (decision.seat, Phase[decision.phase.upper()]) == (int(before["actor"]), int(before["phase"]))
            assert decision.legal == np.flatnonzero(engine.legal_mask()[0]).tolist()
            assert decision.action in decision.legal
            engine.step([decision.action])
            assert decision.position == position_text(engine.snapshot(), MATCH)
            assert (decision.end is not None) == (engine.games["num_rounds"][0] > before["num_rounds"])
        end = next(decision.end for decision in played.decisions if decision.end)
        assert end.position.split()[6] == "-:over"
        assert end.scores == [int(score) for score in played.decisions[-1].position.split("scores=")[1].split()[0].split(",")]
        assert engine.games["num_rounds"][0] == number + 1
    assert engine.is_over[0]
    assert match.result.scores == engine.games["scores"][0, :3].tolist()


def test_votes_belong_to_the_round_before_them(match: GameRecord) -> None:
    phases = [[decision.phase for decision in played.decisions] for played in match.rounds]
    assert all("propose" in round_phases for round_phases in phases[:-1])
    assert all(round_phases[0] not in ("propose", "vote") for round_phases in phases)
    assert "rules=" in match.rounds[-1].position


@settings(deadline=None, max_examples=25)
@given(tables(), st.integers(0, 2**64 - 1), st.sampled_from(["round", "match"]))
def test_every_rule_set_can_be_recorded(table: tuple[Rules, int], seed: int, episode: Any) -> None:
    rules, num_players = table
    check(play(Recorder(rules, num_players, episode, seed), 150))


def test_a_game_may_be_broken_off_after_any_decision(match: GameRecord) -> None:
    """What its players left off says so; a record that lost its end does not pass for one."""
    record = play(Recorder(MATCH, 3, "match", seed=11), 20)
    assert (record.result.is_finished, record.result.winners, record.num_decisions) == (False, [], 20)
    check(record)
    with pytest.raises(RecordError, match="round 1: cut off after decision 20, expected seat"):
        check(replace(record, result=match.result))


def test_the_deal_is_the_list_that_the_cards_come_from() -> None:
    """From the end of the list: the hands one card at a time, the card turned up, the draw pile."""
    recorder = Recorder(PRESETS["official"], 3, "round", seed=4)
    played, game = recorder.rounds[0], recorder.engine.snapshot()
    hands: list[int] = played.deal[: -21 - 1 : -1]
    for seat in range(3):
        place = (seat - played.dealer - 1) % 3
        assert words_slots(game["hand"][LIGHT, seat]) == sorted(hands[place::3])
    assert game["discard_pile"][game["discard_start"]] == played.deal[-22]


def test_reshuffles_are_as_the_public_stream_has_them() -> None:
    """Few cards in the piles: they are shuffled again and again, on both sides of the deck."""
    rules = PRESETS["official"].replace(hand=34, max_turns=600)
    recorder, rng = Recorder(rules, 3, "round", seed=1), random.Random(4)
    count, sides = 0, set()
    while not recorder.is_done:
        before = recorder.engine.snapshot()
        cards = [action for action in recorder.legal if action < DRAW_CARD]
        decision = recorder.step(rng.choice(cards if cards and rng.random() < 0.3 else recorder.legal))
        pile = discards(before)[:: 1 if before["side"] == LIGHT else -1]
        for reshuffle in decision.reshuffles:
            count += 1
            was_covered = decision.action < NUM_CARDS
            assert reshuffle == shuffled(pile if was_covered else pile[:-1], 1, count << 16)
            sides.add(int(before["side"]))
    assert count > 10
    assert sides == {LIGHT, DARK}
    check(recorder.record(["a", "b", "c"]))


def test_two_reshuffles_in_one_decision() -> None:
    """A catch takes the last two cards, then a card that cuts in lands, and the next seat draws what it lay on."""
    table = position(
        PRESETS["berserker"],
        ["red 7, red 7", "red draw_one, blue 1, blue 2", "blue 3, blue 4"],
        top="red 5",
        under=["green 5"],
        has_rest=False,
        seed=3,
    )
    recorder = Recorder(PRESETS["berserker"], 3, "round", seed=3)
    recorder.engine.restore(0, table.record.copy())
    side = recorder.engine.side()
    while not recorder.rounds[0].decisions or not recorder.rounds[0].decisions[-1].reshuffles:
        before, legal = recorder.engine.snapshot(), {action_text(number, side): number for number in recorder.legal}
        recorder.step(next(legal[text] for text in ("R7", "R+1", "catch", "decline") if text in legal))
    under, top = discards(before)[:-1], discards(before)[-1]
    first, second = recorder.rounds[0].decisions[-1].reshuffles
    assert first == shuffled(under, 3, 1 << 16)
    assert second == [top]


# --- what is no record of a game


def first_decision(record: GameRecord, **changes: Any) -> GameRecord:
    """The record with its first decision changed."""
    first, *others = record.rounds
    decisions = [replace(first.decisions[0], **changes), *first.decisions[1:]]
    return replace(record, rounds=[replace(first, decisions=decisions), *others])


def first_round(record: GameRecord, **changes: Any) -> GameRecord:
    return replace(record, rounds=[replace(record.rounds[0], **changes), *record.rounds[1:]])


def without_last_decision(record: GameRecord) -> GameRecord:
    *others, last = record.rounds
    return replace(record, rounds=[*others, replace(last, decisions=last.decisions[:-1])])


def swapped(values: list[int]) -> list[int]:
    return [values[1], values[0], *values[2:]]


def with_end(record: GameRecord, **changes: Any) -> GameRecord:
    """The record with the end of its first round changed."""
    decisions = [replace(d, end=replace(d.end, **changes)) if d.end else d for d in record.rounds[0].decisions]
    return first_round(record, decisions=decisions)


ALTERED: dict[str, tuple[Callable[[GameRecord], GameRecord], str]] = {
    "format": (lambda r: replace(r, format=2), "format: got 2, expected 1"),
    "seed": (lambda r: replace(r, seed="17"), "seed: got '17', expected 16 hexadecimal digits"),
    "other seed": (lambda r: replace(r, seed="0" * 16), r"round 1: (dealer|pairing\[0\]) is"),
    "agents": (lambda r: replace(r, agents=["a"]), "agents: got .*, expected a printable name for each of 3 seats"),
    "control characters": (lambda r: replace(r, agents=["a", "b", "\x1b[2J"]), "agents: got"),
    "players": (lambda r: replace(r, players=11, agents=["a"] * 11), "rules: num_players=11: expected 2 to 10"),
    "unknown option": (lambda r: replace(r, rules=replace(r.rules, options={"hands": 7})), "rules: .*'hands' is not an option"),
    "no value": (lambda r: replace(r, rules=replace(r.rules, options={"hand": "x.csv"})), "rules: hand='x.csv'"),
    "rules id": (lambda r: replace(r, rules=replace(r.rules, id="00000000")), "rules: id is '00000000', expected"),
    "rules name": (lambda r: replace(r, rules=replace(r.rules, name="casual")), "rules: name is 'casual', expected None"),
    "dealer": (lambda r: first_round(r, dealer=9), "round 1: dealer is 9, expected"),
    "pairing": (lambda r: first_round(r, pairing=swapped(r.rounds[0].pairing)), r"round 1: pairing\[0\] is"),
    "deal": (lambda r: first_round(r, deal=swapped(r.rounds[0].deal)), r"round 1: deal\[0\] is"),
    "short deal": (lambda r: first_round(r, deal=[1, 2]), r"round 1: deal is \[1, 2\], expected"),
    "first position": (lambda r: first_round(r, position="light"), "round 1: position is 'light', expected 'light "),
    "seat": (lambda r: first_decision(r, seat=3), "round 1, decision 1: seat is 3, expected"),
    "phase": (lambda r: first_decision(r, phase="cut"), "round 1, decision 1: phase is 'cut', expected 'play'"),
    "legal": (lambda r: first_decision(r, legal=[116]), r"round 1, decision 1: legal is \[116\], expected"),
    "illegal action": (lambda r: first_decision(r, action=119), r"decision 1: action 119 \(challenge\) is not legal; legal: "),
    "no action": (lambda r: first_decision(r, action=10**30), r"decision 1: action 1000.* \(out of range\) is not legal"),
    "position": (lambda r: first_decision(r, position=""), "round 1, decision 1: position is '', expected 'light"),
    "reshuffle": (lambda r: first_decision(r, reshuffles=[[1]]), r"decision 1: reshuffles is \[\[1\]\], expected \[\]"),
    "early end": (lambda r: first_decision(r, end=ends(r)[0]), r"decision 1: end is RoundEnd\(.*, expected None"),
    "points": (lambda r: with_end(r, points=[9, 9, 9]), r"round 1, decision \d+, end: points\[\d\] is 9, expected"),
    "winners": (lambda r: with_end(r, winners=[]), r"round 1, decision \d+, end: winners is \[\], expected"),
    "cut": (without_last_decision, r"round \d+: cut off after decision \d+, expected seat \d to decide \(\w+\)"),
    "a round too few": (lambda r: replace(r, rounds=r.rounds[:-1]), r"round \d+: missing"),
    "a round too many": (lambda r: replace(r, rounds=[*r.rounds, r.rounds[0]]), r"round \d+: the game has \d+ rounds only"),
    "a decision too many": (
        lambda r: first_round(r, decisions=[*r.rounds[0].decisions, r.rounds[1].decisions[0]]),
        r"round 1, decision \d+: the round is over before it",
    ),
    "no rounds": (lambda r: replace(r, rounds=[]), "round 1: missing"),
    "result": (lambda r: replace(r, result=replace(r.result, winners=[0, 1, 2])), "result: winners is"),
    "unfinished": (
        lambda r: replace(r, result=replace(r.result, is_finished=False)),
        "result: is_finished is False",
    ),
}


def ends(record: GameRecord) -> list[Any]:
    return [decision.end for played in record.rounds for decision in played.decisions if decision.end]


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_record_is_refused(match: GameRecord, name: str) -> None:
    alter, message = ALTERED[name]
    with pytest.raises(RecordError, match=message):
        check(alter(match))
    check(match)


def test_a_game_that_would_not_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards are played only once all others are drawn, so that nobody goes out."""
    monkeypatch.setattr(records, "TURN_LIMIT", 200)
    recorder = Recorder(PRESETS["official"].replace(uno="auto"), 2, "round", seed=1)
    while not recorder.is_done:
        game = recorder.engine.games[0]
        can_draw = game["draw_end"] > game["draw_start"] or game["discard_size"] > 1
        recorder.step(next((a for a in recorder.legal if can_draw and a in (DRAW_CARD, KEEP)), recorder.legal[0]))
    record = recorder.record(["a", "b"])
    assert (record.result.is_finished, record.result.winners) == (False, [])
    assert "turn=200 " in record.rounds[0].decisions[-1].position
    check(record)


def test_an_illegal_action_changes_nothing() -> None:
    recorder = Recorder(PRESETS["official"], 2, "round", seed=1)
    before = recorder.engine.snapshot()
    with pytest.raises(IllegalActionError):
        recorder.step(CHALLENGE)
    assert recorder.engine.snapshot() == before
    assert not recorder.rounds[0].decisions


def test_a_card_played_wrongly_is_on_record() -> None:
    """TURN-5: it is not among the legal actions, and yet may be played under `penalty`."""
    rules = PRESETS["official"].replace(illegal="penalty", max_turns=10)
    recorder = Recorder(rules, 2, "round", seed=1)
    hand = recorder.engine.snapshot()["hand"][LIGHT, recorder.engine.actor[0]]
    wrong = next(slot for slot in words_slots(hand) if slot not in recorder.legal and slot == FACE_START[SLOT_FACE[slot]])
    assert recorder.step(wrong).action == wrong
    check(play(recorder))
