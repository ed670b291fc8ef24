"""Files of messages, in and out.

Source: developerpedia "bot/message", open.dingtalk.com "upload-media-files", "robot message types", read 2026-11-30:
pictures, videos and other files up to 20 MB; a message takes files of a few types only.
"""

from __future__ import annotations

from contextlib import nullcontext

from channels.cards.once import file_path
from channels.cards.ports import Journal
from channels.dingtalk.address import NAME, parse_place
from channels.dingtalk.client import Client
from channels.dingtalk.http import Upload
from channels.dingtalk.limits import DOWNLOAD, UPLOAD
from channels.dingtalk.once import Around, guarded, send_once
from channels.dingtalk.post_office import PostOffice
from channels.errors import DeliveryUnknown, NotDispatched, NotSupported, Rejected, TooLong
from channels.events import AttachmentHandle, ConversationRef, Fetched, OutFile, Receipt
from channels.readable import Json

MAX_BYTES = 20_000_000
FILE_TYPES = frozenset({"xlsx", "pdf", "zip", "rar", "doc", "docx"})
_PICTURES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/bmp": "bmp"}


class Files:
    """Fetches and sends for one account, each request in its turn."""

    def __init__(self, client: Client, office: PostOffice, account: str) -> None:
        self._client = client
        self._office = office
        self._account = account

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`. What the server calls the type says little: its names all end with `.file`."""

        async def get() -> Fetched:
            content, mime = await self._client.download(handle.key, max_bytes=max_bytes)
            return Fetched(content, handle.name, mime)

        return await self._office.insist(DOWNLOAD, "", nullcontext, get)

    async def send(self, conversation: ConversationRef, file: OutFile, journal: Journal, *, key: str) -> Receipt:
        """See `Channel.send_file`."""
        self._check(conversation, file)

        async def send(around: Around) -> str:
            # A step of its own: it may take long, nobody sees it, and it need not be done twice.
            media = await journal.step(f"{path}/media", lambda: self._upload(file, journal))
            name, param = _message(file, str(media["media_id"]))
            return await self._office.send_robot(conversation, name, param, around)

        path = file_path(key)
        sent = await send_once(journal, path, send)
        return Receipt(NAME, self._account, (sent,), self._office.now_ms(), "message")

    def _check(self, conversation: ConversationRef, file: OutFile) -> None:
        if parse_place(conversation).kind == "guest":
            raise NotSupported("files for a person without a staff id")
        if not file.content:
            raise Rejected("file: it is empty", code="empty_file")
        if len(file.content) > MAX_BYTES:
            raise TooLong(f"file: more than {MAX_BYTES} bytes")
        if file.mime not in _PICTURES and _ending(file) not in FILE_TYPES:
            raise NotSupported(f"files of type .{_ending(file) or '?'}; DingTalk takes {', '.join(sorted(FILE_TYPES))}")

    async def _upload(self, file: OutFile, journal: Journal) -> Json:
        kind = "image" if file.mime in _PICTURES else "file"

        async def put() -> Json:
            try:
                return {"media_id": await self._client.upload(Upload(kind, _name(file), file.content))}
            except DeliveryUnknown as error:
                # Nobody sees an upload: a lost one may be made again.
                raise NotDispatched(str(error)) from error

        return await self._office.insist(UPLOAD, "", guarded(journal.guard), put)


def _message(file: OutFile, media_id: str) -> tuple[str, dict[str, str]]:
    if file.mime in _PICTURES:
        return "sampleImageMsg", {"photoURL": media_id}
    return "sampleFile", {"mediaId": media_id, "fileName": file.name, "fileType": _ending(file)}


def _ending(file: OutFile) -> str:
    return file.name.rpartition(".")[2].lower() if "." in file.name else ""


def _name(file: OutFile) -> str:
    """Give the name with an ending: the upload goes by it."""
    return file.name if _ending(file) else f"{file.name}.{_PICTURES.get(file.mime, 'bin')}"
