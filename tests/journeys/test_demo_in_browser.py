"""`niuma demo` as a person uses it: open the page, ask, watch, press.

`NIUMA_TEST_WRITE_PICTURE=1` renews the picture in the README.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from gateway.texts import text
from tests.browser import chromium, chromium_path

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
PICTURE = Path(__file__).parent / "demo.png"
PICTURE_WIDTH = 960
WAIT_MS = 60_000
JUDGED = text("en", "verdict.satisfied", name="Lin Wei")


@dataclass(frozen=True)
class Addresses:
    """What the demo prints: the page with all chats, and each chat alone, by platform."""

    all: str
    alone: Mapping[str, str]

    @property
    def feishu(self) -> str:
        return self.alone["Feishu"]


@asynccontextmanager
async def demo(home: Path) -> AsyncIterator[Addresses]:
    """Run the demo in its own process and give the addresses it prints."""
    chromium_path()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway.cli", "demo", "--home", str(home), "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        lines = [(await asyncio.wait_for(process.stdout.readline(), 60)).decode() for _ in range(2)]
        found = re.search(r"http://[\d.:]+", lines[0])
        assert found, lines
        yield Addresses(found.group(), dict(re.findall(r"(\w+) (http://[\d.:]+)", lines[1])))
        process.terminate()
        assert await asyncio.wait_for(process.wait(), 40) == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@asynccontextmanager
async def opened(url: str, *, dark: bool = False) -> AsyncIterator[Page]:
    """Open the page and fail on any complaint of the browser."""
    complaints: list[str] = []
    async with chromium() as browser:
        page = await browser.new_page(
            viewport={"width": 1180, "height": 900}, color_scheme="dark" if dark else "light", locale="en-US"
        )
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(url)
        await page.wait_for_selector(".composer")
        yield page
    assert not complaints, complaints


async def ask(page: Page, words: str) -> Locator:
    """Write a message and give the card that answers it."""
    before = await page.locator(".card").count()
    await page.get_by_role("combobox").fill(words)
    await page.keyboard.press("Enter")
    await expect(page.locator(".card")).to_have_count(before + 1, timeout=WAIT_MS)
    return page.locator(".card").last


def button(card: Locator, name: str) -> Locator:
    return card.get_by_role("button", name=name, exact=True)


async def take_picture(page: Page) -> None:
    """Show all that was said, in a width that a README shows unscaled."""
    before = page.viewport_size
    assert before is not None
    await page.set_viewport_size({"width": PICTURE_WIDTH, "height": before["height"]})
    hidden = await page.locator(".log").evaluate("(log) => log.scrollHeight - log.clientHeight")
    await page.set_viewport_size({"width": PICTURE_WIDTH, "height": before["height"] + hidden})
    await page.get_by_role("combobox").blur()
    await page.screenshot(path=PICTURE, animations="disabled")
    await page.set_viewport_size(before)


async def test_ask_watch_and_judge(tmp_path: Path) -> None:
    async with demo(tmp_path) as at, opened(at.feishu) as page:
        card = await ask(page, "@niuma scan the project and read src/orders.py")
        await expect(button(card, "Stop")).to_be_visible(timeout=WAIT_MS)
        await expect(card.get_by_text("project_scan")).to_be_visible(timeout=WAIT_MS)
        await expect(button(card, "Satisfied")).to_be_visible(timeout=WAIT_MS)
        await expect(card.locator("table").first).to_be_visible()
        await expect(card.locator(".caret")).to_have_count(0)
        if os.environ.get("NIUMA_TEST_WRITE_PICTURE"):
            await take_picture(page)
        await button(card, "Satisfied").click()
        await expect(page.locator(".toast-success")).to_be_visible(timeout=WAIT_MS)
        await expect(card.get_by_text(JUDGED, exact=True)).to_be_visible(timeout=WAIT_MS)
        await expect(button(card, "Satisfied")).to_have_count(0, timeout=WAIT_MS)
        await page.reload()
        await expect(page.locator(".card").last.get_by_text(JUDGED, exact=True)).to_be_visible()


async def test_stop_and_retry(tmp_path: Path) -> None:
    async with demo(tmp_path) as at, opened(at.feishu, dark=True) as page:
        card = await ask(page, "@niuma something long")
        await expect(card.locator(".caret")).to_be_visible(timeout=WAIT_MS)
        await button(card, "Stop").click()
        await expect(button(card, "Retry")).to_be_visible(timeout=WAIT_MS)
        await expect(card.get_by_text("Stopped")).to_be_visible()
        await button(card, "Retry").click()
        await expect(page.locator(".card")).to_have_count(2, timeout=WAIT_MS)
        await expect(button(page.locator(".card").first, "Retry")).to_have_count(0, timeout=WAIT_MS)
        await button(page.locator(".card").last, "Stop").click()
        await expect(button(page.locator(".card").last, "Retry")).to_be_visible(timeout=WAIT_MS)


async def test_a_dangerous_step_asks_in_a_direct_chat(tmp_path: Path) -> None:
    async with demo(tmp_path) as at, opened(at.feishu) as page:
        await page.locator(".chat-row").filter(has_text="niuma").last.click()
        card = await ask(page, 'send a note "see you at ten"')
        await expect(button(card, "Approve once")).to_be_visible(timeout=WAIT_MS)
        await button(card, "Approve once").click()
        await expect(button(card, "Satisfied")).to_be_visible(timeout=WAIT_MS)
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("outbox.txt")]
    assert len(written) == 1
    assert "see you at ten" in written[0]
