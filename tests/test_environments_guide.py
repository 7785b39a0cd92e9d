"""docs/environments.md is true: every block of Python runs, and tensors share the environment's memory."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

GUIDE = (Path(__file__).parent.parent / "docs" / "environments.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE))
EXAMPLES = [
    (heading, text) for heading, section in SECTIONS.items() for text in re.findall(r"```python\n(.*?)```", section, re.DOTALL)
]


def run(text: str) -> dict[str, Any]:
    """The names that an example leaves behind."""
    names: dict[str, Any] = {}
    exec(text, names)
    return names


def test_every_interface_has_an_example() -> None:
    assert {heading for heading, _ in EXAMPLES} == set(SECTIONS)
    anchors = re.findall(r"\]\(#([\w-]+)\)", GUIDE)
    headings = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in SECTIONS]
    assert set(anchors) <= set(headings)
    assert len(anchors) == 6


@pytest.mark.parametrize(("heading", "text"), EXAMPLES, ids=[f"{i} {heading}" for i, (heading, _) in enumerate(EXAMPLES)])
def test_the_examples_run(heading: str, text: str) -> None:
    if heading == "TorchRL":
        pytest.importorskip("torchrl")
    names = run(text)
    assert "env" in names or "engine" in names
    if "returns" in names:
        returns = names["returns"]
        paid = np.array([*returns.values()] if isinstance(returns, dict) else returns)
        assert np.abs(paid).max() > 0
        assert paid.sum() == pytest.approx(0, abs=1e-3)


def test_tensors_share_the_memory_of_the_environment() -> None:
    text = next(text for heading, text in EXAMPLES if heading == "Torch")
    names = run(text)
    env, seen, legal, observations = (names[name] for name in ("env", "seen", "legal", "observations"))
    assert seen.data_ptr() == observations.ctypes.data
    assert legal.data_ptr() == names["infos"]["action_mask"].ctypes.data
    before = seen.clone()
    after, _, _, _, infos = env.step(legal.numpy().argmax(axis=1))
    assert (seen != before).any()
    assert torch.equal(seen, torch.from_numpy(after.copy()))
    assert torch.equal(legal, torch.from_numpy(infos["action_mask"] != 0))
    assert after.ctypes.data == seen.data_ptr()


def test_torchrl_plays_legal_actions_alone() -> None:
    pytest.importorskip("torchrl")
    single, several = (run(text)["steps"] for heading, text in EXAMPLES if heading == "TorchRL")
    assert single["action_mask"].gather(1, single["action"][:, None]).all()
    deciding = several["player_0"][several["player_0", "mask"]]
    assert 0 < len(deciding) < len(several)
    assert deciding["action_mask"].gather(1, deciding["action"][:, None]).all()
