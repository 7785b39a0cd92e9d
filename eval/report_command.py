"""`python -m eval report FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from eval.options import tell
from unoflip_env.files import check_writable


@dataclass(frozen=True, kw_only=True)
class ReportCommand:
    """Write a tournament's report, one HTML file that holds all its figures and loads nothing.

    Ratings, who beats whom, wins by seat, lengths and points of games, forfeits, and how to play it again.

    Example: python -m eval report results.db --out report.html
    """

    file: tyro.conf.Positional[Path]
    """A file that `python -m eval tournament` wrote, or is writing."""
    out: Path
    """The HTML file to write."""
    png: Path | None = None
    """A folder for the figures as PNG files, too."""
    json: bool = False
    """Print one JSON object instead of the text."""

    def run(self) -> int:
        """Write; returns the exit status."""
        from eval.report import write_report  # it imports matplotlib, which takes a second

        for path in (self.out, *([self.png / "ratings.png"] if self.png else [])):
            check_writable(path)
        report, pictures = write_report(self.file, self.out, self.png)
        found = {"tournament": report.settings.id, "games": report.num_games, "file": str(self.out)}
        tell(found | {"png": [str(path) for path in pictures]}, str(self.out), self.json)
        return 0
