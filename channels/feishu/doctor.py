"""What may be wrong with one app: questions that change nothing anybody sees, and what the answers mean."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import aiohttp

from channels.base import Examination, Finding
from channels.clock import Clock
from channels.errors import ChannelError, MissingScope, Rejected
from channels.feishu.client import Client
from channels.feishu.discovery import discover
from channels.feishu.http import Request, send
from channels.feishu.scopes import PROBES, SCOPE_OF_CARDS, SCOPES_TO_RECEIVE, lack_of, named
from channels.feishu.settings import FeishuSettings

_ANSWER_WITHIN_S = 3.5
"""Twice that, for the token and the call, is less than an examination may take."""
_SKEW_WARN_S = 10.0
_SKEW_FAIL_S = 300.0
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
    quick = settings.model_copy(update={"request_timeout_s": min(settings.request_timeout_s, _ANSWER_WITHIN_S)})
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
        self._token: asyncio.Task[None] | None = None

    def examinations(self) -> Sequence[Examination]:
        """Give all, in the order to show them."""
        return (
            Examination("credentials", self.credentials),
            Examination("bot", self._with_token(self.bot)),
            Examination("connection", self._with_token(self.connection)),
            Examination("subscriptions", self.subscriptions),
            Examination("scopes", self._with_token(self.scopes)),
            Examination("cards", self._with_token(self.cards)),
            Examination("clock", self.skew),
        )

    async def close(self) -> None:
        """Give up what is under way and close the session."""
        if self._token is not None:
            self._token.cancel()
            await asyncio.gather(self._token, return_exceptions=True)
        await self._client.close()

    async def credentials(self) -> Finding:
        """Fetch a token."""
        began_s = self._clock.steady_s()
        try:
            await self._authenticated()
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
        url = self._settings.domain + "/open-apis/bot/v3/info"
        before_ms = time.time() * 1000
        try:
            answer = await send(self._client.session, Request("GET", url, "clock"))
            theirs_ms = parsedate_to_datetime(answer.headers["date"]).timestamp() * 1000
        except ChannelError as error:
            return Finding("skipped", "no_answer", {"reason": str(error)})
        except (KeyError, ValueError):
            return Finding("skipped", "no_date")
        # The header has whole seconds: half of one is its best guess.
        skew_s = ((before_ms + time.time() * 1000) / 2 - theirs_ms - 500) / 1000
        facts = {"skew_s": f"{skew_s:+.1f}"}
        if abs(skew_s) < _SKEW_WARN_S:
            return Finding("ok", "clock_right", facts)
        return Finding("fail" if abs(skew_s) >= _SKEW_FAIL_S else "warn", "clock_skewed", facts, "clock_skewed")

    async def _authenticated(self) -> None:
        """Fetch the token, once for all who wait. Raises what `Client.authenticate` raises."""
        if self._token is None:
            self._token = asyncio.get_running_loop().create_task(self._client.authenticate())
        await asyncio.shield(self._token)

    def _with_token(self, examine: Callable[[], Awaitable[Finding]]) -> Callable[[], Awaitable[Finding]]:
        """Skip an examination without a token: `credentials` tells why; else tell what was refused."""

        async def examined() -> Finding:
            try:
                await self._authenticated()
            except ChannelError:
                return Finding("skipped", "needs_credentials")
            try:
                return await examine()
            except ChannelError as error:
                return self._refused(error)

        return examined

    def _refused(self, error: ChannelError, *, advice: str = "") -> Finding:
        return Finding("fail", "refused", {**self._pages, "reason": str(error)}, advice or error.advice)

    def _missing(self, *scopes: str) -> dict[str, object]:
        """Give the permissions to grant, and the console's page that offers just these."""
        wanted = list(dict.fromkeys(scopes))
        page = f"{self._pages['console_scopes']}?q={','.join(wanted)}&op_from=openapi&token_type=tenant"
        return {**self._pages, "scopes": ", ".join(wanted), "console_scopes": page}
