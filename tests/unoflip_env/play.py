"""What the tests of the environment library share: rule sets, and random legal play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import strategies as st

from unoflip_env.deck import DARK, LIGHT, NUM_CARDS, SLOT_FACE, words_slots
from unoflip_env.engine import Engine
from unoflip_env.game import Phase
from unoflip_env.rules import STACK_KINDS, Rules, allowed_values

NAMED = {
    option.name: [value for value in allowed_values(option.name) if not isinstance(value, type)] for option in fields(Rules)
}
"""The values of each option that have names: not those that are numbers or tables."""


ONLY_FLIP = {"pairing": "shuffled", "start_flip": "redraw", "score_side": "in_play", "own_backs": True}
"""The options that have one value only with the classic deck."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rules, int]:
    """A rule set and a number of players it can deal to; hands large enough that piles run out, too."""
    num_players = draw(st.integers(2, 10))
    options: dict[str, Any] = {name: draw(st.sampled_from(named)) for name, named in NAMED.items() if named}
    deck = options["deck"]
    options |= (
        ONLY_FLIP
        if deck == "classic"
        else {"zero_role": "none", "own_backs": options["information"] == "open" or draw(st.booleans())}
    )
    options["hand"] = draw(st.integers(1, (Rules(deck=deck).num_cards - 1) // num_players))
    options["stack"] = tuple(draw(st.sets(st.sampled_from(STACK_KINDS[deck]))))
    options["teams"] = draw(st.sampled_from([0, *(teams for teams in range(2, num_players + 1) if num_players % teams == 0)]))
    options["teammate_gift"] = options["teams"] > 0 and draw(st.booleans())
    options |= {name: draw(st.booleans()) for name in ("accumulate", "rule_vote")}
    limits: dict[str, Any] = {"max_turns": draw(st.sampled_from([0, 3, 40])), "target": draw(st.sampled_from([50, 500]))}
    return Rules(**limits, **options), num_players


def random_actions(engine: Engine, rng: np.random.Generator) -> np.ndarray:
    """One legal action a game, plays of cards three times as likely as the rest; 0 where the episode is over."""
    mask = engine.legal_mask()
    weights = rng.random(mask.shape) * mask
    weights[:, :NUM_CARDS] **= 1 / 3
    return weights.argmax(axis=1)


def play(engine: Engine, rng: np.random.Generator, num_steps: int) -> Iterator[int]:
    """Up to `num_steps` random decisions in every game, until all are over; yields before each."""
    for step in range(num_steps):
        if (engine.phase == Phase.OVER).all():
            return
        yield step
        engine.step(random_actions(engine, rng))


def cards_in_play(record: np.ndarray) -> list[int]:
    """Every card of a record, wherever it lies, rising."""
    cards = [card for seat in range(record["num_seats"]) for card in words_slots(record["hand"][LIGHT, seat])]
    cards += record["draw_pile"][record["draw_start"] : record["draw_end"]].tolist()
    ring = np.roll(record["discard_pile"], -int(record["discard_start"]))
    return sorted(cards + ring[: record["discard_size"]].tolist())


def dark_of(record: np.ndarray, seat: int) -> list[int]:
    """The dark slots on the backs of a hand's light slots, rising."""
    return sorted(int(record["partner"][LIGHT, slot]) for slot in words_slots(record["hand"][LIGHT, seat]))


def sets_agree(record: np.ndarray) -> bool:
    """Whether what is kept on both sides tells of the same cards on each, and the backs are those of the pairing."""
    partner, pile = record["partner"][LIGHT], np.roll(record["discard_pile"], -int(record["discard_start"]))
    sets = [record["seen"], record["lying"]]
    sets += [record[name][:, seat] for name in ("known", "shown") for seat in range(record["num_seats"])]
    return (
        all(sorted(partner[words_slots(light)].tolist()) == words_slots(dark) for light, dark in sets)
        and words_slots(record["lying"][LIGHT]) == sorted(pile[: record["discard_size"]].tolist())
        and all((record["backs"][side] == 1 + SLOT_FACE[record["partner"][side]]).all() for side in (LIGHT, DARK))
    )


def hands_agree(record: np.ndarray) -> bool:
    """Whether both sides and the sizes of all hands tell of the same cards."""
    return all(
        words_slots(record["hand"][DARK, seat]) == dark_of(record, seat)
        and len(dark_of(record, seat)) == record["hand_size"][seat]
        for seat in range(record["num_seats"])
    )
