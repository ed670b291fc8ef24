"""Files of messages, in and out: pictures and documents by the platform's keys.

Source: open.feishu.cn "获取消息中的资源文件", "上传图片", "上传文件", read 2026-02.
"""

from __future__ import annotations

from typing import cast
from urllib.parse import quote

from channels.errors import DeliveryUnknown
from channels.feishu.client import Client
from channels.feishu.http import File, Request, Upload
from channels.readable import Json

_IM = "/open-apis/im/v1"
_KINDS = {"docx": "doc", "xlsx": "xls", "pptx": "ppt"} | {
    name: name for name in ("doc", "xls", "ppt", "pdf", "mp4", "opus")
}


class Files:
    """One request each; who calls waits its turn first (`image.upload`, `file.upload`, `resource.get`)."""

    def __init__(self, client: Client, domain: str) -> None:
        self._client = client
        self._domain = domain

    async def download(self, message_id: str, key: str, kind: str, *, max_bytes: int) -> File:
        """Fetch a picture (`kind` "image") or any other file ("file") of a message.

        Raises:
            TooLong: it has more than `max_bytes`.
            ChannelError: the platform gives no such file.
        """
        url = f"{self._domain}{_IM}/messages/{quote(message_id)}/resources/{quote(key)}"
        request = Request("GET", url, "GET /im/v1/messages/resources", query={"type": kind})
        return await self._client.fetch(request, max_bytes=max_bytes)

    async def upload_image(self, content: bytes) -> str:
        """Give the key of a picture for messages and cards; the platform takes up to 10 MB.

        Raises:
            ChannelError: it does not take it.
        """
        answer = await self._upload("images", Upload({"image_type": "message"}, "image", "image", content))
        return _key_of(answer, "image_key")

    async def upload_file(self, content: bytes, name: str) -> str:
        """Give the key of a file for messages; the platform takes up to 30 MB. Raises like `upload_image`."""
        fields = {"file_type": kind_of(name), "file_name": name}
        return _key_of(await self._upload("files", Upload(fields, "file", name, content)), "file_key")

    async def _upload(self, what: str, upload: Upload) -> Json:
        request = Request("POST", f"{self._domain}{_IM}/{what}", f"POST /im/v1/{what}", upload=upload)
        return await self._client.exchange(request)


def _key_of(answer: Json, name: str) -> str:
    """Give the key of an upload; an answer that lacks it leaves open what was done."""
    key = cast("Json", answer.get("data") or {}).get(name)
    if not key:
        raise DeliveryUnknown(f"an answer without {name}", code="answer_incomplete")
    return str(key)


def kind_of(name: str) -> str:
    """Give the platform's word for a kind of file."""
    return _KINDS.get(name.rpartition(".")[2].lower(), "stream")
