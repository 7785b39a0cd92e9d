"""The documentation builds without a warning, as `make docs` builds it, and what its pages say runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-d",
        str(tmp_path / "trees"),
        "docs",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for page, words in {
        "index": "Start here",
        "api/unoflip_env": "unoflip_env.Engine.determinize",
        "api/eval": "eval.match.MatchResult.fair_share",
        "notebooks/1_environment": "What a seat cannot know",
    }.items():
        assert words in (tmp_path / "site" / f"{page}.html").read_text(encoding="utf-8"), page


def test_every_page_is_linked_from_the_start() -> None:
    linked = re.findall(r"\(([\w/]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8"))
    in_guides = re.findall(r"\(([\w/]+\.md)[)#]", (DOCS / "evaluation.md").read_text(encoding="utf-8"))
    pages = {path.name for path in DOCS.glob("*.md")} - {"index.md", "performance.md"}
    assert pages <= {*linked, *in_guides}


def test_the_example_of_the_guide_to_measuring_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "evaluation.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(example, {})
    assert re.fullmatch(r"sharp: \d+\.\d% \[\d+\.\d%, \d+\.\d%\] of 400 games\n", capsys.readouterr().out)
