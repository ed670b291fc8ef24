"""Where to connect: one request with the app's credentials gives the address of the long connection.

Source: lark-oapi 1.7.5 `ws/client.py`, `ws/model.py`, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from channels.errors import DeliveryUnknown, NotConnected
from channels.feishu.errors import connect_error
from channels.feishu.http import Request, send
from channels.feishu.settings import FeishuSettings

_PATH = "/callback/ws/endpoint"
DEFAULT_PING_S = 120.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`url` holds a ticket: it must not be logged."""

    url: str
    service_id: int
    ping_interval_s: float


async def discover(session: aiohttp.ClientSession, settings: FeishuSettings) -> Endpoint:
    """Ask for the address.

    Raises:
        AuthFailed: the credentials are refused.
        NotConnected: no usable answer, or the platform is busy.
    """
    body = {"AppID": settings.app_id, "AppSecret": settings.app_secret.get_secret_value()}
    try:
        answer = await send(session, Request("POST", settings.domain + _PATH, "long connection", body))
    except DeliveryUnknown as error:
        raise NotConnected(str(error)) from error
    if answer.status != 200 and answer.code in (0, answer.status):
        raise NotConnected(f"long connection: HTTP {answer.status}")
    if answer.code != 0:
        raise connect_error(answer.code, str(answer.body.get("msg", "")))
    return _parse_endpoint(answer.body.get("data") or {})


def _parse_endpoint(data: Mapping[str, Any]) -> Endpoint:
    url = str(data.get("URL", ""))
    service = parse_qs(urlsplit(url).query).get("service_id", [""])[0]
    if not service.isdigit():
        raise NotConnected("long connection: the answer holds no usable address")
    return Endpoint(url, int(service), ping_interval_of(data.get("ClientConfig")) or DEFAULT_PING_S)


def ping_interval_of(config: object) -> float | None:
    """Give the ping interval that a ClientConfig of the platform names, in seconds."""
    if not isinstance(config, Mapping):
        return None
    value: object = config.get("PingInterval")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return float(value) if isinstance(value, int | float) and value > 0 else None
