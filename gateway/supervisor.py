"""Starts and stops the channels, each by itself: one that fails never holds up another."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from channels.base import Channel
from channels.events import InboundHandler
from gateway.texts import Language, fix_for

logger = logging.getLogger(__name__)

STOP_S = 5.0
"""How long one channel may take to say goodbye."""


class Supervisor:
    """Holds the running channels of this process; `lang` is its operator's."""

    def __init__(self, channels: Sequence[Channel], lang: Language = "en") -> None:
        self._channels = channels
        self._lang: Language = lang

    async def start(self, handler: InboundHandler) -> None:
        """Begin to connect all channels; returns before they are connected."""
        await asyncio.gather(*(self._start(channel, handler) for channel in self._channels))

    async def stop(self) -> None:
        """Disconnect all channels."""
        await asyncio.gather(*(self._stop(channel) for channel in self._channels))

    def checks(self) -> list[dict[str, Any]]:
        """Give the readiness of each channel; one dead channel of several is red."""
        return [_check(channel, self._lang) for channel in self._channels]

    async def _start(self, channel: Channel, handler: InboundHandler) -> None:
        try:
            await channel.start(handler)
        except Exception:
            # A fault in one adapter is that channel's outage, seen in its readiness, not the gateway's.
            logger.exception("channel_not_started", extra=_names(channel))

    async def _stop(self, channel: Channel) -> None:
        try:
            async with asyncio.timeout(STOP_S):
                await channel.stop()
        except Exception:
            logger.exception("channel_not_stopped", extra=_names(channel))


def _check(channel: Channel, lang: Language) -> dict[str, Any]:
    health = channel.health()
    return {
        "name": f"channel:{channel.name}:{channel.account}",
        "ok": health.ok,
        "code": health.code,
        "reason": health.reason,
        "fix": "" if health.ok else fix_for(lang, health.advice or health.code, **health.params),
    }


def _names(channel: Channel) -> dict[str, str]:
    return {"channel": channel.name, "account": channel.account}
