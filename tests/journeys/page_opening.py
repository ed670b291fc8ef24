"""Opens a simulator's page in a browser and fails the test on anything the browser complains about."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Page

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

PREFIXES = """async (text) => {
  const { markdown } = await import("/_sim/static/markdown.js");
  const { patch } = await import("/_sim/static/dom.js");
  const box = document.createElement("div");
  const cache = new Map();
  const view = { open: true, caret: false, cache, pageOf: () => 0, turn: () => {}, nameOf: () => "Lin Wei" };
  const jumps = [];
  let [tags, words] = ["", ""];
  for (let length = 1; length <= text.length; length += 1) {
    patch(box, markdown(text.slice(0, length), view));
    const nowTags = [...box.children].map((one) => one.tagName).join(" ");
    const nowWords = box.textContent;
    const grew = nowTags.startsWith(tags) && nowWords.startsWith(words.trimEnd());
    if (!grew) jumps.push(text.slice(Math.max(0, length - 30), length));
    [tags, words] = [nowTags, nowWords];
  }
  return jumps;
}"""

CLIPPED = """(within) => [...document.querySelectorAll(`${within} *`)].filter((one) => {
  const style = getComputedStyle(one);
  const isBox = style.display !== "inline" && one.clientWidth > 0;
  const scrolls = ".table-scroll, pre, .code, .chat-list, input, textarea, select";
  const mayHide = one.closest(`${scrolls}, .sign-character, .icon, .main-sub`) !== null;
  const cuts = style.textOverflow === "ellipsis";
  return isBox && !mayHide && !cuts && one.scrollWidth - one.clientWidth > 1;
}).map((one) => `${one.tagName}.${one.className}`)"""


@asynccontextmanager
async def opened(browser: Browser, url: str, **options: Any) -> AsyncIterator[Page]:
    """Open the page at desktop size in English unless `options` say otherwise."""
    options = {"locale": "en-US", "viewport": {"width": 1280, "height": 800}, **options}
    context = await browser.new_context(**options)
    page = await context.new_page()
    page.set_default_timeout(5000)
    complaints: list[str] = []
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(url)
    await page.wait_for_selector(".composer")
    yield page
    await context.close()
    assert complaints == []
