"""Pictures and files: uploads of the bot, attachments of people, and their download.

Source: open.feishu.cn pages of im-v1 image, file and message resource, read 2026-02.
"""

from __future__ import annotations

from aiohttp import BodyPartReader, web

from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.gate import Call, Gate
from channels.simulators.feishu.messages import Messages
from channels.simulators.feishu.world import World, new_id
from channels.simulators.jsons import Json

IMAGE_BYTES = 10 * 1024 * 1024
FILE_BYTES = 30 * 1024 * 1024
FILE_TYPES = ("opus", "mp4", "pdf", "doc", "xls", "ppt", "stream")


class Files:
    """Answers the upload and download calls."""

    def __init__(self, gate: Gate, world: World, messages: Messages) -> None:
        self._gate = gate
        self._world = world
        self._messages = messages

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        api = self._gate.api
        return [
            web.post("/open-apis/im/v1/images", api(self._image)),
            web.post("/open-apis/im/v1/files", api(self._file)),
            web.get("/open-apis/im/v1/messages/{message_id}/resources/{file_key}", api(self._resource)),
        ]

    def keep(self, prefix: str, name: str, data: bytes) -> str:
        """Store bytes; gives their key (`img_...` or `file_...`)."""
        key = new_id(prefix)
        self._world.files[key] = (name, data)
        return key

    async def _image(self, call: Call) -> Json:
        fields, data = await _read_form(call.request, "image")
        if fields.get("image_type") not in ("message", "avatar") or not data:
            raise ApiError(99992402, "image_type or image")
        if len(data) > IMAGE_BYTES:
            raise ApiError(234006, "the file is too large")
        return {"image_key": self.keep("img_v3", "image", data)}

    async def _file(self, call: Call) -> Json:
        fields, data = await _read_form(call.request, "file")
        if fields.get("file_type") not in FILE_TYPES or not fields.get("file_name"):
            raise ApiError(99992402, "file_type or file_name")
        if not data:
            raise ApiError(234010, "the file is empty")
        if len(data) > FILE_BYTES:
            raise ApiError(234006, "the file is too large")
        return {"file_key": self.keep("file_v3", fields["file_name"], data)}

    def _resource(self, call: Call) -> web.Response:
        message, key = self._messages.find(call), call.part("file_key")
        if message.msg_type in ("interactive", "merge_forward"):
            raise ApiError(234043, "unsupported message type")
        if key not in message.content or key not in self._world.files:
            raise ApiError(234003)
        name, data = self._world.files[key]
        kind = "image/png" if key.startswith("img") else "application/octet-stream"
        disposition = f'attachment; filename="{name}"'
        return web.Response(body=data, content_type=kind, headers={"Content-Disposition": disposition})


async def _read_form(request: web.Request, wanted: str) -> tuple[dict[str, str], bytes]:
    fields: dict[str, str] = {}
    data = b""
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader) or part.name is None:
            continue
        if part.name == wanted:
            data = bytes(await part.read())
        else:
            fields[part.name] = await part.text()
    return fields, data
