"""The platform's REST interface as we use it: one call, one answer, one typed error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast
from urllib.parse import quote

import aiohttp

from channels.clock import Clock
from channels.errors import ChannelError, DeliveryUnknown, NotConnected
from channels.feishu.errors import TOKEN_REFUSED, error_of
from channels.feishu.http import Answer, File, Request, download, send
from channels.feishu.settings import FeishuSettings
from channels.feishu.token import TokenSource
from channels.readable import Json, dump
from channels.transport import open_session

T = TypeVar("T")
_IM = "/open-apis/im/v1"
_CARDKIT = "/open-apis/cardkit/v1/cards"


class Client:
    """REST of one app over pooled connections. Calls may overlap. `open` before, `close` after use."""

    def __init__(self, settings: FeishuSettings, clock: Clock) -> None:
        self._settings = settings
        self._token = TokenSource(settings, clock)
        self._session: aiohttp.ClientSession | None = None

    @property
    def session(self) -> aiohttp.ClientSession:
        """Give the open session.

        Raises:
            NotConnected: the adapter is not started or was stopped.
        """
        if self._session is None or self._session.closed:
            raise NotConnected("the channel is not started")
        return self._session

    def open(self) -> None:
        """Open the session; needs a running event loop, sends nothing."""
        self._session = open_session(self._settings.domain, timeout_s=self._settings.request_timeout_s)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def call(
        self, verb: str, path: str, *, body: Mapping[str, Any] | None = None, query: Mapping[str, str] | None = None
    ) -> Json:
        """Make one call and give the whole answer; a refused token is replaced and the call repeated once.

        Raises:
            NotDispatched: the request never left.
            DeliveryUnknown: no usable answer came.
            ChannelError: the platform refused.
        """
        call = f"{verb} {path.removeprefix('/open-apis')}"
        return await self.exchange(Request(verb, self._settings.domain + path, call, body, query))

    async def exchange(self, request: Request) -> Json:
        """Send a request with our token and give the whole answer. Raises like `call`."""
        answer = await self._authorised(request, lambda ready: send(self.session, ready))
        if answer.code == 0:
            return answer.body
        raise _refusal(answer, request)

    async def fetch(self, request: Request, *, max_bytes: int) -> File:
        """Fetch a file with our token.

        Raises:
            TooLong: it has more than `max_bytes`.
            ChannelError: the platform gives no such file.
        """
        found = await self._authorised(request, lambda ready: download(self.session, ready, max_bytes=max_bytes))
        if isinstance(found, Answer):
            raise _refusal(found, request)
        return found

    async def _authorised(self, request: Request, ask: Callable[[Request], Awaitable[T]]) -> T:
        """Ask with our token, and once more with a new one when that one is refused."""
        token = await self._token.get(self.session)
        answer = await ask(replace(request, token=token))
        if isinstance(answer, Answer) and answer.code in TOKEN_REFUSED:
            self._token.forget(token)
            answer = await ask(replace(request, token=await self._token.get(self.session)))
        return answer

    async def message(self, message_id: str) -> list[Json]:
        """Give a message; for a bundle of forwarded ones, itself first and then those, with `upper_message_id`."""
        answer = await self.call("GET", f"{_IM}/messages/{quote(message_id)}")
        return list(_data_of(answer).get("items") or [])

    async def authenticate(self) -> None:
        """Make sure that there is a valid token.

        Raises:
            AuthFailed: the platform refuses our credentials.
            ChannelError: it could not be asked.
        """
        await self._token.get(self.session)

    async def bot(self) -> Json:
        """Give what the platform knows of our bot: `open_id`, `app_name`, `activate_status`."""
        answer: Json = (await self.call("GET", "/open-apis/bot/v3/info"))["bot"]
        return answer

    async def bot_id(self) -> str:
        """Give our own open id in this app."""
        return str((await self.bot())["open_id"])

    async def create_card(self, card: Mapping[str, Any]) -> str:
        """Create a card entity (JSON 2.0) and give its id; nobody sees it yet."""
        answer = await self.call("POST", _CARDKIT, body={"type": "card_json", "data": dump(card)})
        return _text_of(answer, "card_id")

    async def replace_card(self, card_id: str, card: Mapping[str, Any], sequence: int) -> None:
        """Write the whole card."""
        body = {"card": {"type": "card_json", "data": dump(card)}, "sequence": sequence}
        await self.call("PUT", f"{_CARDKIT}/{quote(card_id)}", body=body)

    async def set_card(self, card_id: str, config: Mapping[str, Any], sequence: int) -> None:
        """Change the card's config: streaming mode, summary."""
        body = {"settings": dump({"config": config}), "sequence": sequence}
        await self.call("PATCH", f"{_CARDKIT}/{quote(card_id)}/settings", body=body)

    async def batch_card(self, card_id: str, actions: list[Json], sequence: int) -> None:
        """Change several elements in one request."""
        body = {"actions": dump(actions), "sequence": sequence}
        await self.call("POST", f"{_CARDKIT}/{quote(card_id)}/batch_update", body=body)

    async def stream_text(self, card_id: str, element_id: str, text: str, sequence: int) -> None:
        """Give a text element its full new text; the client types out what was added."""
        path = f"{_CARDKIT}/{quote(card_id)}/elements/{quote(element_id)}/content"
        await self.call("PUT", path, body={"content": text, "sequence": sequence})

    async def send(self, receiver: str, kind: str, content: Mapping[str, Any], uuid: str) -> str:
        """Send a message to a chat or a person and give its id; `uuid` makes a repeat within the hour harmless."""
        body = {"receive_id": receiver, "msg_type": kind, "content": dump(content), "uuid": uuid}
        query = {"receive_id_type": receiver_kind(receiver)}
        answer = await self.call("POST", f"{_IM}/messages", body=body, query=query)
        return _text_of(answer, "message_id")

    async def reply(self, message_id: str, kind: str, content: Mapping[str, Any], uuid: str, *, in_thread: bool) -> str:
        """Answer a message and give the answer's id; `in_thread` keeps it in the topic."""
        body: Json = {"msg_type": kind, "content": dump(content), "uuid": uuid}
        if in_thread:
            body["reply_in_thread"] = True
        answer = await self.call("POST", f"{_IM}/messages/{quote(message_id)}/reply", body=body)
        return _text_of(answer, "message_id")

    async def patch_message(self, message_id: str, card: Mapping[str, Any]) -> None:
        """Replace the card of a message of ours."""
        await self.call("PATCH", f"{_IM}/messages/{quote(message_id)}", body={"content": dump(card)})

    async def messages(
        self, container: str, container_id: str, *, size: int, page: str = "", since_s: int | None = None
    ) -> tuple[list[Json], str]:
        """Give messages of a `chat` or `thread`, newest first (at most 50), and the mark of the page after them.

        `since_s`: those of a chat from that second on, oldest first; the platform has no such search in threads.
        """
        query = {"container_id_type": container, "container_id": container_id, "page_size": str(size)}
        query["sort_type"] = "ByCreateTimeDesc" if since_s is None else "ByCreateTimeAsc"
        if since_s is not None:
            query["start_time"] = str(since_s)
        if page:
            query["page_token"] = page
        data = _data_of(await self.call("GET", f"{_IM}/messages", query=query))
        return list(data.get("items") or []), str(data.get("page_token") or "") if data.get("has_more") else ""

    async def card_of(self, message_id: str) -> str:
        """Give the id of the card entity that a message of ours shows."""
        answer = await self.call("POST", f"{_CARDKIT}/id_convert", body={"message_id": message_id})
        return _text_of(answer, "card_id")

    async def user_name(self, open_id: str) -> str:
        """Give a person's name."""
        path = f"/open-apis/contact/v3/users/{quote(open_id, safe='')}"
        answer = await self.call("GET", path, query={"user_id_type": "open_id"})
        return _text_of(answer, "user", "name")

    async def add_reaction(self, message_id: str, emoji: str) -> str:
        """Set a sign on a message and give the sign's id."""
        body = {"reaction_type": {"emoji_type": emoji}}
        answer = await self.call("POST", f"{_IM}/messages/{quote(message_id)}/reactions", body=body)
        return _text_of(answer, "reaction_id")

    async def own_reactions(self, message_id: str, emoji: str) -> list[str]:
        """Give the ids of the signs of this kind that this app set, among the first 50.

        Source: https://open.feishu.cn/document/server-docs/im-v1/message-reaction/list, read 2026-11-30.
        """
        path = f"{_IM}/messages/{quote(message_id)}/reactions"
        data = _data_of(await self.call("GET", path, query={"reaction_type": emoji, "page_size": "50"}))
        return _set_by(self._settings.app_id, list(data.get("items") or []))

    async def remove_reaction(self, message_id: str, reaction_id: str) -> None:
        """Take a sign of ours away."""
        await self.call("DELETE", f"{_IM}/messages/{quote(message_id)}/reactions/{quote(reaction_id)}")


