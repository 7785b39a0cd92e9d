"""Imports go one way: unoflip_env <- agents <- eval <- train; nothing imports the tests."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = ("unoflip_env", "agents", "eval", "train")
FORBIDDEN = {layer: {*LAYERS[i + 1 :], "benchmarks", "tests"} for i, layer in enumerate(LAYERS)}
FORBIDDEN["benchmarks"] = {"tests"}


def wrong_imports(folder: str, source: str) -> set[str]:
    """The top-level packages that `source`, a module in `folder`, imports and may not."""
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.add(node.module.split(".")[0])
    return imported & FORBIDDEN[folder]


@pytest.mark.parametrize("folder", LAYERS)
def test_imports_go_one_way(folder: str) -> None:
    modules = sorted((ROOT / folder).rglob("*.py"))
    assert modules, f"no module in {folder}/"
    wrong = {str(path.relative_to(ROOT)): wrong_imports(folder, path.read_text(encoding="utf-8")) for path in modules}
    assert not {path: names for path, names in wrong.items() if names}


def test_benchmarks_do_not_import_the_tests() -> None:
    for path in (ROOT / "benchmarks").rglob("*.py"):
        assert not wrong_imports("benchmarks", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize(
    ("folder", "source", "wrong"),
    [
        ("unoflip_env", "import numpy, agents.random", {"agents"}),
        ("agents", "def late():\n    from eval.match import play", {"eval"}),
        ("eval", "if True:\n    import train as t", {"train"}),
        ("train", "from tests import verify", {"tests"}),
        ("benchmarks", "import tests.reference", {"tests"}),
        ("train", "import unoflip_env, agents, eval\nfrom train import ppo", set()),
        ("eval", "from . import train", set()),
    ],
)
def test_finds_a_wrong_import(folder: str, source: str, wrong: set[str]) -> None:
    assert wrong_imports(folder, source) == wrong
