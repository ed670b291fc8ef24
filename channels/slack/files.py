"""Files of messages, in and out.

Source: docs.slack.dev "Working with files" (url_private with the bot's token, files.getUploadURLExternal,
files.completeUploadExternal), read 2026-08; a sign-in page with status 200: vercel/eve#1531, openclaw#63523.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

import aiohttp

from channels.cards.ports import Journal
from channels.downloads import Door, get
from channels.errors import ChannelError, DeliveryUnknown, MissingScope, NotSupported, Rejected
from channels.events import AttachmentHandle, Fetched, OutFile
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.errors import ADVICE
from channels.slack.post_office import PostOffice
from channels.transport import read_at_most, transport_error

DOWNLOAD, BEGIN_UPLOAD, END_UPLOAD = "files.download", "files.getUploadURLExternal", "files.completeUploadExternal"
INFO = "files.info"
SLACK_HOSTS = (".slack.com", ".slack-edge.com", ".slack-files.com")
_NO_UPLOAD = "file_not_found"


class Files:
    """Fetches and uploads for one account. The bot's token goes to the platform's own hosts only."""

    def __init__(self, office: PostOffice, base_url: str) -> None:
        self._office = office
        self._base_url = base_url
        """Where the Web API is; a simulator's files are there too."""

    @property
    def _client(self) -> Client:
        return self._office.client

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`."""
        address = handle.key if handle.key.startswith(("https://", "http://")) else await self._address_of(handle.key)
        if not self._door().lets_in(address):
            # A "remote file": anybody's app may name an address that only this machine reaches.
            raise NotSupported("files that do not lie on Slack")

        async def get() -> Fetched:
            content, mime, name = await self._get(address, max_bytes)
            return Fetched(content, handle.name or name, mime)

        return await self._office.insist(DOWNLOAD, get)

    async def _address_of(self, file_id: str) -> str:
        """Ask for the address of a file that the event did not tell (`file_access: check_file_info`)."""
        answer = await self._office.insist(DOWNLOAD, lambda: self._client.call(INFO, {"file": file_id}))
        file = cast("Json", answer.get("file") or {})
        address = str(file.get("url_private_download") or file.get("url_private") or "")
        if not address:
            raise Rejected("the file has no address", code="file_not_found")
        return address

    async def _get(self, address: str, max_bytes: int) -> tuple[bytes, str, str]:
        try:
            async with await get(self._client.session, address, self._door()) as answer:
                _check(answer)
                return await read_at_most(answer, max_bytes, DOWNLOAD), answer.content_type, _name_of(answer)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise transport_error(error, DOWNLOAD) from error

    def _door(self) -> Door:
        token = {"Authorization": f"Bearer {self._client.bot_token}"}
        return Door(self._base_url, SLACK_HOSTS, headers=token, trusts_suffixes=True)

    async def upload(self, file: OutFile, place: tuple[str, str | None], journal: Journal, key: str) -> str:
        """Upload a file and share it there (channel, thread); gives its id. Once: see `Journal`.

        The file's id is recorded before it is shared: who finds it does not share another one, and a file that was
        shared cannot be shared by this call again.

        Raises:
            ChannelError: it was not, or perhaps not, shared.
        """
        if not file.content:
            raise Rejected("an empty file", code="file_empty")
        begun = await self._step(journal, f"file/{key}/begin", lambda: self._stored(file, journal))
        channel, thread = place
        asked: Json = {"files": [{"id": begun["file"], "title": file.name}], "channel_id": channel, "thread_ts": thread}

        async def share() -> Json:
            await journal.guard()
            try:
                await self._office.insist(END_UPLOAD, lambda: self._client.call(END_UPLOAD, asked))
            except Rejected as error:
                if error.code != _NO_UPLOAD:
                    raise
                # Nothing waits to be shared: where the file is there all the same, an earlier try shared it.
                await self._office.insist(DOWNLOAD, lambda: self._client.call(INFO, {"file": begun["file"]}))
            return {"file": begun["file"]}

        return str((await self._step(journal, f"file/{key}", share))["file"])

    async def _step(self, journal: Journal, path: str, work: Callable[[], Awaitable[Json]]) -> Json:
        known = journal.recorded(path)
        return known if known is not None else await journal.step(path, work)

    async def _stored(self, file: OutFile, journal: Journal) -> Json:
        """Give the platform the bytes; nobody sees them yet."""
        asked = {"filename": file.name, "length": len(file.content)}
        told = await self._office.insist(BEGIN_UPLOAD, lambda: self._client.call(BEGIN_UPLOAD, asked))
        await journal.guard()
        try:
            async with self._client.session.post(str(told["upload_url"]), data=file.content) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError) as error:
            raise transport_error(error, "upload") from error
        if status != 200:
            raise DeliveryUnknown(f"upload: HTTP {status}", code=f"http_{status}")
        return {"file": str(told["file_id"])}


def _check(answer: aiohttp.ClientResponse) -> None:
    """Refuse what is no file.

    Raises:
        MissingScope: it is the page to sign in.
        ChannelError: it is gone, or nobody knows.
    """
    if answer.status >= 500 or answer.status == 429:
        raise DeliveryUnknown(f"file: HTTP {answer.status}", code=f"http_{answer.status}")
    if answer.status in (401, 403) or (
        answer.status == 200 and answer.content_type == "text/html" and _is_page(answer)
    ):
        raise _advised(MissingScope("the file's host asks to sign in", scope="files:read", code="file_sign_in_page"))
    if answer.status != 200:
        raise Rejected(f"file: HTTP {answer.status}", code="file_not_found")


def _is_page(answer: aiohttp.ClientResponse) -> bool:
    """Tell a page from an uploaded file of HTML, which comes as something to save."""
    return "attachment" not in answer.headers.get("Content-Disposition", "")


def _advised(error: ChannelError) -> ChannelError:
    error.advice = ADVICE.get(error.code, error.advice)
    return error


def _name_of(answer: aiohttp.ClientResponse) -> str:
    told = answer.content_disposition
    return (told.filename if told is not None else None) or answer.url.name
