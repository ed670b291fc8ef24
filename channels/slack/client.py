"""The Web API as we use it: one call, one answer, one typed error.

The SDK's client neither sends again by itself nor opens a session for each request: a repeated post is a second post.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from channels.errors import ChannelError, DeliveryUnknown, NotConnected
from channels.readable import Json
from channels.slack.errors import error_of
from channels.slack.settings import SlackSettings
from channels.transport import open_session, proxy_of, transport_error

Ask = Callable[..., Awaitable[AsyncSlackResponse]]
_READS = ("conversations.", "users.", "auth.", "files.getUploadURLExternal", "files.info", "apps.")
"""Methods that take their arguments in the address only. Source: docs.slack.dev "Web API", read 2026-08."""


class Client:
    """Calls of one app over one session. They may overlap. `open` before, `close` after use."""

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None
        self._bot: AsyncWebClient | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        """Give the open session.

        Raises:
            NotConnected: the adapter is not started or was stopped.
        """
        if self._session is None or self._session.closed:
            raise NotConnected("the channel is not started")
        return self._session

    @property
    def web(self) -> AsyncWebClient:
        """Give the SDK's client with the bot's token. Raises like `session`."""
        if self._bot is None:
            raise NotConnected("the channel is not started")
        return self._bot

    @property
    def bot_token(self) -> str:
        """Give the bot's token, for files, which are no calls."""
        return self._settings.bot_token.get_secret_value()

    def open(self) -> None:
        """Open the session; needs a running event loop, sends nothing."""
        self._session = open_session(self._settings.base_url, timeout_s=self._settings.request_timeout_s)
        self._bot = self._web(self.bot_token)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def call(self, method: str, arguments: Mapping[str, Any] | None = None) -> Json:
        """Make one call as the bot and give the whole answer.

        Raises:
            NotDispatched: it never left.
            DeliveryUnknown: no usable answer came.
            ChannelError: the platform refused.
        """
        body, _ = await self._call(self.web, method, arguments or {})
        return body

    async def identify(self) -> tuple[Json, frozenset[str]]:
        """Ask who the bot is; gives the answer to `auth.test` and the permissions of the token. Raises like `call`."""
        body, headers = await self._call(self.web, "auth.test", {})
        told = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), "")
        return body, frozenset(part.strip() for part in told.split(",") if part.strip())

    async def socket_url(self) -> str:
        """Ask for the address of a new socket, which is good for one. Raises like `call`."""
        body, _ = await self._call(self._web(self._settings.app_token.get_secret_value()), "apps.connections.open", {})
        url = str(body.get("url") or "")
        if not url:
            raise NotConnected("apps.connections.open gave no address", code="answer_incomplete")
        return url

    def _web(self, token: str) -> AsyncWebClient:
        web = AsyncWebClient(
            token=token,
            base_url=self._settings.base_url,
            session=self.session,
            timeout=int(self._settings.request_timeout_s),
            retry_handlers=[],
        )
        # Left to itself the SDK goes through the environment's proxy to this machine as well.
        web.proxy = proxy_of(self._settings.base_url)
        return web

    async def _call(
        self, web: AsyncWebClient, method: str, arguments: Mapping[str, Any]
    ) -> tuple[Json, Mapping[str, str]]:
        given = {name: value for name, value in arguments.items() if value is not None}
        ask = cast("Ask", web.api_call)  # pyright: ignore[reportUnknownMemberType]
        try:
            if method.startswith(_READS):
                answer = await ask(method, http_verb="GET", params=given)
            else:
                answer = await ask(method, json=given)
        except SlackApiError as error:
            raise _refusal(error, method) from None
        except (aiohttp.ClientError, TimeoutError) as error:
            raise transport_error(error, method) from error
        except (SlackClientError, ValueError) as error:
            raise DeliveryUnknown(f"{method}: {type(error).__name__}") from error
        return cast("Json", answer.data), cast("Mapping[str, str]", answer.headers)


def _refusal(error: SlackApiError, method: str) -> ChannelError:
    answer: Any = error.response
    body: Any = getattr(answer, "data", None)
    status = int(getattr(answer, "status_code", 0) or getattr(answer, "status", 0) or 0)
    told: Json = cast("Json", body) if isinstance(body, dict) else {}
    headers = cast("Mapping[str, str]", getattr(answer, "headers", None) or {})
    return error_of(str(told.get("error") or ""), status=status, headers=headers, body=told, call=method)
