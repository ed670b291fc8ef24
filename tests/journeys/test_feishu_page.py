"""The chat as a Feishu user sees it, in a real browser, against canned messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser import chromium
from tests.journeys.canned_cards import MARKDOWN, answer_card, gallery_card
from tests.journeys.canned_feishu import CannedFeishu
from tests.journeys.page_opening import OVERFLOW, PREFIXES, opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

RECORD_TEXTS = """(name) => {
  window.seen = [];
  const look = () => {
    const text = document.querySelector(`[data-element="${name}"]`)?.textContent ?? "";
    if (text !== window.seen.at(-1)) window.seen.push(text);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""

NEW_NODES = """[...document.querySelectorAll(".card *")].filter((one) => !one.kept)
  .map((one) => one.className || one.tagName)"""


@pytest_asyncio.fixture(loop_scope="module")
async def canned() -> AsyncIterator[CannedFeishu]:
    server = CannedFeishu()
    await server.start()
    yield server
    await server.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as found:
        yield found


async def test_an_answer_grows_is_pressed_and_ends(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url) as page:
        await page.get_by_role("combobox").fill("@niuma hello")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message-mine .bubble")).to_have_text("@niuma hello")
        assert canned.sent == [{"chat_id": "oc_team", "as": "ou_lin", "text": "@niuma hello"}]

        first, more = "Counting ", "the files of the project, one **after** another, until all are known."
        card = canned.add_card(answer_card(first, streaming=True))
        answer = page.locator('[data-element="answer"]')
        await expect(answer).to_have_text("Counting")
        await expect(page.locator(".chat-current .chat-last")).to_have_text("niuma: Working on it")
        await page.evaluate(RECORD_TEXTS, "answer")
        canned.change(card, card=answer_card(first + more, streaming=True))
        await expect(answer).to_contain_text("until all are known.")
        seen = await page.evaluate("window.seen")
        assert len(seen) >= 5, "the growth must be typed out, not shown at once"
        assert all(later.startswith(earlier.rstrip()) for earlier, later in pairwise(seen))
        await expect(answer.locator(".caret")).to_have_count(1)

        await press_and_see(page, canned)
        canned.change(card, card=answer_card(first + more + "\n\nDone.", streaming=False))
        await expect(answer.locator("p").nth(1)).to_have_text("Done.")
        await expect(page.locator(".caret")).to_have_count(0)
        await expect(page.locator('.card-live, [aria-busy="true"]')).to_have_count(0)


async def press_and_see(page: Page, canned: CannedFeishu) -> None:
    canned.gate.clear()
    button = page.get_by_role("button", name="Satisfied")
    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    canned.gate.set()
    await expect(page.locator(".toast-success")).to_have_text("Thanks!")
    await expect(button).not_to_have_attribute("aria-busy", "true")
    assert canned.clicks == [{"message_id": "om_2", "as": "ou_lin", "value": {"do": "satisfied"}}]


async def test_text_that_does_not_grow_is_replaced_at_once(browser: Browser, canned: CannedFeishu) -> None:
    card = canned.add_card(answer_card("An old beginning", streaming=True))
    async with opened(browser, canned.url) as page:
        await page.evaluate(RECORD_TEXTS, "answer")
        canned.change(card, card=answer_card("A quite different text that is longer", streaming=True))
        await expect(page.locator('[data-element="answer"]')).to_have_text("A quite different text that is longer")
        assert await page.evaluate("window.seen") == ["A quite different text that is longer"]


async def test_less_motion_means_no_typing(browser: Browser, canned: CannedFeishu) -> None:
    card = canned.add_card(answer_card("One", streaming=True))
    async with opened(browser, canned.url, reduced_motion="reduce") as page:
        await page.evaluate(RECORD_TEXTS, "answer")
        canned.change(card, card=answer_card("One and quite a lot more", streaming=True))
        await expect(page.locator('[data-element="answer"]')).to_have_text("One and quite a lot more")
        assert len(await page.evaluate("window.seen")) == 1


async def test_a_panel_stays_as_the_reader_left_it(browser: Browser, canned: CannedFeishu) -> None:
    card = canned.add_card(answer_card("Text", streaming=True))
    async with opened(browser, canned.url) as page:
        head = page.get_by_role("button", name="Thinking")
        inside = page.locator('[data-element="thoughts"]')
        await expect(head).to_have_attribute("aria-expanded", "false")
        await expect(inside).to_be_hidden()
        await head.click()
        await expect(inside).to_be_visible()
        canned.change(card, card=answer_card("Text and more", streaming=True))
        await expect(page.locator('[data-element="answer"]')).to_have_text("Text and more")
        await expect(inside).to_be_visible()
        await head.press("Enter")
        await expect(inside).to_be_hidden()


async def test_updates_keep_the_very_nodes(browser: Browser, canned: CannedFeishu) -> None:
    card = canned.add_card(answer_card(MARKDOWN, streaming=True))
    async with opened(browser, canned.url) as page:
        await page.evaluate("document.querySelectorAll('.card *').forEach((one) => { one.kept = true; })")
        canned.change(card, card=answer_card(MARKDOWN + "\n\nThe end", streaming=True))
        await expect(page.locator('[data-element="answer"] p').last).to_have_text("The end")
        made = await page.evaluate(NEW_NODES)
        assert set(made) <= {"P", "caret"}


async def test_half_finished_markdown_never_jumps(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url) as page:
        assert await page.evaluate(PREFIXES, MARKDOWN) == []


async def test_model_text_stays_text(browser: Browser, canned: CannedFeishu) -> None:
    bad = "<img src=x onerror=alert(1)> <script>alert(1)</script> [press](javascript:alert(1))"
    bad += " <a href='javascript:alert(2)'>x</a>"
    canned.add_card(answer_card(bad, streaming=False))
    canned.add(text="<b>bold</b> https://example.com/x")
    async with opened(browser, canned.url) as page:
        await expect(page.locator('[data-element="answer"]')).to_contain_text("<script>alert(1)</script>")
        assert await page.locator(".card script, .card img").count() == 0
        assert await page.locator(".card a[href]").count() == 0
        await expect(page.locator(".bubble-text")).to_contain_text("<b>bold</b>")
        await expect(page.locator(".bubble-text a")).to_have_attribute("href", "https://example.com/x")


async def test_mentions_are_offered_and_taken_by_keyboard(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url) as page:
        box = page.get_by_role("combobox")
        await box.press_sequentially("hi @n")
        await expect(page.get_by_role("option")).to_have_count(1)
        await box.press("Enter")
        await expect(box).to_have_value("hi @niuma ")
        await expect(page.get_by_role("listbox")).to_have_count(0)
        await box.press_sequentially("@")
        await expect(page.get_by_role("option")).to_have_text(["niumaBot", "Chen Yu"])
        await box.press("Escape")
        await box.press("Shift+Enter")
        await box.press("Enter")
        await expect(box).to_have_value("")
        assert canned.sent[0]["text"] == "hi @niuma @"


async def test_people_switch_and_see_their_own_chats(browser: Browser, canned: CannedFeishu) -> None:
    canned.add("oc_lin", "ou_lin", "private")
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".chat-row", has_text="private")).to_have_count(1)
        await page.get_by_role("radio", name="Chen Yu").check()
        await expect(page.locator(".chat-row", has_text="private")).to_have_count(0)
        await page.get_by_role("combobox").fill("from Chen")
        await page.get_by_role("button", name="Send", exact=True).click()
        await expect(page.locator(".message-mine .bubble")).to_have_text("from Chen")
        assert canned.sent[0]["as"] == "ou_chen"
        canned.toast("ou_lin", "info", "not for Chen")
        canned.toast("ou_chen", "warning", "for Chen")
        await expect(page.locator(".toast")).to_have_text("for Chen")


