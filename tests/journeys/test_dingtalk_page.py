"""The chat as a DingTalk user sees it, in a real browser, against canned messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.browser import chromium
from tests.journeys.canned_dingtalk import BOT, CARD_MARKDOWN, DIRECT, TEAM, CannedDingTalk, button, card, fill, says
from tests.journeys.page_opening import CLIPPED, CONTRAST, OVERFLOW, PREFIXES, opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LIN, CHEN, ROBOT = "0147lin", "0258chen", "dingdemo"
NEW_NODES = """[...document.querySelectorAll('.ai-card *')].filter((one) => !one.kept)
  .map((one) => one.className || one.tagName)"""


@pytest_asyncio.fixture(loop_scope="module")
async def canned() -> AsyncIterator[CannedDingTalk]:
    server = CannedDingTalk()
    await server.start()
    yield server
    await server.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as found:
        yield found


async def test_a_card_works_grows_is_pressed_and_ends(browser: Browser, canned: CannedDingTalk) -> None:
    async with opened(browser, canned.url) as page:
        await page.get_by_role("combobox").fill("@niuma hello")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message-mine .bubble")).to_have_text("@niuma hello")
        assert canned.did("send") == [{"chat_id": TEAM, "as": LIN, "text": "@niuma hello"}]

        answer = canned.add_card(flow="1", title="niuma")
        await expect(page.locator(".ai-state")).to_have_text("Processing…")
        growing = card(flow="2", title="niuma", content="Counting **fi", buttons=[button("stop", "Stop")])
        canned.change(answer, card=growing)
        await expect(page.locator(".ai-part-content strong")).to_have_text("fi")
        await expect(page.locator(".ai-part-content .caret")).to_have_count(1)
        await expect(page.locator(".ai-state")).to_have_count(0)

        canned.answers["click"] = {"ok": True, "reason": ""}
        canned.gate.clear()
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_role("button", name="Stop")).to_have_attribute("aria-busy", "true")
        canned.gate.set()
        canned.change(answer, card=card(title="niuma", content="Counting **files**."))
        await expect(page.locator(".ai-part-content")).to_have_text("Counting files.")
        await expect(page.locator(".caret, .ai-card [aria-busy], .ai-card-buttons")).to_have_count(0)
        assert canned.did("click") == [{"message_id": answer, "as": LIN, "button_id": "btn_stop"}]


async def test_updates_of_a_card_keep_the_very_nodes(browser: Browser, canned: CannedDingTalk) -> None:
    answer = canned.add_card(flow="2", title="niuma", content=CARD_MARKDOWN)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".ai-part-content table")).to_have_count(1)
        await page.evaluate("document.querySelectorAll('.ai-card *').forEach((one) => { one.kept = true; })")
        canned.change(answer, card=card(flow="2", title="niuma", content=CARD_MARKDOWN + "\n\nThe end"))
        await expect(page.locator(".ai-part-content p").last).to_have_text("The end")
        assert set(await page.evaluate(NEW_NODES)) <= {"P", "caret"}


async def test_each_person_sees_their_own_values_and_buttons(browser: Browser, canned: CannedDingTalk) -> None:
    mine = {"private": {LIN: {"show_panel": "true", "panel": "for Lin", "content": "not a private variable"}}}
    mine["personal_buttons"] = {LIN: [button("approve", "Approve"), button("deny", "Deny", disabled=True)]}
    canned.add_card(content="May I?", buttons=[button("approve", "Approve", visible=False)], **mine)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".ai-part-panel")).to_have_text("for Lin")
        await expect(page.locator(".ai-part-content")).to_have_text("May I?")
        await expect(page.get_by_role("button", name="Approve")).to_be_enabled()
        await expect(page.get_by_role("button", name="Deny")).to_be_disabled()
        await page.get_by_role("radio", name="Chen Yu").check()
        await expect(page.locator(".ai-part-panel, .ai-card-buttons")).to_have_count(0)
        await expect(page.locator(".ai-part-content")).to_have_text("May I?")


@pytest.mark.parametrize(
    ("reason", "tone", "words"),
    [("timeout", "warning", "did not answer in time"), ("no_button", "error", "no longer")],
)
async def test_a_press_that_failed_says_so(
    browser: Browser, canned: CannedDingTalk, reason: str, tone: str, words: str
) -> None:
    canned.add_card(content="x", buttons=[button("good", "Satisfied")])
    canned.answers["click"] = {"ok": False, "reason": reason}
    async with opened(browser, canned.url) as page:
        await page.get_by_role("button", name="Satisfied").click()
        await expect(page.locator(f".toast-{tone}")).to_contain_text(words)
        assert len(canned.did("click")) == 1
        await expect(page.get_by_role("button", name="Satisfied")).not_to_have_attribute("aria-busy", "true")


async def test_failed_and_blank_cards_look_like_that(browser: Browser, canned: CannedDingTalk) -> None:
    canned.add_card(flow="5", content="Half an ans", buttons=[button("retry", "Retry")])
    canned.add_card(blank=True, content="x" * 4000, buttons=[button("good", "Satisfied")])
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".ai-card-failed .ai-state")).to_have_text("This answer failed")
        await expect(page.get_by_role("button", name="Retry")).to_be_visible()
        await expect(page.locator(".ai-card-blank")).to_have_text("")
        await expect(page.get_by_role("button", name="Satisfied")).to_have_count(0)


async def test_links_of_action_cards_send_their_text_as_me(browser: Browser, canned: CannedDingTalk) -> None:
    links = [{"title": "Approve", "url": says("/approve 你好")}, {"title": "Read", "url": "https://example.com/x"}]
    canned.add(sender=ROBOT, msg_type="actionCard", title="May I?", markdown="**May** I?", buttons=links)
    async with opened(browser, canned.url) as page:
        approve = page.get_by_role("button", name="Approve")
        await expect(approve).to_have_attribute("title", "Sends “/approve 你好” as you")
        await approve.press("Enter")
        await expect(page.locator(".message-mine")).to_have_count(1)
        assert canned.did("link") == [{"chat_id": TEAM, "as": LIN, "url": says("/approve 你好")}]
        await expect(page.get_by_role("link", name="Read")).to_have_attribute("href", "https://example.com/x")
        await approve.click()
        await expect(page.locator(".message-mine")).to_have_count(2)


async def test_the_client_draws_only_the_marks_it_knows(browser: Browser, canned: CannedDingTalk) -> None:
    canned.add(sender=ROBOT, msg_type="markdown", title="t", markdown="**b** ~~no~~\n\n---\n\n```\ncode\n```")
    words = "<font colorTokenV2=common_red1_color>red</font> <a atId=0258chen>x</a><br>line\n\n***\n\n```\ncode\n```"
    canned.add_card(content=words)
    async with opened(browser, canned.url) as page:
        bubble, shown = page.locator(".bubble-markdown"), page.locator(".ai-part-content")
        await expect(bubble).to_contain_text("~~no~~")
        await expect(bubble.locator("del, hr, .code")).to_have_count(0)
        await expect(shown.locator("hr")).to_have_count(1)
        await expect(shown.locator(".code")).to_have_count(1)
        await expect(shown.locator(".ink-red")).to_have_text("red")
        await expect(shown.locator(".at")).to_have_text("@Chen Yu")


async def test_half_finished_markdown_never_jumps(browser: Browser, canned: CannedDingTalk) -> None:
    async with opened(browser, canned.url) as page:
        assert await page.evaluate(PREFIXES, CARD_MARKDOWN + "\n\n1 < 2 <b>no tag</b>") == []
        answer = canned.add_card(flow="2", content="A <font colorTokenV2=common_re")
        await expect(page.locator(".ai-part-content")).to_have_text("A ")
        canned.change(answer, card=card(flow="2", content="A <font colorTokenV2=common_red1_color>wo"))
        await expect(page.locator(".ink-red")).to_have_text("wo")


async def test_model_text_stays_text(browser: Browser, canned: CannedDingTalk) -> None:
    bad = "<img src=x onerror=alert(1)> <script>alert(1)</script> [press](javascript:alert(1))"
    canned.add_card(content=bad + " <a href='javascript:alert(2)'>x</a> ![p](https://example.com/x.png)")
    canned.add(sender=ROBOT, msg_type="markdown", title="t", markdown=bad)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".ai-part-content")).to_contain_text("<script>alert(1)</script>")
        await expect(page.locator(".message script, .message img")).to_have_count(0)
        await expect(page.locator(".message a[href]")).to_have_count(0)


async def test_emotions_quotes_and_recalls_show(browser: Browser, canned: CannedDingTalk) -> None:
    asked = canned.add(text="@niuma hello", emotions=[{"name": "🤔思考中", "by": ROBOT}])
    canned.add(sender=CHEN, text="me too", quotes=asked)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".emotion-live")).to_have_text("思考中niuma")
        canned.change(asked, emotions=[])
        await expect(page.locator(".emotion")).to_have_count(0)
        await expect(page.locator(".quote")).to_have_text("Lin Wei: @niuma hello")
        await page.locator(".message").last.hover()
        await page.get_by_role("button", name="Reply").last.click()
        await page.keyboard.type("fine")
        await page.keyboard.press("Enter")
        await expect(page.locator(".quote")).to_have_count(2)
        assert canned.did("send")[0]["quote"] == "msg2=="
        await page.locator(".message-mine").first.hover()
        await page.locator(".message-mine").first.get_by_role("button", name="Recall").click()
        await expect(page.locator(".system-line")).to_have_text("Lin Wei recalled a message")


async def test_messages_for_some_are_seen_by_those(browser: Browser, canned: CannedDingTalk) -> None:
    canned.add(sender=ROBOT, text="for Chen", recipients=[CHEN])
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".welcome")).to_be_visible()
        await page.get_by_role("radio", name="Chen Yu").check()
        await expect(page.locator(".bubble")).to_have_text("for Chen")
        canned.tell({"kind": "toast", "open_id": LIN, "tone": "warning", "text": "not for Chen"})
        canned.tell({"kind": "toast", "open_id": CHEN, "tone": "warning", "text": "niuma 不在线，消息未送达"})
        await expect(page.locator(".toast")).to_have_text("niuma 不在线，消息未送达")


async def test_an_offline_robot_is_said_so(browser: Browser, canned: CannedDingTalk) -> None:
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".offline-robot")).to_have_count(0)
        canned.tell({"kind": "connection", "app_id": BOT["app_id"], "connections": 0})
        await expect(page.locator(".offline-robot")).to_contain_text("niuma is offline")
        await expect(page.locator(".bot-state")).to_have_text("niuma · Not connected")


async def test_files_are_sent_where_the_robot_hears_them(browser: Browser, canned: CannedDingTalk) -> None:
    async with opened(browser, canned.url) as page:
        await expect(page.locator("input[type=file]")).to_have_count(0)
        await page.locator(".chat-row", has_text="niuma").click()
        file = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"hello"}
        await page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
        await expect(page.locator(".message-mine")).to_have_count(1)
        assert canned.did("upload")[0]["name"] == "a.pdf"
        assert canned.did("send") == [{"chat_id": DIRECT, "as": LIN, "msg_type": "file", "file": "@lAfile"}]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_follows_the_scheme(
    browser: Browser, canned: CannedDingTalk, tmp_path: Path, scheme: str, width: int
) -> None:
    fill(canned)
    canned.add(text="a long word " + "x" * 300)
    canned.add_card(title="y" * 150, status="z" * 60, content="w" * 300, buttons=[button("stop", "v" * 80)])
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}, "locale": "zh-CN"}
    options["reduced_motion"] = "reduce"  # a turning sign has no steady size
    async with opened(browser, canned.url, **options) as page:
        await expect(page.locator(".ai-card")).to_have_count(6)
        assert await page.evaluate(CLIPPED, ".main") == []
        assert await page.evaluate(OVERFLOW) == 0
        assert await page.evaluate(CONTRAST) == []
        shade = await page.locator(".main").evaluate("(main) => getComputedStyle(main).backgroundColor")
        red = int(shade.split("(")[1].split(",")[0])
        assert red > 200 if scheme == "light" else red < 60
        await expect(page.get_by_role("button", name="发送", exact=True)).to_be_visible()
        await page.screenshot(path=tmp_path / f"{scheme}-{width}.png")


async def test_a_phone_keeps_the_chats_in_a_drawer(browser: Browser, canned: CannedDingTalk) -> None:
    async with opened(browser, canned.url, viewport={"width": 390, "height": 844}) as page:
        rows = page.locator(".chat-row")
        await expect(rows.first).not_to_be_visible()
        await page.get_by_role("button", name="Open chat list").click()
        await page.locator(".chat-row", has_text="niuma").click()
        await expect(page.locator(".main-head h2")).to_have_text("niuma")
        await expect(rows.first).not_to_be_visible()
