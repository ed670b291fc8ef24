"""What may be wrong with one app: questions that change nothing anybody sees, and what the answers mean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from channels.base import Examination, Finding
from channels.clock import Clock
from channels.errors import ChannelError, MissingScope, Rejected
from channels.examining import ANSWER_WITHIN_S, AskedOnce, compare_clocks
from channels.feishu.client import Client
from channels.feishu.discovery import discover
from channels.feishu.http import Request, send
from channels.feishu.scopes import PROBES, SCOPE_OF_CARDS, SCOPES_TO_RECEIVE, lack_of, named
from channels.feishu.settings import FeishuSettings

_BOT_ACTIVE = 2
"""`activate_status` of a bot that the tenant has switched on. Source: open.feishu.cn "获取机器人信息", read 2026-02."""
_NOBODY_BEHIND = frozenset({407, 502, 503, 504})
"""A proxy answers, and not the platform, which refuses a connection without a ticket with 403."""
_CARD: Mapping[str, Any] = {
    "schema": "2.0",
    "config": {"update_multi": True},
    "body": {"elements": [{"tag": "markdown", "content": "niuma doctor"}]},
}


def console_pages(settings: FeishuSettings) -> dict[str, str]:
    """Give the pages of the developer console where this app is set up."""
    app = f"{settings.domain}/app/{settings.app_id}"
    return {"console": app, "console_scopes": f"{app}/auth", "console_events": f"{app}/event"}


@asynccontextmanager
async def examining(settings: FeishuSettings, clock: Clock) -> AsyncGenerator[Sequence[Examination]]:
    """Open a session of its own and give the examinations; see `channels.base.Examinable`."""
    quick = settings.model_copy(update={"request_timeout_s": min(settings.request_timeout_s, ANSWER_WITHIN_S)})
    client = Client(quick, clock)
    client.open()
    doctor = Doctor(quick, client, clock)
    try:
        yield doctor.examinations()
    finally:
        await doctor.close()


class Doctor:
    """Examines one app. The token is asked for once; what needs it is skipped when there is none."""

    def __init__(self, settings: FeishuSettings, client: Client, clock: Clock) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._pages = console_pages(settings)
        self._token = AskedOnce(client.authenticate)

    def examinations(self) -> Sequence[Examination]:
        """Give all, in the order to show them."""
        return (
            Examination("credentials", self.credentials),
            Examination("bot", self._token.before(self.bot, self._refused)),
            Examination("connection", self._token.before(self.connection, self._refused)),
            Examination("subscriptions", self.subscriptions),
            Examination("scopes", self._token.before(self.scopes, self._refused)),
            Examination("cards", self._token.before(self.cards, self._refused)),
            Examination("clock", self.skew),
        )

    async def close(self) -> None:
        """Give up what is under way and close the session."""
        await self._token.close()
        await self._client.close()

    async def credentials(self) -> Finding:
        """Fetch a token."""
        began_s = self._clock.steady_s()
        try:
            await self._token.answer()
        except ChannelError as error:
            return self._refused(error)
        elapsed_ms = round((self._clock.steady_s() - began_s) * 1000)
        return Finding("ok", "token_given", {"app": self._settings.app_id, "elapsed_ms": elapsed_ms})

    async def bot(self) -> Finding:
        """Ask who we are."""
        try:
            bot = await self._client.bot()
        except Rejected as error:
            return self._refused(error, advice="bot_feature_missing")
        except KeyError:
            return Finding("fail", "bot_not_told", self._pages, "bot_feature_missing")
        facts = {"name": bot.get("app_name", ""), "open_id": bot.get("open_id", "")}
        if bot.get("activate_status", _BOT_ACTIVE) != _BOT_ACTIVE:
            facts["status"] = bot["activate_status"]
            return Finding("fail", "bot_inactive", {**self._pages, **facts}, "bot_inactive")
        return Finding("ok", "bot_known", facts)

    async def connection(self) -> Finding:
        """Find the long connection's address and knock without its ticket: a real one would take events away."""
        endpoint = await discover(self._client.session, self._settings)
        address = urlsplit(endpoint.url)
        facts = {"host": address.netloc, **self._pages}
        try:
            knocked = await self._client.session.ws_connect(urlunsplit(address._replace(query="")))
            await knocked.close()
        except aiohttp.WSServerHandshakeError as refusal:
            reason = f"HTTP {refusal.status}" if refusal.status in _NOBODY_BEHIND else ""
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = type(error).__name__
        else:
            reason = ""
        if reason:
            facts["reason"] = reason
            return Finding("fail", "connection_unreachable", facts, "connection_unreachable")
        return Finding("ok", "connection_possible", facts)

    async def subscriptions(self) -> Finding:
        """Say what no request can tell."""
        facts = {**self._pages, "receiving": ", ".join(SCOPES_TO_RECEIVE)}
        return Finding("skipped", "subscriptions_unseen", facts, "subscriptions_unseen")

    async def scopes(self) -> Finding:
        """Make each kind of call we need, aimed at nothing, and see which ones lack a permission."""
        lacks = await asyncio.gather(*(lack_of(self._client, each) for each in PROBES))
        found = [(each, lack) for each, lack in zip(PROBES, lacks, strict=True) if lack]
        if not found:
            return Finding("ok", "scopes_granted", {"scopes": ", ".join(dict.fromkeys(each.scope for each in PROBES))})
        facts = self._missing(*(lack for _, lack in found))
        if any(each.needed for each, _ in found):
            return Finding("fail", "scopes_missing", facts, "missing_scope")
        return Finding("warn", "names_missing", facts, "missing_scope")

    async def cards(self) -> Finding:
        """Create a card that is never sent; the platform drops it after 14 days."""
        try:
            await self._client.create_card(_CARD)
        except MissingScope as error:
            facts = self._missing(named(error, SCOPE_OF_CARDS))
            return Finding("fail", "scopes_missing", facts, "missing_scope")
        return Finding("ok", "cards_possible")

    async def skew(self) -> Finding:
        """Compare our clock with the platform's, by the date of a refusal that needs no token."""
        return await compare_clocks(self._date)

    async def _date(self) -> str:
        request = Request("GET", self._settings.domain + "/open-apis/bot/v3/info", "clock")
        return (await send(self._client.session, request)).headers.get("date", "")

    def _refused(self, error: ChannelError, *, advice: str = "") -> Finding:
        return Finding("fail", "refused", {**self._pages, "reason": str(error)}, advice or error.advice)

    def _missing(self, *scopes: str) -> dict[str, object]:
        """Give the permissions to grant, and the console's page that offers just these."""
        wanted = list(dict.fromkeys(scopes))
        page = f"{self._pages['console_scopes']}?q={','.join(wanted)}&op_from=openapi&token_type=tenant"
        return {**self._pages, "scopes": ", ".join(wanted), "console_scopes": page}