async def test_a_group_is_open_at_the_start_however_new_other_chats_are(browser: Browser, canned: CannedFeishu) -> None:
    canned.add(text="in the group")
    canned.add("oc_topics", "ou_chen", "a newer topic")
    canned.add("oc_lin", "ou_bot", "the newest words")
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".main-head h2")).to_have_text("Product team")
        await expect(page.locator(".bubble-text")).to_have_text(["in the group"])
        await expect(page.locator(".chat-name").first).to_have_text("niuma")


async def test_topics_hold_their_replies(browser: Browser, canned: CannedFeishu) -> None:
    root = canned.add("oc_topics", "ou_lin", "@niuma how do leases work?", thread_id="omt_1")
    for number in range(5):
        canned.add("oc_topics", "ou_chen", f"reply {number}", thread_id="omt_1", root_id=root, parent_id=root)
    canned.add("oc_topics", "ou_chen", "another topic")
    async with opened(browser, canned.url) as page:
        await page.locator(".chat-row", has_text="Topics").click()
        topic = page.locator(".topic").first
        await expect(page.locator(".topic")).to_have_count(2)
        await expect(topic.locator(".message")).to_have_count(3)
        await topic.get_by_role("button", name="3 replies").click()
        await expect(topic.locator(".message")).to_have_count(6)
        await topic.get_by_role("button", name="Reply in topic").last.click()
        await page.get_by_role("combobox").fill("more")
        await page.keyboard.press("Enter")
        await expect(topic.locator(".message")).to_have_count(7)
        assert canned.sent == [
            {"chat_id": "oc_topics", "as": "ou_lin", "text": "more", "reply_to": root, "thread_id": "omt_1"}
        ]


