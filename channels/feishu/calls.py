"""Who is mentioned in our text messages: one person by id where we call them, and nobody by anything a text says.

Source: larksuite/cli, its page on mentions by message type, read 2026-11-30: `<at user_id="ou_...">` in a text message
notifies, and `all` everybody. A mention that comes into a card by an update notifies nobody (users' reports:
openclaw/openclaw#73469, baileyh8/hermes-feishu-streaming-card#220, read 2026-11-30).
"""

from __future__ import annotations

import re

from channels.cards.model import Call
from channels.errors import NotSupported

_PERSON = re.compile(r"ou_[0-9A-Za-z_-]+", re.A)
_AT = re.compile(r"<(?=\s*/?\s*at\b)", re.I)
_NOTHING = "\u200b"


def mention(call: Call) -> str:
    """Give the text that calls a person.

    Raises:
        NotSupported: the id is no person's.
    """
    if not _PERSON.fullmatch(call.person):
        raise NotSupported("calling anybody but one person")
    return f'<at user_id="{call.person}"></at> {silent(call.words)}'


def silent(text: str) -> str:
    """Give a text that reads the same and mentions nobody."""
    return _AT.sub(f"<{_NOTHING}", text)