def _set_by(app_id: str, items: Sequence[Json]) -> list[str]:
    """Give the ids of an app's own signs; where no operator is called by the app's id, those of all apps."""
    operators: list[Json] = [each.get("operator") or {} for each in items]
    told = list(zip(items, operators, strict=True))
    by_apps = [each for each, operator in told if operator.get("operator_type") == "app"]
    own = [each for each, operator in told if operator.get("operator_id") == app_id]
    return [str(each.get("reaction_id")) for each in own or by_apps]


def _data_of(answer: Json) -> Json:
    data: object = answer.get("data")
    if not isinstance(data, dict):
        raise DeliveryUnknown("an answer without data", code="answer_incomplete")
    return cast("Json", data)


def _text_of(answer: Json, *path: str) -> str:
    """Give a text of an answer that said yes; one that lacks it leaves open what was done."""
    value = cast("object", _data_of(answer))
    for name in path:
        value = cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None
    if not value:
        raise DeliveryUnknown(f"an answer without {'.'.join(path)}", code="answer_incomplete")
    return str(value)


def _refusal(answer: Answer, request: Request) -> ChannelError:
    message = str(answer.body.get("msg", ""))
    return error_of(answer.code, message, status=answer.status, headers=answer.headers, call=request.call)


def receiver_kind(receiver: str) -> str:
    """Tell what a receiver is: a chat, a person, or an address of a person.

    Source: open.feishu.cn "如何获取不同的 ID", read 2026-02: chat ids begin with `oc_`, open ids with `ou_`, union ids
    with `on_`.
    """
    if "@" in receiver:
        return "email"
    return {"ou": "open_id", "on": "union_id"}.get(receiver.partition("_")[0], "chat_id")
