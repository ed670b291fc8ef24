"""Files: download codes and the host they lead to, uploads of the robot.

Source: open.dingtalk.com "Download the file content of a message", "Upload media files", read 2026-08.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import BodyPartReader, web

from channels.simulators.dingtalk.errors import ApiError, OapiError
from channels.simulators.dingtalk.gate import SPEAKER, Call, Gate
from channels.simulators.dingtalk.world import App, StoredFile, World, new_id
from channels.simulators.jsons import Json

MB = 1024 * 1024
MOST_BYTES = {"image": 20 * MB, "video": 20 * MB, "file": 20 * MB, "voice": 2 * MB}
FILE_ENDS = (".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".zip", ".pdf", ".rar")


@dataclass
class Code:
    """Leave to download one file, for one robot, for a while."""

    file_id: str
    app_id: str
    ends_s: float


class Files:
    """Keeps files, and answers the upload and download calls."""

    def __init__(self, gate: Gate, world: World, base_url: Callable[[], str]) -> None:
        self._gate = gate
        self._world = world
        self._base_url = base_url
        self._codes: dict[str, Code] = {}
        self._links: dict[str, Code] = {}

    def routes(self) -> list[web.RouteDef]:
        """Give the routes of the three hosts."""
        return [
            web.post("/v1.0/robot/messageFiles/download", self._gate.api(self._download)),
            web.post("/media/upload", self._gate.open(self._upload)),
            web.get("/_files/{name}", self._gate.open(self._fetch)),
        ]

    def keep(self, name: str, data: bytes, kind: str = "file") -> str:
        """Store bytes; gives their id, which for a robot is the media id."""
        file_id = new_id("@lA")
        self._world.files[file_id] = StoredFile(file_id, name, data, kind)
        return file_id

    def content(self, file_id: str) -> bytes:
        """Give the bytes of a file.

        Raises:
            KeyError: there is none of this id.
        """
        return self._world.files[file_id].data

    def offer(self, file_id: str, app: App) -> str:
        """Give a new download code for a robot."""
        code = new_id("mIof")
        self._codes[code] = Code(file_id, app.app_id, self._ends_s(self._gate.options.download_code_life_s))
        return code

    def _download(self, call: Call) -> Json:
        check_robot(call, self._world)
        code = self._codes.get(str(call.body.get("downloadCode", "")))
        if code is None or code.ends_s <= self._gate.clock.steady_s():
            raise ApiError("invalidParameter.robotCode.downloadCode")
        if code.app_id != call.app.app_id:
            raise ApiError("invalidParameter.robotCode.auth")
        name = f"{uuid.uuid4().hex}.file"
        self._links[name] = Code(code.file_id, code.app_id, self._ends_s(self._gate.options.download_url_life_s))
        return {"downloadUrl": f"{self._base_url()}/_files/{name}"}

    async def _fetch(self, request: web.Request, _body: Json) -> web.Response:
        link = self._links.get(request.match_info["name"])
        if link is None or link.ends_s <= self._gate.clock.steady_s():
            return web.Response(
                status=403, text="<Error><Code>AccessDenied</Code></Error>", content_type="application/xml"
            )
        return web.Response(body=self._world.files[link.file_id].data, content_type="application/octet-stream")

    async def _upload(self, request: web.Request, body: Json) -> Json:
        assert self._gate.tokens is not None
        app = self._gate.tokens.check_oapi(request.query.get("access_token"))
        request[SPEAKER] = app.app_id
        kind, name, data = await _read_form(request)
        kind = kind or request.query.get("type", "")
        if kind not in MOST_BYTES or (kind == "file" and not name.lower().endswith(FILE_ENDS)):
            raise OapiError(40004)
        if not data or len(data) > MOST_BYTES[kind]:
            raise OapiError(40006)
        media_id = self.keep(name, data, kind)
        return {
            "errcode": 0,
            "errmsg": "ok",
            "media_id": media_id,
            "created_at": self._gate.clock.now_ms(),
            "type": kind,
        }

    def _ends_s(self, life_s: float) -> float:
        return self._gate.clock.steady_s() + life_s


def check_robot(call: Call, world: World) -> None:
    """Refuse a call that names another robot than its token's.

    Raises:
        ApiError: `invalidParameter.robotCode.empty`, `.notExsit` (the vendor's spelling), `.auth` for another app's.
    """
    code = call.body.get("robotCode")
    if not code:
        raise ApiError("invalidParameter.robotCode.empty")
    if code != call.app.app_id:
        raise ApiError(f"invalidParameter.robotCode.{'auth' if code in world.apps else 'notExsit'}")


async def _read_form(request: web.Request) -> tuple[str, str, bytes]:
    kind, name, data = "", "", b""
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        if part.name == "media":
            name, data = part.filename or "", bytes(await part.read())
        elif part.name == "type":
            kind = await part.text()
    return kind, name, data
