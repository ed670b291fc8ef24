"""Files: the three steps of an upload, and download with the sign-in page that answers 200.

Source: docs.slack.dev "Working with files", read 2026-08; the page without a token from vercel/eve#1531.
"""

from __future__ import annotations

import mimetypes

from aiohttp import web

from channels.simulators.background import Background
from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler
from channels.simulators.slack.messages import Content, Messages
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.world import TEAM, App, Chat, File, World, new_id

SIGN_IN = "<!DOCTYPE html><html><head><title>Sign in to Demo</title></head><body>Sign in</body></html>"


class Files:
    """Takes uploads and gives bytes."""

    def __init__(
        self, gate: Gate, world: World, access: Access, shapes: Shapes, messages: Messages, background: Background
    ) -> None:
        self._gate = gate
        self._world = world
        self._access = access
        self._shapes = shapes
        self._messages = messages
        self._background = background
        self._expected: dict[str, File] = {}
        self.outbox: Outbox | None = None

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {
            "files.getUploadURLExternal": self._begin,
            "files.completeUploadExternal": self._complete,
            "files.info": self._info,
        }

    def routes(self) -> list[web.RouteDef]:
        """Give the addresses of bytes."""
        return [
            web.post("/upload/v1/{file_id}", self._upload),
            web.get("/files-pri/{place}/{name}", self._download),
            web.get("/files-pri/{place}/download/{name}", self._download),
        ]

    def keep(self, name: str, data: bytes, owner: str) -> File:
        """Store the file of a person; its owner is a user id."""
        file = self._new(name, len(data), owner)
        self._world.contents[file.id] = data
        self._world.files[file.id] = file
        return file

    def content(self, file_id: str) -> bytes:
        """Give the bytes of a file."""
        return self._world.contents[file_id]

    def _new(self, name: str, size: int, owner: str) -> File:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return File(new_id("F"), name, size, owner, self._gate.clock.now_ms() // 1000, mimetype=kind)

    def _begin(self, call: Call) -> Json:
        name, length = call.need("filename"), call.need("length")
        if not length.isdecimal() or int(length) == 0:
            raise ApiError("invalid_arguments", "length must be more than 0")
        file = self._new(name, int(length), call.app.user_id)
        self._expected[file.id] = file
        return {"upload_url": f"{self._shapes.base_url}/upload/v1/{file.id}", "file_id": file.id}

    async def _upload(self, request: web.Request) -> web.Response:
        async def answer() -> web.Response:
            file = self._expected.get(request.match_info["file_id"])
            data = await _read_bytes(request)
            if file is None:
                return web.Response(status=404, text="not found")
            if len(data) != file.size:
                return web.Response(status=400, text=f"expected {file.size} bytes, got {len(data)}")
            self._world.contents[file.id] = data
            return web.Response(text=f"OK - {len(data)}")

        return await self._gate.guard(request, answer)

    def _complete(self, call: Call) -> Json:
        wanted = call.objects("files") or []
        if not wanted:
            raise ApiError("invalid_arguments", "missing required field: files")
        files = [self._uploaded(str(each.get("id")), call.app) for each in wanted]
        for file, each in zip(files, wanted, strict=True):
            file.title = str(each.get("title") or file.name)
        channel = call.text("channel_id")
        chat = self._access.member_chat(call.app, channel) if channel else None
        for file in files:
            self._world.files[file.id] = self._expected.pop(file.id)
        if chat is not None:
            self._background.start(self._share(call, chat, files))
        return {"files": [self._shapes.file(file) for file in files]}

    def _uploaded(self, file_id: str, app: App) -> File:
        file = self._expected.get(file_id)
        if file is None or file.id not in self._world.contents or file.owner != app.user_id:
            raise ApiError("file_not_found")
        return file

    async def _share(self, call: Call, chat: Chat, files: list[File]) -> None:
        await self._gate.clock.sleep(self._gate.options.file_share_delay_s)
        args = {"thread_ts": call.args.get("thread_ts")}
        message = self._messages.new(call.app, chat, Content(call.text("initial_comment"), None), args)
        message.subtype, message.files = "file_share", [file.id for file in files]
        assert self.outbox is not None
        self.outbox.posted(message)

    def _info(self, call: Call) -> Json:
        file = self._world.files.get(call.need("file"))
        if file is None:
            raise ApiError("file_not_found")
        return {"file": self._shapes.file(file, in_full=True)}

    async def _download(self, request: web.Request) -> web.Response:
        async def answer() -> web.Response:
            if self._gate.options.files_redirect_to:
                return web.Response(status=302, headers={"Location": self._gate.options.files_redirect_to})
            file = self._world.files.get(request.match_info["place"].removeprefix(f"{TEAM}-"))
            app = self._access.bot_of(request.headers.get("Authorization"))
            if app is None or not self._access.has("files:read"):
                return web.Response(text=SIGN_IN, content_type="text/html")
            if file is None or file.mode != "hosted":
                return web.Response(status=404, text="not found")
            return web.Response(body=self._world.contents[file.id], content_type=file.mimetype)

        return await self._gate.guard(request, answer)


async def _read_bytes(request: web.Request) -> bytes:
    if not request.content_type.startswith("multipart/"):
        return await request.read()
    for field in (await request.post()).values():
        if isinstance(field, web.FileField):
            return field.file.read()
        if isinstance(field, bytes | bytearray):
            return bytes(field)
    return b""
