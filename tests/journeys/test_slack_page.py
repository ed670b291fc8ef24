"""The chat as a Slack user sees it, in a real browser, against canned messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser import chromium
from tests.journeys.canned_slack import FEEDBACK, GALLERY, MARKDOWN, CannedSlack, button, chunks, plain, task, text_part
from tests.journeys.page_opening import CLIPPED, CONTRAST, OVERFLOW, PREFIXES, opened

NEW_NODES = """[...document.querySelectorAll('.kit *')].filter((one) => !one.kept)
  .map((one) => one.className || one.tagName)"""

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(loop_scope="module")
async def canned() -> AsyncIterator[CannedSlack]:
    server = CannedSlack()
    await server.start()
    yield server
    await server.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as found:
        yield found


def box(page: Page, name: str = "main") -> str:
    return f".composer-{name} textarea"


async def test_an_answer_grows_in_a_thread_and_ends(browser: Browser, canned: CannedSlack) -> None:
    async with opened(browser, canned.url) as page:
        await page.fill(box(page), "@niuma hello")
        await page.keyboard.press("Enter")
        await expect(page.locator(".main .message")).to_have_count(1)
        assert canned.did("send") == [{"chat_id": "C0TEAM", "as": "U0LIN", "text": "@niuma hello"}]

        answer = canned.stream(
            next(iter(canned.messages)), [task("a", "Read", "in_progress"), text_part("Counting **fi")]
        )
        await expect(page.locator(".main .message")).to_have_count(1)
        await expect(page.locator(".thread-line")).to_contain_text("Writing…")
        await page.locator(".thread-line").click()
        pane = page.get_by_role("complementary", name="Thread")
        await expect(pane.locator(".markdown-body strong")).to_have_text("fi")
        await expect(pane.locator(".caret")).to_have_count(1)
        await expect(pane.get_by_role("img", name="In progress")).to_be_visible()

        done = [task("a", "Read", "complete", details="42 files"), text_part("Counting **files**.")]
        canned.change(answer, streaming=False, chunks=chunks(done, final_blocks=[FEEDBACK]))
        await expect(pane.locator(".markdown-body p")).to_have_text("Counting files.")
        await expect(page.locator(".caret, .live")).to_have_count(0)
        await pane.get_by_role("button", name="Done Read").click()
        await expect(pane.locator(".task-more")).to_have_text("42 files")
        await expect(page.locator(".thread-line")).to_contain_text("Last reply")


async def test_updates_of_a_stream_keep_the_very_nodes(browser: Browser, canned: CannedSlack) -> None:
    answer = canned.stream(canned.add(text="hi"), [text_part("One\n\nTwo")])
    async with opened(browser, canned.url) as page:
        await page.locator(".thread-line").click()
        await expect(page.locator(".markdown-body p")).to_have_count(2)
        await page.evaluate("document.querySelectorAll('.kit *').forEach((one) => { one.kept = true; })")
        canned.change(answer, chunks=chunks([text_part("One\n\nTwo and\n\nThree")]))
        await expect(page.locator(".markdown-body p")).to_have_count(3)
        assert set(await page.evaluate(NEW_NODES)) <= {"P", "caret"}


async def test_a_thread_is_answered_and_left(browser: Browser, canned: CannedSlack) -> None:
    root = canned.add(text="a question")
    async with opened(browser, canned.url) as page:
        await page.locator(".message").hover()
        await page.get_by_role("button", name="Reply in thread").click()
        await expect(page.locator(box(page, "thread"))).to_be_focused()
        await page.keyboard.type("more")
        await page.keyboard.press("Enter")
        await expect(page.locator(".thread .message")).to_have_count(2)
        assert canned.did("send")[0]["thread_ts"] == root.split("/")[1]
        await expect(page.locator(".thread-line")).to_contain_text("1 reply")
        await page.keyboard.press("Escape")
        await expect(page.locator(".thread")).to_have_count(0)
        await expect(page.locator(".thread-line")).to_be_focused()


async def test_the_direct_chat_opens_its_answers_thread(browser: Browser, canned: CannedSlack) -> None:
    root = canned.add("D0LIN", text="hello")
    async with opened(browser, canned.url) as page:
        await page.locator(".chat-row", has_text="niuma").click()
        await expect(page.locator(".thread")).to_have_count(0)
        answer = canned.stream(root, [text_part("Hel")])
        await expect(page.locator(".thread .markdown-body")).to_have_text("Hel")
        await page.locator(".thread").get_by_role("button", name="Stop").click()
        asked = {"as": "U0LIN", "chat_id": "D0LIN", "thread_ts": root.split("/")[1]}
        assert await canned.once_did("stop") == [asked]
        canned.change(answer, streaming=False)
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)


async def test_slash_commands_are_offered_sent_and_refused_in_threads(browser: Browser, canned: CannedSlack) -> None:
    canned.add(text="a question")
    async with opened(browser, canned.url) as page:
        await page.locator(box(page)).press_sequentially("/n")
        await expect(page.get_by_role("option")).to_have_text(["/niumaCommand"])
        await page.keyboard.press("Enter")
        await page.keyboard.type("new session")
        await page.keyboard.press("Enter")
        await expect(page.locator(box(page))).to_have_value("")
        order = {"chat_id": "C0TEAM", "as": "U0LIN", "command": "/niuma", "text": "new session"}
        assert canned.did("command") == [order] and canned.did("send") == []
        await page.locator(".message").hover()
        await page.get_by_role("button", name="Reply in thread").click()
        await page.keyboard.type("/niuma help")
        await page.keyboard.press("Enter")
        await expect(page.locator(".toast-warning")).to_contain_text("not supported in threads")
        assert len(canned.did("command")) == 1


async def test_ephemeral_messages_are_for_one_person(browser: Browser, canned: CannedSlack) -> None:
    canned.add(sender="U0NIUMA", text="`/niuma help` this", ephemeral_to="U0LIN")
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".only-you")).to_have_text("Only visible to you")
        await page.get_by_role("radio", name="Chen Yu").check()
        await expect(page.locator(".message")).to_have_count(0)
        canned.add(sender="U0NIUMA", text="for Chen", ephemeral_to="U0CHEN")
        await expect(page.locator(".message .mrkdwn")).to_have_text(["for Chen"])


async def test_only_the_recipient_sees_a_channels_stream_grow(browser: Browser, canned: CannedSlack) -> None:
    root = canned.add(text="hi")
    parts = chunks([text_part("First words and many more")], withheld=True, first_text="First")
    answer = canned.add("C0TEAM", "U0NIUMA", thread_ts=root.split("/")[1], streaming=True, chunks=parts)
    async with opened(browser, canned.url) as page:
        await page.locator(".thread-line").click()
        await expect(page.locator(".thread .markdown-body")).to_have_text("First words and many more")
        await page.get_by_role("radio", name="Chen Yu").check()
        await expect(page.locator(".thread .markdown-body")).to_have_text("First")
        canned.change(answer, streaming=False, chunks={**parts, "withheld": False})
        await expect(page.locator(".thread .markdown-body")).to_have_text("First words and many more")


async def test_blocks_are_drawn_pressed_and_filled_in(browser: Browser, canned: CannedSlack) -> None:
    message = canned.add(sender="U0NIUMA", blocks=GALLERY)
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".unsupported")).to_have_count(0)
        await expect(page.locator('[data-block-type="table"] tbody tr')).to_have_count(7)
        await expect(page.locator('[data-block-type="plan"] .plan-count')).to_have_text("1/4")
        await page.get_by_role("button", name="Submit").click()
        assert canned.did("click") == [], "a required field is empty"
        await page.get_by_label("What should change?").fill("the title")
        await page.get_by_role("button", name="Submit").click()
        asked = (await canned.once_did("click"))[0]
        assert (asked["message_id"], asked["as"], asked["action_id"], asked["block_id"]) == (
            message,
            "U0LIN",
            "go",
            "acts",
        )
        assert asked["state"]["why"]["words"] == {"type": "plain_text_input", "value": "the title"}
        await page.get_by_role("button", name="Delete all").click()
        await page.get_by_role("dialog", name="Delete all?").get_by_role("button", name="Keep").click()
        assert len(canned.did("click")) == 1
        await page.get_by_role("button", name="Good answer").click()
        assert (await canned.once_did("click", 2))[1]["value"] == "good"


async def test_a_press_waits_for_its_answer_and_says_when_none_came(browser: Browser, canned: CannedSlack) -> None:
    canned.add(sender="U0NIUMA", blocks=[{"type": "actions", "block_id": "b", "elements": [button("go", "Go")]}])
    canned.gate.clear()
    async with opened(browser, canned.url) as page:
        await page.get_by_role("button", name="Go").click()
        await expect(page.get_by_role("button", name="Go")).to_have_attribute("aria-busy", "true")
        canned.gate.set()
        canned.tell({"kind": "toast", "open_id": "U0LIN", "tone": "error", "text": "operation_timeout"})
        await expect(page.locator(".toast-error")).to_have_text("The app did not answer in time")


async def test_model_text_stays_text(browser: Browser, canned: CannedSlack) -> None:
    bad = "<img src=x onerror=alert(1)> <script>alert(1)</script> [press](javascript:alert(1))"
    canned.add(sender="U0NIUMA", blocks=[{"type": "markdown", "text": bad}])
    canned.add(
        sender="U0NIUMA", text="&lt;b&gt;bold&lt;/b&gt; <javascript:alert(1)|press> <https://example.com/x|here>"
    )
    async with opened(browser, canned.url) as page:
        await expect(page.locator(".markdown-body")).to_contain_text("<script>alert(1)</script>")
        assert await page.locator(".message script, .message img").count() == 0
        await expect(page.locator(".message a[href]")).to_have_count(1)
        await expect(page.locator(".mrkdwn")).to_contain_text("<b>bold</b>")


async def test_mrkdwn_is_not_markdown(browser: Browser, canned: CannedSlack) -> None:
    canned.add(
        sender="U0NIUMA", text="*bold* **two** # no heading\n&gt; one\n&gt; two\n```\na *code*\n```\nsnake_case_name"
    )
    async with opened(browser, canned.url) as page:
        content = page.locator(".message-content")
        await expect(content.locator("strong")).to_have_text(["bold"])
        await expect(content.locator("h1, em")).to_have_count(0)
        await expect(content.locator("blockquote")).to_have_text("one\ntwo")
        await expect(content.locator("pre")).to_have_text("a *code*")
        await expect(content).to_contain_text("**two**")


async def test_half_finished_markdown_never_jumps(browser: Browser, canned: CannedSlack) -> None:
    text = MARKDOWN + "\n\nAsk <@U0CHEN> or <!here>, see <https://example.com/x|this page> and <b>no tag</b>. 1 < 2."
    async with opened(browser, canned.url) as page:
        assert await page.evaluate(PREFIXES, text) == []
        answer = canned.stream(canned.add(text="hi"), [text_part("Ask <@U0CH")])
        await page.locator(".thread-line").click()
        await expect(page.locator(".markdown-body")).to_have_text("Ask ")
        canned.change(answer, chunks=chunks([text_part("Ask <@U0CHEN>")]))
        await expect(page.locator(".markdown-body .at")).to_have_text("@Chen Yu")


async def test_status_reactions_edits_and_deletions_show(browser: Browser, canned: CannedSlack) -> None:
    root = canned.add(text="hello")
    async with opened(browser, canned.url) as page:
        status = {"chat_id": "C0TEAM", "thread_ts": root.split("/")[1], "status": "is thinking…", "loading": []}
        canned.tell({"kind": "statuses", "statuses": [status]})
        await expect(page.locator(".thread-line")).to_have_text("niuma is thinking…")
        canned.tell({"kind": "statuses", "statuses": []})
        await expect(page.locator(".thread-line")).to_have_count(0)
        canned.change(root, edited=True, reactions=[{"name": "eyes", "users": ["U0NIUMA"], "count": 1}])
        await expect(page.locator(".edited")).to_have_text("(edited)")
        await expect(page.locator(".reaction")).to_have_attribute("aria-label", ":eyes: niuma")
        canned.change(root, deleted=True)
        await expect(page.locator(".message")).to_have_count(0)


async def test_a_person_edits_reacts_and_deletes(browser: Browser, canned: CannedSlack) -> None:
    words = "<@U0NIUMA> count &lt;all&gt; at <https://example.com/x>"
    asked = canned.add(text=words, reactions=[{"name": "eyes", "users": ["U0NIUMA"], "count": 1}])
    async with opened(browser, canned.url) as page:
        await page.locator(".message").hover()
        await page.get_by_role("button", name="Edit message").click()
        await expect(page.locator(box(page))).to_have_value("@niuma count <all> at https://example.com/x")
        await page.keyboard.press("Escape")
        await expect(page.locator(".replying")).to_have_count(0)
        await page.locator(".message").hover()
        await page.get_by_role("button", name="Edit message").click()
        await page.locator(box(page)).fill("@niuma count two")
        await page.keyboard.press("Enter")
        await expect(page.locator(".edited")).to_have_text("(edited)")
        assert canned.did("edit") == [{"message_id": asked, "as": "U0LIN", "text": "@niuma count two"}]
        assert canned.did("send") == []
        await page.get_by_role("button", name=":eyes: niuma").click()
        assert await canned.once_did("react") == [
            {"message_id": asked, "as": "U0LIN", "name": "eyes", "removed": False}
        ]
        await page.get_by_role("button", name="Delete message").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete message").click()
        await expect(page.locator(".message")).to_have_count(0)
        assert canned.did("delete") == [{"message_id": asked, "as": "U0LIN"}]


async def test_a_file_is_a_tile_and_can_be_sent(browser: Browser, canned: CannedSlack) -> None:
    canned.add(
        text="the numbers", files=[{"id": "F1", "name": "report.pdf", "mimetype": "application/pdf", "size": 81234}]
    )
    async with opened(browser, canned.url) as page:
        await expect(page.get_by_role("img", name="report.pdf, 79 KB")).to_be_visible()
        file = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"hello"}
        await page.locator(".composer-main input[type=file]").set_input_files([file])  # type: ignore[list-item]
        await expect(page.locator(".main .message")).to_have_count(2)
        asked = canned.did("upload")[0]
        assert (asked["name"], asked["chat_id"], asked["as"]) == ("a.txt", "C0TEAM", "U0LIN")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_it_fits_and_follows_the_scheme(
    browser: Browser, canned: CannedSlack, tmp_path: Path, scheme: str, width: int
) -> None:
    canned.add(text="a long word " + "x" * 300)
    root = canned.add(text="<@U0NIUMA> show everything")
    canned.add(sender="U0NIUMA", thread_ts=root.split("/")[1], blocks=GALLERY)
    canned.add(sender="U0NIUMA", blocks=[{"type": "header", "text": plain("y" * 150)}, *GALLERY])
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}, "locale": "zh-CN"}
    options["reduced_motion"] = "reduce"  # a turning sign has no steady size
    async with opened(browser, canned.url, **options) as page:
        await expect(page.locator(".kit")).to_have_count(1)
        assert await page.evaluate(CLIPPED, ".main") == []
        await page.locator(".thread-line").click()
        await expect(page.locator(".thread .kit")).to_have_count(1)
        assert await page.evaluate(CLIPPED, ".thread") == []
        assert await page.evaluate(OVERFLOW) == 0
        assert await page.evaluate(CONTRAST) == []
        shade = await page.locator(".thread").evaluate("(pane) => getComputedStyle(pane).backgroundColor")
        red = int(shade.split("(")[1].split(",")[0])
        assert red > 200 if scheme == "light" else red < 60
        await expect(page.locator(".thread").get_by_role("button", name="发送", exact=True)).to_be_visible()
        await page.screenshot(path=tmp_path / f"{scheme}-{width}.png")


async def test_a_phone_keeps_the_channels_in_a_drawer(browser: Browser, canned: CannedSlack) -> None:
    async with opened(browser, canned.url, viewport={"width": 390, "height": 844}) as page:
        rows = page.locator(".chat-row")
        await expect(rows.first).not_to_be_visible()
        await page.get_by_role("button", name="Open chat list").click()
        await page.locator(".chat-row", has_text="ops-private").click()
        await expect(page.locator(".main-head h2")).to_have_text("ops-private")
        await expect(rows.first).not_to_be_visible()
