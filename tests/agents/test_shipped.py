import numpy as np
import pytest

from agents.fingerprint import fingerprint
from agents.protocol import AgentError, Evaluator
from agents.registry import make_agent
from agents.shipped import SHIPPED, folder_of, shipped_for
from unoflip_env.engine import Engine

MOST_BYTES = 2_000_000


def test_there_is_one_for_two_and_one_for_four() -> None:
    assert shipped_for(2) == ("ppo:official-2p",)
    assert shipped_for(4) == ("ppo:official-4p",)
    assert shipped_for(3) == ()


@pytest.mark.parametrize("spec", SHIPPED)
def test_each_plays_by_its_name_and_has_a_card(spec: str) -> None:
    folder = folder_of(spec)
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES
    assert "## How well it plays" in (folder / "card.md").read_text(encoding="utf-8")
    num_players = int(spec[-2])
    agent = make_agent(spec, num_players)
    assert agent.name == spec
    assert isinstance(agent, Evaluator)
    engine = Engine("official", 8, seed=1, num_players=num_players)
    legal_mask = engine.legal_mask()
    actions = agent.act(engine.observe(agent.layout), legal_mask, np.zeros(8))
    assert legal_mask[np.arange(8), actions].all()


def test_they_are_told_apart_by_their_files() -> None:
    assert fingerprint("ppo:official-2p") != fingerprint("ppo:official-4p")


@pytest.mark.parametrize("spec", ["ppo:official-9p", "ppo:../shipped/official-2p", "ppo:"])
def test_any_other_name_is_refused(spec: str) -> None:
    with pytest.raises(AgentError, match=r"expected one of ppo:official-2p, ppo:official-4p") as error:
        make_agent(spec, 2)
    assert repr(spec) in str(error.value)


def test_it_is_not_for_tables_that_show_less_or_seat_more() -> None:
    with pytest.raises(AgentError, match="'fronts' only"):
        make_agent("ppo:official-2p", 2, "fronts")
    with pytest.raises(AgentError, match="up to 2 seats, expected 4"):
        make_agent("ppo:official-2p", 4)
