"""Answers by the address that came with a slash command or a press: five times within half an hour, then never more.

Source: docs.slack.dev "Handling user interaction", response_url, read 2026-08.
"""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp

from channels.clock import Clock
from channels.errors import NotSupported, Rejected
from channels.events import ConversationRef
from channels.kept import Kept
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.escape import mrkdwn
from channels.transport import transport_error

USES = 5
_LIFE_S = 30 * 60.0 - 30.0
_KEPT = 2000
_FALLBACK_CHARS = 1000
"""Of a message of blocks, its `text` is only what a notification shows."""


@dataclass(slots=True)
class _Address:
    url: str
    until_s: float
    left: int = USES


class Responses:
    """The addresses that are still good, by conversation. Lost with the process: nothing else is promised of them."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._addresses: Kept[str, _Address] = Kept(_KEPT)

    def keep(self, conversation: ConversationRef, url: str) -> None:
        """Note where the newest command of a conversation can be answered."""
        if not url:
            return
        self._addresses[str(conversation)] = _Address(url, self._clock.steady_s() + _LIFE_S)

    def can_answer(self, conversation: ConversationRef) -> bool:
        """Tell whether something can still be said there."""
        address = self._addresses.get(str(conversation))
        return address is not None and address.left > 0 and self._clock.steady_s() < address.until_s

    async def answer(self, conversation: ConversationRef, texts: list[str]) -> int:
        """Say as many of `texts` as there are uses left, to everybody there; gives how many.

        Raises:
            NotSupported: nothing can be said there (any more).
            ChannelError: refused, or nobody knows.
        """
        address = self._addresses.get(str(conversation))
        if address is None or not self.can_answer(conversation):
            raise NotSupported("response_url")
        said = texts[: address.left]
        if len(said) < len(texts):
            said[-1] += "\n\n…"
        for text in said:
            address.left -= 1
            body: Json = {
                "response_type": "in_channel",
                "replace_original": False,
                "text": mrkdwn(text[:_FALLBACK_CHARS]),
            }
            await self.send(address.url, {**body, "blocks": [{"type": "markdown", "text": text}]})
        return len(said)

    async def send(self, url: str, body: Json) -> None:
        """Make one use of an address.

        Raises:
            ChannelError: refused (used up, too old), or nobody knows.
        """
        try:
            async with self._client.session.post(url, json=body) as answer:
                told = (await answer.text())[:200]
        except (aiohttp.ClientError, TimeoutError) as error:
            raise transport_error(error, "response_url") from error
        if answer.status != 200:
            raise Rejected(f"response_url: HTTP {answer.status} {told}", code="response_url_refused")
