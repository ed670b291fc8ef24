"""One request to the platform and what it answers: JSON with a code, or a file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import aiohttp

from channels.downloads import Door, get
from channels.errors import DeliveryUnknown
from channels.readable import Json, dump, read_json
from channels.transport import read_at_most, transport_error

_SLOW_BYTES_PER_S = 1_000_000
"""30 MB, the most the platform takes, go within 40 s: less than one try of a delivery has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the platform said: HTTP status, lower-case headers, its own `code` (0: done) and the whole JSON body."""

    status: int
    headers: Mapping[str, str]
    code: int
    body: Json


@dataclass(frozen=True, slots=True)
class Upload:
    """A form with one file in the field `name`."""

    fields: Mapping[str, str]
    name: str
    file_name: str
    content: bytes

    def form(self) -> aiohttp.FormData:
        """Give it for one request; a form can be sent only once. The content is sent in pieces: it may be large."""
        form = aiohttp.FormData(dict(self.fields))
        form.add_field(
            self.name, io.BytesIO(self.content), filename=self.file_name, content_type="application/octet-stream"
        )
        return form


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `call` names it in errors, `body` is sent as JSON, `upload` as a form with a file."""

    verb: str
    url: str
    call: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] | None = None
    token: str = ""
    upload: Upload | None = None


async def send(session: aiohttp.ClientSession, request: Request) -> Answer:
    """Send a request and read the answer, whatever its code.

    Raises:
        NotDispatched: it never left.
        DeliveryUnknown: no usable answer came; it may have been carried out.
    """
    headers = {"Content-Type": "application/json; charset=utf-8"} if request.body is not None else {}
    if request.token:
        headers["Authorization"] = f"Bearer {request.token}"
    timeout = session.timeout
    data: bytes | aiohttp.FormData | None = dump(request.body).encode() if request.body is not None else None
    if request.upload is not None:
        data, timeout = request.upload.form(), _uploading(timeout, len(request.upload.content))
    try:
        async with session.request(
            request.verb, request.url, data=data, params=request.query, headers=headers, timeout=timeout
        ) as response:
            raw, status, answered = await response.read(), response.status, response.headers
    except (aiohttp.ClientError, TimeoutError) as error:
        raise transport_error(error, request.call) from error
    body = _parse_body(raw)
    code = body.get("code") if body is not None else None
    if body is None or not isinstance(code, int):
        if status == 429:
            return Answer(status, _lower(answered), status, {})
        raise DeliveryUnknown(f"{request.call}: HTTP {status} without a code")
    return Answer(status, _lower(answered) if code else {}, code, body)


def _uploading(usual: aiohttp.ClientTimeout, size_bytes: int) -> aiohttp.ClientTimeout:
    """Give a large upload the time that a slow line needs for it."""
    return aiohttp.ClientTimeout(total=(usual.total or 0) + size_bytes / _SLOW_BYTES_PER_S, connect=usual.connect)


@dataclass(frozen=True, slots=True)
class File:
    """A downloaded file."""

    content: bytes
    mime: str
    name: str
    """What the platform calls it; may be empty."""


HOSTS = (".feishu.cn", ".feishucdn.com", ".larksuite.com", ".larksuitecdn.com")
"""Where the platform may send for a file; its API gives files itself. Source: open.feishu.cn
"获取消息中的资源文件" names no other, read 2026-12-01."""
_REFUSAL_BYTES = 1_000_000


async def download(session: aiohttp.ClientSession, request: Request, *, max_bytes: int) -> File | Answer:
    """Fetch a file; an `Answer` when the platform gives none.

    Raises:
        TooLong: it has more than `max_bytes`; the rest is not read.
        NotDispatched, DeliveryUnknown: like `send`.
    """
    door = Door(request.url, HOSTS, headers={"Authorization": f"Bearer {request.token}"})
    try:
        async with await get(session, request.url, door, request.query) as response:
            answer = await _refusal(response)
            if answer is not None:
                return answer
            content = await read_at_most(response, max_bytes, request.call)
            name = response.content_disposition.filename if response.content_disposition else None
            return File(content, response.content_type, name or "")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise transport_error(error, request.call) from error


async def _refusal(response: aiohttp.ClientResponse) -> Answer | None:
    """Read what came instead of a file: JSON with a code, also under HTTP 200."""
    if response.status == 200 and response.content_disposition is not None:
        return None
    if response.status == 200 and response.content_type != "application/json":
        return None
    body = _parse_body(await read_at_most(response, _REFUSAL_BYTES, "a refusal")) or {}
    code = body.get("code")
    return Answer(response.status, _lower(response.headers), code if isinstance(code, int) else -1, body)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _parse_body(raw: bytes) -> Json | None:
    """Read an answer's body; `None` when it is no JSON object (a proxy's page, half an answer)."""
    try:
        body = read_json(raw)
    except ValueError:
        return None
    return cast("Json", body) if isinstance(body, dict) else None
