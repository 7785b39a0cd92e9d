"""`python -m unoflip_env rules`, as a user types it."""

import subprocess
import sys
from pathlib import Path

import pytest

from unoflip_env.rules import OPTION_DOCS, PRESETS

ROOT = Path(__file__).parents[2]
FAMILY = "configs/rules/family.toml"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unoflip_env", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def rows(output: str) -> dict[str, list[str]]:
    """The table's rows by their first cell, without the mark; of a cell that goes on below only the first line."""
    lines = [line.removeprefix(" *").split() for line in output.splitlines()]
    return {words[0]: words[1:] for words in lines if words and not words[0].startswith("─")}


def test_without_a_name_the_presets_are_listed():
    done = run("rules")
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert {name: found[name][0] for name in PRESETS} == {name: rules.id for name, rules in PRESETS.items()}


def test_a_preset_is_shown_option_by_option():
    done = run("rules", "berserker")
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert OPTION_DOCS.keys() <= found.keys()
    assert found["hand"][:3] == ["10", "7", "DEAL-2:"]
    assert found["target"][:2] == ["500", "SCORE-5:"]
    assert found["stack"][:2] == ["draw_one", "none"]
    marked = {line.split()[1] for line in done.stdout.splitlines() if line.startswith(" * ")}
    assert marked == PRESETS["berserker"].changes().keys()
    assert done.stdout.splitlines()[-1] == "Rules berserker (id daf81c92): 6 options differ from official (id 44136fa3)"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["casual", "--diff"], ["start_flip", "draw", "uno_window", "score_side", "scoring"]),
        ([FAMILY, "--diff", "casual"], ["max_turns", "timeout_winner", "teams", "teammate_gift"]),
        (["casual", "--diff", FAMILY], ["max_turns", "timeout_winner", "teams", "teammate_gift"]),
        (["official", "--diff", "configs/rules/official.toml"], []),
    ],
)
def test_the_difference_of_two_rule_sets(arguments: list[str], options: list[str]):
    done = run("rules", *arguments)
    assert done.returncode == 0, done.stderr
    assert [name for name in OPTION_DOCS if name in rows(done.stdout)] == options
    assert f" {len(options)} options differ from " in done.stdout


def test_one_option_is_one_option():
    assert ": 1 option differs from official" in run("rules", "official_low").stdout


def test_help_has_an_example_that_works():
    done = run("rules", "--help")
    assert done.returncode == 0
    example = next(line for line in done.stdout.splitlines() if line.strip().startswith("python -m unoflip_env rules"))
    assert run(*example.split()[3:]).returncode == 0
    assert "python -m unoflip_env rules " in run("--help").stdout


@pytest.mark.parametrize("name", ["offical", "nowhere.toml"])
def test_an_unknown_name_is_refused_in_one_line(name: str):
    for arguments in ([name], ["official", "--diff", name]):
        done = run("rules", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert name in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_difference_is_between_two():
    done = run("rules", "--diff", "casual")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: --diff casual: expected a rule set before it, such as: rules casual --diff official\n"


def test_nothing_is_compiled_for_it():
    program = "import sys; from unoflip_env.__main__ import main; main(['rules', 'casual']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    modules = done.stdout.splitlines()[-1].split()
    assert "unoflip_env.rules_command" in modules
    assert not [name for name in modules if name.startswith("unoflip_env.kernels")]
