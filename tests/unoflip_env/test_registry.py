"""Importing the package, and finding the environments by name: as a user types it."""

import doctest
import subprocess
import sys
import warnings

import gymnasium
import pettingzoo
import pytest

import unoflip_env


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_brings_neither_compiler_nor_screen() -> None:
    code = "import sys, unoflip_env; print([name for name in ('numba', 'rich', 'torch') if name in sys.modules])"
    assert run(code) == "[]"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import gymnasium; import unoflip_env; print(gymnasium.make('UnoFlip-v0', num_players=2).spec.id)", "UnoFlip-v0"),
        ("import gymnasium; print(gymnasium.make('unoflip_env:UnoFlip-v0').spec.id)", "UnoFlip-v0"),
        ("import pettingzoo, unoflip_env; print(pettingzoo.make('aec', 'unoflip_v0', num_players=2))", "unoflip_v0"),
        ("import pettingzoo, unoflip_env; print(pettingzoo.make('parallel', 'unoflip_v0').max_num_agents)", "4"),
        ("from unoflip_env import unoflip_v0; print(unoflip_v0.env(rules='official', num_players=4))", "unoflip_v0"),
        ("import unoflip_env; print(unoflip_env.unoflip_v0.raw_env().metadata['name'])", "unoflip_v0"),
        ("from unoflip_env import Engine; print(Engine('official', num_games=3, num_players=4).num_seats)", "4"),
    ],
)
def test_examples_run_in_a_fresh_interpreter(code: str, printed: str) -> None:
    assert run(code) == printed


def test_the_examples_of_the_package_run() -> None:
    assert unoflip_env.__doc__
    results = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(unoflip_env.__doc__, {}, "unoflip_env", None, 0))
    assert results.attempted == 5
    assert not results.failed


def test_everything_it_promises_is_there() -> None:
    assert all(getattr(unoflip_env, name) is not None for name in unoflip_env.__all__)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="engin"):
        unoflip_env.engin  # noqa: B018


def test_registering_again_changes_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unoflip_env.register_gymnasium()
        unoflip_env.register_pettingzoo()
    assert [name for name in gymnasium.registry if "UnoFlip" in name] == ["UnoFlip-v0"]
    for registry in (pettingzoo.aec_registry, pettingzoo.parallel_registry):
        assert [spec.version for spec in registry.values() if spec.name == "unoflip"] == [0]
