"""Reading messages again, and the files that came with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from channels.events import AttachmentHandle, Fetched, Quote
from channels.feishu.client import Client
from channels.feishu.content import Content, parse_content
from channels.feishu.files import Files
from channels.feishu.mentions import BotIdentity, parse_mentions, resolve_mentions
from channels.feishu.post_office import PostOffice
from channels.names import Names
from channels.readable import Json

_QUOTES = 100
"""Source: open.feishu.cn "合并转发消息", read 2026-02: a bundle holds at most 100 messages."""


class Reader:
    """Reads for one account. Waits its turn like every other request."""

    def __init__(self, office: PostOffice, files: Files, names: Names, me: BotIdentity, app_id: str) -> None:
        self._office = office
        self._files = files
        self._names = names
        self._me = me
        self._app_id = app_id

    @property
    def _client(self) -> Client:
        return self._office.client

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`."""
        items = await self._office.insist("message.get", lambda: self._client.message(message_id))
        children = [item for item in items if item.get("upper_message_id")]
        return [self._quote(item) for item in (children or items)[:_QUOTES]]

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`."""
        kind = "image" if handle.kind == "image" else "file"

        async def get() -> Fetched:
            file = await self._files.download(handle.message_id, handle.key, kind, max_bytes=max_bytes)
            return Fetched(file.content, handle.name or file.name, file.mime)

        return await self._office.insist("resource.get", get)

    def _quote(self, item: Json) -> Quote:
        sender = cast("Json", item.get("sender") or {})
        author, message_id = str(sender.get("id", "")), str(item["message_id"])
        content = _content_of(item)
        text = resolve_mentions(content.text, parse_mentions(item), self._me).strip()
        by_us = author == self._app_id
        name = "" if by_us else self._names.of(author)
        return Quote(message_id, name or author, text, by_us, content.attachments)


def _content_of(item: Json) -> Content:
    """Read an item's content; what cannot be read, or was taken back, says nothing."""
    body = cast("Json", item.get("body") or {})
    if item.get("deleted"):
        return Content()
    try:
        kind, content = str(item["msg_type"]), str(body["content"])
        return parse_content(kind, content, str(item["message_id"])) or Content(f"[{kind}]")
    except (KeyError, TypeError, ValueError):
        return Content()
