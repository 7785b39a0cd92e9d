from pathlib import Path

import numpy as np
import pytest

from agents.baselines import BASELINES
from agents.protocol import Agent, AgentError, MisfitError
from agents.registry import make_agent
from unoflip_env.observation import ObservationLayout, observation_layout


class FirstLegal:
    """An agent of one's own: always the first legal action."""

    name = "first-legal"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = layout

    def act(self, observations: np.ndarray, legal_mask: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        return legal_mask.argmax(axis=1)


class SmallTables(FirstLegal):
    reads = "table"

    def __init__(self, layout: ObservationLayout) -> None:
        self.layout = observation_layout(2, self.reads)


class NoAgent:
    def __init__(self, layout: ObservationLayout) -> None:
        pass


class Demanding(FirstLegal):
    def __init__(self, layout: ObservationLayout, depth: int) -> None:
        super().__init__(layout)


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_by_name(name: str) -> None:
    agent = make_agent(name, 4, "fronts")
    assert isinstance(agent, Agent)
    assert agent.name == name
    assert agent.layout == observation_layout(4, "fronts")


def test_class_of_ones_own() -> None:
    agent = make_agent(f"{__name__}:FirstLegal", 3)
    assert agent.name == "first-legal"
    assert agent.layout == observation_layout(3)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("greedly", ["'greedly'", "random, random_play, greedy, sharp", "module:Class"]),
        ("no_such_module:Agent", ["'no_such_module:Agent'", "No module named"]),
        (f"{__name__}:Missing", ["Missing"]),
        (":Agent", ["':Agent'"]),
        ("os:path", ["'os:path'", "is no class"]),
        (f"{__name__}:NoAgent", ["NoAgent", "`act`"]),
        (f"{__name__}:Demanding", ["Demanding", "missing a required argument: 'depth'", "ObservationLayout alone"]),
        (f"{__name__}:SmallTables", ["SmallTables", "up to 2 seats, expected 4"]),
    ],
)
def test_errors_name_the_spec(spec: str, words: list[str]) -> None:
    with pytest.raises(AgentError) as error:
        make_agent(spec, 4)
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize("shown", ["fronts", "table", "open"])
@pytest.mark.parametrize("read", ["fronts", "table", "open"])
def test_an_agent_that_reads_more_than_the_rules_show(monkeypatch: pytest.MonkeyPatch, read: str, shown: str) -> None:
    monkeypatch.setattr(SmallTables, "reads", read)
    order = ("fronts", "table", "open")
    if order.index(read) <= order.index(shown):
        assert make_agent(f"{__name__}:SmallTables", 2, shown).layout.information == read
        return
    with pytest.raises(MisfitError, match=f"reads information='{read}', and these rules show '{shown}' only"):
        make_agent(f"{__name__}:SmallTables", 2, shown)


def test_a_path_is_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"agent\.json"):
        make_agent(str(tmp_path), 2)
