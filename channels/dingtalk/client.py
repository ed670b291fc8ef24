"""The platform's REST interface as we use it: one call, one answer, one typed error. Nothing here is paced."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from channels.clock import Clock
from channels.dingtalk.address import Place
from channels.dingtalk.errors import NOT_DELIVERED, TOKEN_REFUSED, error_of, webhook_error
from channels.dingtalk.http import Answer, Request, Upload, download, send
from channels.dingtalk.settings import DingtalkSettings
from channels.dingtalk.token import TokenSource
from channels.errors import ChannelError, DeliveryUnknown, NotConnected, RateLimited, Rejected
from channels.readable import Json, dump, object_in, objects_in, text_in
from channels.transport import open_session

_CARD = "/v1.0/card"
_ROBOT = "/v1.0/robot"
_EMOTION: Json = {"emotionId": "2659900", "backgroundId": "im_bg_1"}
"""Source: dingtalk-openclaw-connector and others, read 2026-11-30; not in the platform's own pages."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One state of a streamed text: always the whole of it. `guid` stays the same when it is sent again."""

    out_track_id: str
    guid: str
    key: str
    content: str
    is_last: bool = False
    is_error: bool = False


class Client:
    """REST of one app over pooled connections. Calls may overlap. `open` before, `close` after use."""

    def __init__(self, settings: DingtalkSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
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
        self._session = open_session(self._settings.api_base, timeout_s=self._settings.request_timeout_s)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def authenticate(self) -> None:
        """Make sure that there is a valid token. Raises `AuthFailed` or what kept us from asking."""
        await self._token.get(self.session)

    async def call(self, verb: str, path: str, body: Mapping[str, Any]) -> Json:
        """Make one call and give the whole answer; a refused token is replaced and the call repeated once.

        Raises:
            NotDispatched: the request never left.
            DeliveryUnknown: no usable answer came.
            ChannelError: the platform refused.
        """
        request = Request(verb, self._settings.api_base + path, f"{verb} {path.removeprefix('/v1.0')}", body)
        answer = await self._authorised(lambda token: send(self.session, replace(request, token=token)))
        if answer.code:
            raise self._refusal(answer, request.call)
        return answer.body

    async def _authorised(self, ask: Callable[[str], Awaitable[Answer]]) -> Answer:
        """Ask with the token, and once more with another where it is refused."""
        token = await self._token.get(self.session)
        answer = await ask(token)
        if answer.code.lower() in TOKEN_REFUSED:
            self._token.forget(token)
            answer = await ask(await self._token.get(self.session))
        return answer

    def _refusal(self, answer: Answer, call: str) -> ChannelError:
        now_ms = self._clock.now_ms()
        return error_of(answer.code, answer.message, status=answer.status, body=answer.body, call=call, now_ms=now_ms)

    # Cards.

    async def deliver_card(self, body: Mapping[str, Any]) -> None:
        """Create a card and put it into its conversation, in one call.

        Raises:
            Rejected: created but not delivered: HTTP 200 hides that; code `not_delivered`.
            ChannelError: refused, see `call`.
        """
        answer = await self.call("POST", f"{_CARD}/instances/createAndDeliver", body)
        results = objects_in(object_in(answer, "result"), "deliverResults")
        if answer.get("success") is False or not results:
            raise Rejected("card: the platform does not say that it was delivered", code=NOT_DELIVERED)
        failed = [each for each in results if not each.get("success")]
        if failed:
            raise Rejected(f"card: not delivered: {str(failed[0])[:200]}", code=NOT_DELIVERED)

    async def stream(self, frame: Frame) -> None:
        """Show a text on a card as it is now."""
        body = {
            "outTrackId": frame.out_track_id,
            "guid": frame.guid,
            "key": frame.key,
            "content": frame.content,
            "isFull": True,
            "isFinalize": frame.is_last,
            "isError": frame.is_error,
        }
        self._check(await self.call("PUT", f"{_CARD}/streaming", body), "PUT /card/streaming")

    async def update_card(self, out_track_id: str, public: Mapping[str, str], private: Mapping[str, Any]) -> None:
        """Change variables of a card by name; all others stay. `private` holds variables by user."""
        body: Json = {
            "outTrackId": out_track_id,
            "userIdType": 1,
            "cardData": {"cardParamMap": dict(public)},
            # Without these the platform drops every variable that is not named here.
            "cardUpdateOptions": {"updateCardDataByKey": True, "updatePrivateDataByKey": True},
        }
        if private:
            body["privateData"] = {user: {"cardParamMap": dict(values)} for user, values in private.items()}
        self._check(await self.call("PUT", f"{_CARD}/instances", body), "PUT /card/instances")

    def _check(self, answer: Json, call: str) -> None:
        if answer.get("success") is False:
            raise Rejected(f"{call}: success is false", code="not_done")

    # Messages.

    async def send(self, place: Place, key: str, param: Mapping[str, Any]) -> str:
        """Send a robot message to a person or a group; gives its id.

        Raises:
            Rejected: HTTP 200 with the person in a list of those it did not reach.
            ChannelError: see `call`.
        """
        body = {"robotCode": self._settings.robot, "msgKey": key, "msgParam": dump(param)}
        if place.kind == "group":
            answer = await self.call("POST", f"{_ROBOT}/groupMessages/send", {**body, "openConversationId": place.id})
            return text_in(answer, "processQueryKey")
        answer = await self.call("POST", f"{_ROBOT}/oToMessages/batchSend", {**body, "userIds": [place.id]})
        if place.id in (answer.get("flowControlledStaffIdList") or ()):
            raise RateLimited("message: the person gets too many", retry_after_s=2.0, scope="chat", code="flow")
        if place.id in (answer.get("invalidStaffIdList") or ()):
            raise Rejected("message: no such person", code="staffId.notExisted")
        return text_in(answer, "processQueryKey")

    async def send_webhook(self, url: str, message: Mapping[str, Any]) -> None:
        """Send a message to the address that came with somebody's message; it gets no id.

        Raises:
            ChannelError: refused: HTTP 200 with a number.
        """
        answer = await send(self.session, Request("POST", url, "sessionWebhook", message))
        code = answer.body.get("errcode")
        if answer.code:
            raise self._refusal(answer, "sessionWebhook")
        if not isinstance(code, int):
            raise DeliveryUnknown("sessionWebhook: an answer without errcode")
        if code:
            raise webhook_error(code, answer.message)

    async def emotion(self, message_id: str, conversation_id: str, words: str, *, on: bool) -> None:
        """Put our sign on a person's message or take it away."""
        body = {
            "robotCode": self._settings.robot,
            "openMsgId": message_id,
            "openConversationId": conversation_id,
            "emotionType": 2,
            "emotionName": words,
            "textEmotion": {**_EMOTION, "emotionName": words, "text": words},
        }
        await self.call("POST", f"{_ROBOT}/emotion/{'reply' if on else 'recall'}", body)

    # Files.

    async def download(self, code: str, *, max_bytes: int) -> tuple[bytes, str]:
        """Fetch a file of a message; gives its bytes and the type the server names."""
        body = {"downloadCode": code, "robotCode": self._settings.robot}
        answer = await self.call("POST", f"{_ROBOT}/messageFiles/download", body)
        return await download(
            self.session, text_in(answer, "downloadUrl"), self._settings.api_base, max_bytes=max_bytes
        )

    async def upload(self, upload: Upload) -> str:
        """Upload a file and give its media id. This host takes the token in the address and says no with HTTP 200."""
        url = f"{self._settings.oapi_base}/media/upload"

        async def put(token: str) -> Answer:
            query = {"access_token": token, "type": upload.kind}
            answer = await send(self.session, Request("POST", url, "media/upload", query=query, upload=upload))
            return replace(answer, code=answer.code or str(answer.body.get("errcode") or ""))

        answer = await self._authorised(put)
        if answer.code:
            raise self._refusal(answer, "media/upload")
        if not text_in(answer.body, "media_id"):
            raise DeliveryUnknown("media/upload: an answer without a media id")
        return text_in(answer.body, "media_id")
