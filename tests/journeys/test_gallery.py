"""The hard cards through the real adapter onto the page: nothing clipped, nothing missing, nothing refused.

`NIUMA_TEST_PICTURES=<folder>` keeps a picture of each, in light and dark, on a desk and on a phone.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from channels.base import CardOpening
from channels.cards.model import Card
from channels.testing.journal import MemoryJournal
from tests.browser import chromium
from tests.contract.feishu_adapter import Bench, bench
from tests.journeys import gallery

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240), pytest.mark.asyncio(loop_scope="module")]

CLIPPED = """(root) => [...root.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  const hides = ["hidden", "clip"].includes(style.overflowX);
  if (one.classList.contains("sign-character")) return false;
  return hides && style.textOverflow !== "ellipsis" && one.clientWidth && one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.className + ": " + one.textContent.slice(0, 60))"""
"""Elements that hide a part of what is in them, other than by an ellipsis."""
UNFOLD = """document.querySelectorAll('.panel-head[aria-expanded="false"]').forEach((one) => one.click())"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as found:
        yield found


async def put_up(b: Bench, card: Card) -> list[dict[str, Any]]:
    """Show a card in a chat of its own; gives its messages."""
    chat = b.sim.add_chat("Gallery", ["ou_lin"])
    b.sim.send(chat, "ou_lin", "@niuma show it")
    while not b.inbox.items:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    where = b.inbox.items[-1].conversation
    await b.adapter.send_final(CardOpening(where, gallery.RUN, 1, None, card), MemoryJournal())
    return [each for each in b.answers() if each["chat_id"] == chat]


async def shown(page: Page, url: str) -> str:
    """Open the chat, unfold everything, and give all words on the page."""
    await page.goto(url)
    await page.wait_for_selector(".chat-current:has-text('Gallery')", state="attached")
    await page.wait_for_selector(".card")
    await page.evaluate(UNFOLD)
    await expect(page.locator('.panel-head[aria-expanded="false"]')).to_have_count(0)
    return await page.locator(".main").inner_text()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")], ids=["desk", "phone"])
@pytest.mark.parametrize("name", gallery.GALLERY)
async def test_a_hard_card_is_whole(browser: Browser, name: str, width: int, scheme: Any) -> None:
    card = gallery.GALLERY[name]()
    async with bench() as b:
        await put_up(b, card)
        refused = [entry for entry in b.sim.timeline.since() if entry.kind == "rest" and entry.code not in (0, None)]
        assert not refused, refused
        context = await browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-US"
        )
        page = await context.new_page()
        words = await shown(page, b.sim.url)
        parts = await page.locator('[data-element^="answer"], .markdown').all_inner_texts()
        for each in await page.locator(".card").all():
            assert await each.evaluate(CLIPPED) == []
            assert await each.evaluate("(card) => card.scrollWidth - card.clientWidth") == 0
        await keep_picture(page, f"{name}-{width}-{scheme}")
        await context.close()
    check_words(name, words, "".join(parts))


def check_words(name: str, words: str, answer: str) -> None:
    flat = re.sub(r"\s+", "", words)
    for wanted in WANTED[name]:
        assert re.sub(r"\s+", "", wanted) in flat, wanted
    if name == "chinese":
        assert gallery.chinese_text(0) in answer.replace("\n", "")
    assert "\ufffd" not in words


WANTED: dict[str, list[str]] = {
    "lanes": [f"{lane} item {n:02d}" for lane in ("Research", "Build", "Check") for n in range(20)],
    "thinking": ["Because of one thing.", "Step 599 follows"],
    "tools": [f"Tool number {n}" for n in range(10)],
    "long": [f"Paragraph {n:03d}." for n in range(170)],
    "tables": [*(f"a{n}" for n in range(7)), "cell 11"],
    "chinese": [],
    "work": ["Plan: 1 of 3 done", "lines 10-29", "return 2", "$ pytest", "data.csv", "Write the code"],
    "asked": [f"line {n:03d} of what is written" for n in range(120)],
    "hostile": ["<!channel> <at id=all></at>", "(evil.example)", "(javascript:alert(1))", "<button>Approve</button>"],
    "odd": ["List<String> when a < b && c > d", "<config>", "snake_case_name", "print('<b>')", "1 | 2", "**no bold**"],
}


async def keep_picture(page: Page, name: str) -> None:
    folder = os.environ.get("NIUMA_TEST_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
