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

CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => rgb.slice(0, 3)
    .map((one) => (one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.backgroundImage !== "none") return null;
      const colour = parse(style.backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const weak = (node) => {
    const style = getComputedStyle(node);
    const hasWords = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    const isSeen = node.offsetHeight > 0 && style.opacity !== "0" && style.visibility === "visible";
    const below = hasWords && isSeen && ground(node);
    const above = parse(style.color);
    if (!below || above[3] === 0 || node.closest(".sign-character, :disabled, [aria-hidden]")) return false;
    const [dark, bright] = [light(above), light(below)].sort((a, b) => a - b);
    const size = parseFloat(style.fontSize);
    return (bright + 0.05) / (dark + 0.05) < (size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5);
  };
  return [...document.body.querySelectorAll("*")].filter(weak).map((one) => `${one.tagName}.${one.className}`);
}"""
"""Texts that are harder to read than WCAG 2.2 AA allows (1.4.3); pictures and gradients as ground are left out."""


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
