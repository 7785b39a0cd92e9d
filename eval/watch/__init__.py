"""Recorded games to look at: a page in the browser, or a film (docs/watching.md)."""
