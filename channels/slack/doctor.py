"""What may be wrong with one app: questions that change nothing anybody sees, and what the answers mean."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp

from channels.base import Examination, Finding
from channels.clock import Clock
from channels.errors import ChannelError
from channels.examining import ANSWER_WITHIN_S, AskedOnce, compare_clocks
from channels.slack.client import Client
from channels.slack.manifest import CORE_SCOPES, EVENTS, NEEDED_SCOPES
from channels.slack.settings import SlackSettings
from channels.transport import transport_error

_KINDS = {"bot_token": "xoxb-", "app_token": "xapp-"}


def app_pages() -> dict[str, str]:
    """Give the page where apps are set up; the platform has one for all of an app's settings."""
    page = "https://api.slack.com/apps"
    return {"console": page, "console_scopes": page, "console_events": page}


@asynccontextmanager
async def examining(settings: SlackSettings, clock: Clock) -> AsyncGenerator[Sequence[Examination]]:
    """Open a session of its own and give the examinations; see `channels.base.Examinable`."""
    quick = settings.model_copy(update={"request_timeout_s": min(settings.request_timeout_s, ANSWER_WITHIN_S)})
    client = Client(quick)
    client.open()
    doctor = Doctor(quick, client, clock)
    try:
        yield doctor.examinations()
    finally:
        await doctor.close()


class Doctor:
    """Examines one app. Who we are is asked for once; what needs that is skipped when it is refused."""

    def __init__(self, settings: SlackSettings, client: Client, clock: Clock) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._pages = app_pages()
        self._me = AskedOnce(client.identify)

    def examinations(self) -> Sequence[Examination]:
        """Give all, in the order to show them."""
        return (
            Examination("token_kinds", self.token_kinds),
            Examination("credentials", self.credentials),
            Examination("bot", self._me.before(self.bot, self._refused)),
            Examination("connection", self.connection),
            Examination("subscriptions", self.subscriptions),
            Examination("scopes", self._me.before(self.scopes, self._refused)),
            Examination("clock", self.skew),
        )

    async def close(self) -> None:
        """Give up what is under way and close the session."""
        await self._me.close()
        await self._client.close()

    async def token_kinds(self) -> Finding:
        """Look at how the tokens begin: swapped ones are the commonest mistake."""
        told = {"bot_token": self._settings.bot_token, "app_token": self._settings.app_token}
        wrong = [key for key, begin in _KINDS.items() if not told[key].get_secret_value().startswith(begin)]
        if wrong:
            wanted = ", ".join(f"{key}: {_KINDS[key]}..." for key in wrong)
            return Finding("fail", "token_kinds_wrong", {**self._pages, "wanted": wanted}, "token_kind_wrong")
        return Finding("ok", "token_kinds_right")

    async def credentials(self) -> Finding:
        """Ask with the bot's token who we are."""
        began_s = self._clock.steady_s()
        try:
            told, _ = await self._me.answer()
        except ChannelError as error:
            return self._refused(error)
        elapsed_ms = round((self._clock.steady_s() - began_s) * 1000)
        return Finding("ok", "token_given", {"app": str(told.get("team") or "?"), "elapsed_ms": elapsed_ms})

    async def bot(self) -> Finding:
        """Tell who we are, and that this is a bot."""
        told, _ = await self._me.answer()
        facts = {"name": str(told.get("user") or ""), "open_id": str(told.get("user_id") or "")}
        if not told.get("bot_id"):
            return Finding("fail", "bot_not_told", {**self._pages, **facts}, "token_kind_wrong")
        return Finding("ok", "bot_known", facts)

    async def connection(self) -> Finding:
        """Ask for a socket's address and leave it unused: an open socket would take events away."""
        try:
            url = await self._client.socket_url()
        except ChannelError as error:
            return self._refused(error)
        return Finding("ok", "connection_possible", {"host": urlsplit(url).netloc, **self._pages})

    async def subscriptions(self) -> Finding:
        """Say what no request can tell: subscribed events, and whether people may write to the bot directly."""
        facts = {**self._pages, "receiving": ", ".join(EVENTS)}
        return Finding("skipped", "subscriptions_unseen", facts, "messages_tab_unseen")

    async def scopes(self) -> Finding:
        """Compare the token's permissions with what we need."""
        _, granted = await self._me.answer()
        if not granted:
            return Finding("skipped", "scopes_untold")
        missing = [scope for scope in NEEDED_SCOPES if scope not in granted]
        if not missing:
            return Finding("ok", "scopes_granted", {"scopes": ", ".join(NEEDED_SCOPES)})
        facts = {**self._pages, "scopes": ", ".join(missing)}
        is_core = not CORE_SCOPES.isdisjoint(missing)
        code = "scopes_missing" if is_core else "names_missing"
        return Finding("fail" if is_core else "warn", code, facts, "scopes_need_install")

    async def skew(self) -> Finding:
        """Compare our clock with the platform's, by the date of an answer that needs no token."""
        return await compare_clocks(self._date)

    async def _date(self) -> str:
        try:
            async with self._client.session.get(f"{self._settings.base_url}api.test") as answer:
                return answer.headers.get("Date", "")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise transport_error(error, "api.test") from error

    def _refused(self, error: ChannelError) -> Finding:
        return Finding("fail", "refused", {**self._pages, "reason": str(error)}, error.advice)
