"""Pages in a real browser: the fixtures `browser` and `page`. Without a Chromium the tests that ask for them are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Page, sync_playwright

_COMMANDS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP, PHONE = 1280, 390
"""Widths of pages, in CSS pixels."""


# For one module only: while Playwright is there, its event loop counts as running, and asyncio refuses to run another.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright's own Chromium or the system's, without a window."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=_find(playwright.chromium), args=["--no-sandbox"])
        yield chromium
        chromium.close()


def _find(chromium: BrowserType) -> str:
    if Path(chromium.executable_path).exists():
        return chromium.executable_path
    for command in _COMMANDS:
        if path := shutil.which(command):
            return path
    pytest.skip(f"no browser: expected one of {', '.join(_COMMANDS)}, or `python -m playwright install chromium`")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page as wide as a desktop's. At the end the test fails if any script on it did."""
    page = browser.new_page(viewport={"width": DESKTOP, "height": 800})
    page.set_default_timeout(5000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    page.context.close()
    assert not errors


def overflows(page: Page) -> bool:
    """Whether the page is wider than its window, so that it would have to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))
