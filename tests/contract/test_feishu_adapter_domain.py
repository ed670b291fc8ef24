"""An app of Lark, behind a proxy: every request goes where the domain says, by the way the environment says."""

from __future__ import annotations

import asyncio

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.feishu.adapter import Adapter
from channels.feishu.doctor import console_pages
from channels.feishu.settings import FeishuSettings
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.feishu_adapter import RUN, Inbox, card, until

LARK = "http://open.larksuite.test"
"""Nobody can look this name up: a request that does not go through the proxy fails."""


async def test_lark_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = FeishuSimulator()
    await sim.start()
    monkeypatch.setenv("http_proxy", sim.url)
    given = {"id": "lark", "app_id": sim.app_id, "app_secret": sim.app_secret, "domain": LARK}
    adapter, inbox = Adapter(FeishuSettings.model_validate(given), SystemClock()), Inbox()
    try:
        await adapter.start(inbox)
        await until(lambda: adapter.health().ok)
        sim.send("oc_team", "ou_lin", "@niuma hello")
        await until(lambda: bool(inbox.items))
        message = inbox.items[-1]
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, card("an answer", CardStatus.DONE))
        async with asyncio.timeout(10):
            await adapter.send_final(opening, MemoryJournal())
        assert [each["text"] for each in sim.state()["messages"] if "an answer" in each["text"]]
    finally:
        await adapter.stop()
        await sim.stop()


def test_the_console_of_lark_is_named_for_an_app_of_lark() -> None:
    settings = FeishuSettings.model_validate(
        {"id": "main", "app_id": "cli_x", "app_secret": "x", "domain": "https://open.larksuite.com"}
    )
    assert all(page.startswith("https://open.larksuite.com/app/cli_x") for page in console_pages(settings).values())