async def test_a_message_is_answered_recalled_and_reacted_to(browser: Browser, canned: CannedFeishu) -> None:
    question = canned.add(text="@niuma hello", reactions=[{"emoji_type": "Typing", "by": "cli_demo", "by_type": "app"}])
    canned.add(sender="ou_bot", text="Hello", parent_id=question, root_id=question)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".quote")).to_have_text("Replying to Lin Wei: @niuma hello")
        await expect(page.locator(".reaction-live .typing-sign")).to_be_visible()
        canned.change(question, reactions=[])
        await expect(page.locator(".reaction")).to_have_count(0)
        box = page.get_by_role("combobox")
        await box.fill("a draft")
        await page.get_by_role("button", name="Reply").last.click()
        await expect(box).to_have_value("a draft")
        await expect(box).to_be_focused()
        await box.press("Escape")
        await expect(page.locator(".replying")).to_have_count(0)
        await page.locator(".message-mine").hover()
        await page.locator(".message-mine").get_by_role("button", name="Recall").click()
        await expect(page.locator(".system-line")).to_have_text("Lin Wei recalled a message")


async def test_forms_tables_and_questions_before_a_press(browser: Browser, canned: CannedFeishu) -> None:
    canned.add_card(gallery_card())
    async with opened(browser, canned.url) as page:
        await page.get_by_role("button", name="Submit").click()
        assert canned.clicks == [], "a required field is empty"
        await page.get_by_label("What should change?").fill("the title")
        await page.keyboard.press("Enter")
        await expect(page.locator(".toast")).to_have_text("Thanks!")
        value = {"message_id": "om_1", "as": "ou_lin", "value": {"do": "submit"}, "name": "go"}
        assert canned.clicks == [{**value, "form_value": {"why": "the title"}}]

        table = page.locator('[data-element="modules"]')
        await expect(table.locator("tbody tr")).to_have_count(3)
        await table.get_by_role("button", name="Next page").click()
        await expect(table.locator("tbody td").first).to_have_text("module 4")

        canned.answers["click"] = {"code": 200341, "toast": None}
        await page.get_by_role("button", name="Delete all").click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        assert len(canned.clicks) == 1
        await page.get_by_role("button", name="Delete all").click()
        await page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
        await expect(page.locator(".toast-error")).to_contain_text("200341")
        await expect(page.get_by_role("link", name="Open")).to_have_attribute("href", "https://example.com/")
        await expect(page.locator(".chart .bar")).to_have_count(4)


