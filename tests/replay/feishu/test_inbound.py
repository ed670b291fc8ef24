"""Payloads in the shapes the platform documents (read 2026-02), ids exchanged, and what we make of them."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from channels.events import CardAction, Happening, Inbound, InboundMessage, Notice
from channels.feishu.inbound import parse_event
from channels.feishu.mentions import BotIdentity

SAMPLES = sorted(Path(__file__).parent.glob("*.json"))


def plain(inbound: Inbound | None) -> dict[str, Any] | None:
    """Give what was understood as the samples write it; empty things are left out."""
    if inbound is None:
        return None
    both = {
        "kind": inbound.dedupe.kind,
        "dedupe": inbound.dedupe.key,
        "conversation": str(inbound.conversation),
        "created_at_ms": inbound.created_at_ms,
    }
    if inbound.sender is not None:
        both |= {"sender": inbound.sender.id, "sender_tenant": inbound.sender.tenant}
    if isinstance(inbound, CardAction):
        return both | {"message_id": inbound.message_id, "value": dict(inbound.value), "form": dict(inbound.form)}
    return both | (of_message(inbound) if isinstance(inbound, InboundMessage) else of_notice(inbound))


def of_notice(notice: Notice) -> dict[str, Any]:
    shared = {each.name for each in fields(Happening)}
    found = {each.name: getattr(notice, each.name) for each in fields(notice) if each.name not in shared}
    return {"type": type(notice).__name__, **found}


def of_message(message: InboundMessage) -> dict[str, Any]:
    found: dict[str, Any] = {
        "chat_kind": message.chat_kind,
        "text": message.text,
        "mentions_me": message.mentions_me,
        "quoted": message.quoted_message_id,
        "unsupported": message.unsupported,
        "forwards": message.forwards or None,
        "attachments": [{"kind": a.kind, "key": a.key, "message_id": a.message_id} for a in message.attachments],
    }
    return {key: value for key, value in found.items() if value not in (None, [])}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_a_payload_is_understood(sample: Path):
    case = json.loads(sample.read_text(encoding="utf-8"))
    assert plain(parse_event(case["event"], BotIdentity("feishu", "main", "ou_bot"))) == case["expected"]


def test_without_our_own_id_nobody_has_mentioned_us():
    case = json.loads((Path(__file__).parent / "group_mention.json").read_text(encoding="utf-8"))
    found = parse_event(case["event"], BotIdentity("feishu", "main"))
    assert isinstance(found, InboundMessage)
    assert found.mentions_me is False
