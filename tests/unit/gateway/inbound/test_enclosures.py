"""What came with a message is told apart: words of another message, or a file."""

from __future__ import annotations

from channels.events import AttachmentHandle, ConversationRef, DedupeKey, InboundMessage, Sender
from engine.messages import EnclosedPart
from gateway.inbound.enclosures import enclosed_parts


def test_quoted_and_forwarded_messages_are_words_and_attachments_are_not() -> None:
    message = InboundMessage(
        dedupe=DedupeKey("c", "a", "message", "m1"),
        conversation=ConversationRef("c", "a", "t", "x"),
        chat_kind="direct",
        message_id="m1",
        sender=Sender("u", "t"),
        text="",
        mentions_me=True,
        created_at_ms=0,
        attachments=(AttachmentHandle("file", "k", "m1", "plan.pdf"),),
        quoted_message_id="m0",
        forwards=True,
    )
    parts = [part for part in enclosed_parts(message, "en") if isinstance(part, EnclosedPart)]
    assert [part.is_words for part in parts] == [True, True, False]
