"""A Chromium for tests, or a loud reason why there is none."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str:
    """Find Chromium by `NIUMA_TEST_CHROMIUM`, else in its usual place; skip the test where there is none."""
    path = os.environ.get("NIUMA_TEST_CHROMIUM", "/usr/bin/chromium")
    if not Path(path).is_file():
        pytest.skip(f"no Chromium at {path!r}: install one or set NIUMA_TEST_CHROMIUM")
    return path


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run a headless Chromium for one test; it is closed on the way out."""
    path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            await browser.close()
