from pathlib import Path

import pytest

from agents.baselines import BASELINES
from agents.fingerprint import fingerprint


def test_agents_differ() -> None:
    specs = [*BASELINES, "tests.eval.own_agents:FirstLegal", "tests.eval.own_agents:Cheat", "cmd:true", "cmd:false"]
    assert len({fingerprint(spec) for spec in specs}) == len(specs)


@pytest.mark.parametrize(
    "spec", ["{0}", "{0}/agent", "{0}/agent/agent.json", "cmd:python {0}/agent/agent.json 5", "process:{0}"]
)
def test_what_is_in_its_files_matters(spec: str, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    file = tmp_path / "agent" / "agent.json"
    file.write_text("1")
    before = fingerprint(spec.format(tmp_path))
    assert fingerprint(spec.format(tmp_path)) == before
    file.write_text("2")
    assert fingerprint(spec.format(tmp_path)) != before


def test_an_agents_folder_with_a_folder_agent_in_it_is_itself(tmp_path: Path) -> None:
    """As `load_agent` takes it."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent.json").write_text("1")
    (tmp_path / "agent" / "agent.json").write_text("other")
    before = fingerprint(str(tmp_path))
    (tmp_path / "agent" / "agent.json").write_text("another")
    assert fingerprint(str(tmp_path)) == before
    (tmp_path / "agent.json").write_text("2")
    assert fingerprint(str(tmp_path)) != before


@pytest.mark.parametrize("changed", ["bot.toml", "my_bot.py"])
def test_a_bot_is_told_by_its_file_and_its_program(changed: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = ["python", "my_bot.py", "fast"]\n')
    (tmp_path / "my_bot.py").write_text("print(1)\n")
    before = fingerprint(str(tmp_path / "bot.toml"))
    assert fingerprint(str(tmp_path / "bot.toml")) == before
    with (tmp_path / changed).open("a") as file:
        file.write("# other\n")
    assert fingerprint(str(tmp_path / "bot.toml")) != before


@pytest.mark.parametrize("spec", ["my_bot:Bot", "process:my_bot:Bot"])
def test_a_class_is_told_by_its_module(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_bot.py").write_text("class Bot: pass\n")
    before = fingerprint(spec)
    (tmp_path / "my_bot.py").write_text("class Bot: name = 'other'\n")
    assert fingerprint(spec) != before
