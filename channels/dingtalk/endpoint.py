"""Finding the long connection: an address and a ticket for one use within 90 seconds.

Source: developerpedia "stream/protocol", read 2026-11-30.
"""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import aiohttp

from channels.dingtalk.errors import connect_error
from channels.dingtalk.frames import subscriptions
from channels.dingtalk.http import Request, send
from channels.dingtalk.settings import DingtalkSettings
from channels.errors import ChannelError, NotConnected
from channels.readable import text_in

_PATH = "/v1.0/gateway/connections/open"


async def find_endpoint(session: aiohttp.ClientSession, settings: DingtalkSettings) -> str:
    """Give the address to connect to, ticket included: a secret. Opens nothing.

    Raises:
        AuthFailed: the platform refuses our credentials.
        NotConnected: it could not be asked, or has no connection for us now.
    """
    body = {
        "clientId": settings.client_id,
        "clientSecret": settings.client_secret.get_secret_value().strip(),
        "ua": "niuma/1.0",
        "subscriptions": subscriptions(),
    }
    try:
        async with asyncio.timeout(settings.connect_timeout_s):
            answer = await send(session, Request("POST", settings.api_base + _PATH, "connections/open", body))
    except (TimeoutError, ChannelError) as error:
        raise NotConnected(f"long connection: {error or type(error).__name__}") from None
    if answer.code:
        raise connect_error(answer.code, answer.message, answer.status)
    endpoint, ticket = text_in(answer.body, "endpoint"), text_in(answer.body, "ticket")
    if not endpoint or not ticket:
        raise NotConnected("long connection: no address given")
    return f"{endpoint}?ticket={quote(ticket, safe='')}"