async def test_the_end_stays_in_view_only_where_the_reader_is_there(browser: Browser, canned: CannedFeishu) -> None:
    for number in range(40):
        canned.add(sender="ou_chen", text=f"line {number}")
    async with opened(browser, canned.url) as page:
        await expect(page.get_by_text("line 39", exact=True)).to_be_in_viewport()
        canned.add(sender="ou_chen", text="line 40")
        await expect(page.get_by_text("line 40", exact=True)).to_be_in_viewport()
        await page.locator(".log").hover()
        await page.mouse.wheel(0, -900)
        await expect(page.get_by_role("button", name="Latest messages")).to_be_visible()
        before = await page.locator(".log").evaluate("(log) => log.scrollTop")
        canned.add(sender="ou_chen", text="line 41")
        await expect(page.locator(".chat-current .chat-last")).to_have_text("Chen Yu: line 41")
        assert abs(await page.locator(".log").evaluate("(log) => log.scrollTop") - before) < 2
        await page.get_by_role("button", name="Latest messages").click()
        await expect(page.get_by_text("line 41", exact=True)).to_be_in_viewport()


async def test_the_connection_shows(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".bot-state")).to_have_text("niuma · Connected")
        canned.connection(0)
        await expect(page.locator(".bot-state")).to_have_text("niuma · Not connected")


async def test_it_comes_back_after_a_lost_connection(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url) as page:
        await page.get_by_role("combobox").fill("a draft")
        canned.hang_up()
        await expect(page.locator(".offline")).to_be_visible()
        canned.messages["om_9"] = {**canned.messages[canned.add(text="missed")], "message_id": "om_9", "text": "late"}
        await expect(page.locator(".offline")).to_have_count(0)
        await expect(page.locator(".bubble-text")).to_have_text(["missed", "late"])
        await expect(page.get_by_role("combobox")).to_have_value("a draft")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_follows_the_scheme(
    browser: Browser, canned: CannedFeishu, tmp_path: Path, scheme: str, width: int
) -> None:
    canned.add(text="@niuma scan this project " + "x" * 300)
    canned.add_card(answer_card(MARKDOWN, streaming=True))
    canned.add_card(gallery_card())
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}, "locale": "zh-CN"}
    async with opened(browser, canned.url, **options) as page:
        await expect(page.locator(".card")).to_have_count(2)
        assert await page.evaluate(OVERFLOW) == 0
        for card in await page.locator(".card").all():
            assert await card.evaluate("(card) => card.scrollWidth - card.clientWidth") == 0
        shade = await page.locator(".main").evaluate("(main) => getComputedStyle(main).backgroundColor")
        red = int(shade.split("(")[1].split(",")[0])
        assert red > 200 if scheme == "light" else red < 60
        await expect(page.get_by_role("button", name="发送")).to_be_visible()
        await page.screenshot(path=tmp_path / f"{scheme}-{width}.png")


async def test_a_phone_keeps_the_chats_in_a_drawer(browser: Browser, canned: CannedFeishu) -> None:
    async with opened(browser, canned.url, viewport={"width": 390, "height": 844}) as page:
        rows = page.locator(".chat-row")
        await expect(rows.first).not_to_be_visible()
        await page.get_by_role("button", name="Open chat list").click()
        await expect(rows.first).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(rows.first).not_to_be_visible()
        await page.get_by_role("button", name="Open chat list").click()
        await page.locator(".chat-row", has_text="Topics").click()
        await expect(page.locator(".main-head h2")).to_have_text("Topics")
        await expect(rows.first).not_to_be_visible()
