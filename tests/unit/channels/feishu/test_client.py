"""What a yes without its facts means: nobody knows what was done."""

from __future__ import annotations

from typing import Any

import pytest

from channels.errors import DeliveryUnknown
from channels.feishu.client import Client
from channels.feishu.settings import FeishuSettings
from gateway.clock import FakeClock


@pytest.mark.parametrize("body", [{"code": 0}, {"code": 0, "data": None}, {"code": 0, "data": {"message_id": ""}}])
async def test_a_yes_without_an_id_leaves_open_whether_it_was_sent(
    monkeypatch: pytest.MonkeyPatch, clock: FakeClock, body: dict[str, Any]
) -> None:
    client = Client(FeishuSettings(id="main", app_id="cli_x", app_secret="x"), clock)

    async def answer(*_words: Any, **_more: Any) -> dict[str, Any]:
        return body

    monkeypatch.setattr(client, "call", answer)
    with pytest.raises(DeliveryUnknown) as raised:
        await client.send("oc_1", "text", {"text": "hello"}, "uuid")
    assert raised.value.maybe_seen and raised.value.code == "answer_incomplete"
