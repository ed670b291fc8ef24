"""Files and pictures to people: uploaded once, then a message that shows them, each a step of the run's journal."""

from __future__ import annotations

from channels.cards.once import file_path, send_file_once
from channels.cards.ports import Journal
from channels.clock import Clock
from channels.errors import Rejected, TooLong
from channels.events import ConversationRef, OutFile
from channels.feishu.errors import MESSAGE_BEING_SENT
from channels.feishu.files import Files
from channels.feishu.history import History
from channels.feishu.post_office import Letter, PostOffice, uuid_of
from channels.readable import Json

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"})
"""What is shown as a picture. Source: open.feishu.cn "上传图片", read 2026-02: JPEG, PNG, WEBP, GIF, BMP, ICO, TIFF."""
PICTURE_BYTES = 10 * 1024 * 1024
FILE_BYTES = 30 * 1024 * 1024
"""Source: open.feishu.cn "上传图片", "上传文件", read 2026-02."""


class Outgoing:
    """Sends the files of one account."""

    def __init__(self, office: PostOffice, files: Files, history: History, clock: Clock) -> None:
        self._office = office
        self._files = files
        self._history = history
        self._clock = clock

    async def send(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> str:
        """See `Channel.send_file`; gives the message's id, empty when the platform does not tell which it was."""
        _check(file)
        kind = _kind_of(file)
        uploaded = await self._upload(kind, file, journal, f"{file_path(key)}/upload")

        async def find(since_ms: int) -> str:
            return await self._history.find_file(conversation, kind, uploaded, reply_to, since_ms)

        async def send() -> str:
            content = {f"{kind}_key": uploaded}
            letter = Letter(conversation, reply_to, kind, content, uuid_of(f"{key}-f"), journal.guard, True)
            try:
                return await self._office.send(letter)
            except Rejected as error:
                if error.code != str(MESSAGE_BEING_SENT):
                    raise
                return ""

        return await send_file_once(journal, key, self._clock.now_ms(), find=find, send=send)

    async def _upload(self, kind: str, file: OutFile, journal: Journal, path: str) -> str:
        """Give the platform's key. An upload that was not recorded is made again: nobody sees the first one."""

        async def work() -> str:
            await journal.guard()
            if kind == "image":
                return await self._files.upload_image(file.content)
            return await self._files.upload_file(file.content, file.name)

        async def step() -> Json:
            return {"key": await self._office.insist(f"{kind}.upload", work)}

        return str((journal.recorded(path) or await journal.step(path, step))["key"])


def _kind_of(file: OutFile) -> str:
    """Tell how it is shown; a picture too large for one goes as a file."""
    return "image" if file.mime in PICTURES and len(file.content) <= PICTURE_BYTES else "file"


def _check(file: OutFile) -> None:
    if not file.content:
        raise Rejected(f"{file.name}: an empty file", code="empty_file")
    if len(file.content) > FILE_BYTES:
        raise TooLong(f"{file.name}: {len(file.content)} bytes, at most {FILE_BYTES}")
