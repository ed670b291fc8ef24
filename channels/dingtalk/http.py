"""One request to the platform and what it answers: JSON, with a code where it refuses, or a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from channels.dingtalk.errors import BLOCKED
from channels.downloads import Door, get
from channels.errors import DeliveryUnknown
from channels.readable import Json, dump, read_object
from channels.transport import read_at_most, transport_error

TOKEN_HEADER = "x-acs-dingtalk-access-token"


@dataclass(frozen=True, slots=True)
class Upload:
    """A form with one file in the field `media`."""

    kind: str
    file_name: str
    content: bytes

    def form(self) -> aiohttp.FormData:
        """Give it for one request; a form can be sent only once."""
        form = aiohttp.FormData({"type": self.kind})
        form.add_field("media", self.content, filename=self.file_name, content_type="application/octet-stream")
        return form


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `call` names it in errors. The address never appears there: it may hold a ticket or a session."""

    verb: str
    url: str
    call: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] | None = None
    token: str = ""
    upload: Upload | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the platform said: HTTP status, lower-case headers, its code (empty: done) and the whole JSON body."""

    status: int
    headers: Mapping[str, str]
    code: str
    body: Json

    @property
    def message(self) -> str:
        """Give the platform's own words."""
        return str(self.body.get("message") or self.body.get("errmsg") or "")


async def send(session: aiohttp.ClientSession, request: Request) -> Answer:
    """Send a request and read the answer, whatever its code.

    aiohttp repeats a PUT by itself when a kept connection was reset. All ours may be: a frame keeps its guid, and an
    update carries whole values.

    Raises:
        NotDispatched: it never left.
        DeliveryUnknown: no usable answer came; it may have been carried out.
    """
    headers = {"Accept": "application/json"}
    if request.token:
        headers[TOKEN_HEADER] = request.token
    data: bytes | aiohttp.FormData | None = None
    if request.body is not None:
        headers["Content-Type"] = "application/json; charset=utf-8"
        data = dump(request.body).encode()
    if request.upload is not None:
        data = request.upload.form()
    try:
        async with session.request(
            request.verb, request.url, data=data, params=request.query, headers=headers
        ) as response:
            raw, status, answered = await response.read(), response.status, response.headers
    except (aiohttp.ClientError, TimeoutError) as error:
        raise transport_error(error, request.call) from None
    return _answer(raw, status, {name.lower(): value for name, value in answered.items()}, request.call)


def _answer(raw: bytes, status: int, headers: Mapping[str, str], call: str) -> Answer:
    try:
        body = read_object(raw)
    except ValueError:
        if status in (403, 429):
            return Answer(status, headers, BLOCKED, {})
        raise DeliveryUnknown(f"{call}: HTTP {status} without JSON") from None
    if body.get("punish") == "deny":
        return Answer(status, headers, BLOCKED, body)
    if status >= 400:
        return Answer(status, headers, str(body.get("code") or status), body)
    return Answer(status, headers, "", body)


HOSTS = (".dingtalk.com", ".dingtalkapps.com", ".aliyuncs.com", ".alicdn.com")
"""Where files lie: the platform's hosts and its owner's storage. Source: open.dingtalk.com
"download the file content of the robot message", read 2026-12-01; the addresses are temporary, and http."""


async def download(session: aiohttp.ClientSession, url: str, base: str, *, max_bytes: int) -> tuple[bytes, str]:
    """Fetch a file from an address the platform gave; gives its bytes and the type the server names.

    `base` is the address of the account's API, which may have the file itself.

    Raises:
        Rejected: it lies elsewhere, or is redirected to elsewhere.
        TooLong: it has more than `max_bytes`; the rest is not read.
        NotDispatched, DeliveryUnknown: like `send`, also when the server refuses.
    """
    try:
        async with await get(session, url, Door(base, HOSTS, takes_http=True)) as response:
            if response.status != 200:
                raise DeliveryUnknown(f"file: HTTP {response.status}")
            return await read_at_most(response, max_bytes, "file"), response.content_type
    except (aiohttp.ClientError, TimeoutError) as error:
        raise transport_error(error, "file") from None
