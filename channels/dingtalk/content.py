"""What a message of any readable kind says.

Source: developerpedia "bot/message", open.dingtalk.com "receive-message", read 2026-11-30; quotes as
openclaw-channel-dingtalk #128 and qwen-code #9536 met them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from channels.events import AttachmentHandle
from channels.readable import Json, object_in, objects_in, text_in

FileKind = Literal["image", "file", "audio", "video"]


@dataclass(frozen=True, slots=True)
class Content:
    """`text` is plain; files in the order of the message."""

    text: str = ""
    attachments: tuple[AttachmentHandle, ...] = ()


def parse_content(kind: str, body: Json, message_id: str) -> Content | None:
    """Read a message's body; `None` when we cannot read this kind."""
    read = _READERS.get(kind)
    return None if read is None else read(body, message_id)


def parse_quoted(replied: Json) -> Content:
    """Read a quoted message as far as the platform tells what it was."""
    kind, message_id = text_in(replied, "msgType"), text_in(replied, "msgId")
    content = object_in(replied, "content")
    if kind == "interactiveCard" or "cardContent" in replied or "cardContent" in content:
        tree = replied.get("cardContent", content.get("cardContent"))
        return Content("\n".join(_leaves(tree, 0)).strip())
    if kind == "text" or not kind:
        return Content((text_in(content, "text") or text_in(content, "content")).strip())
    return parse_content(kind, {"content": content, "text": content}, message_id) or Content(f"[{kind}]")


def _text(body: Json, message_id: str) -> Content:
    return Content(text_in(object_in(body, "text"), "content").strip())


def _file(kind: FileKind) -> Callable[[Json, str], Content]:
    def read(body: Json, message_id: str) -> Content:
        content = object_in(body, "content")
        handle = _handle(kind, content, message_id)
        return Content("", (handle,) if handle else ())

    return read


def _audio(body: Json, message_id: str) -> Content:
    """The platform has heard already what was said; only where it did not, the recording is needed."""
    content = object_in(body, "content")
    words = text_in(content, "recognition").strip()
    return Content(words) if words else _file("audio")(body, message_id)


def _rich(body: Json, message_id: str) -> Content:
    words, files = list[str](), list[AttachmentHandle]()
    for part in objects_in(object_in(body, "content"), "richText"):
        if text_in(part, "downloadCode"):
            handle = _handle("image", part, message_id)
            files += [handle] if handle else []
            words.append("\n")
        else:
            content = part.get("content")
            words.append(text_in(part, "text") or (content if isinstance(content, str) else ""))
    lines = "".join(words).split("\n")
    return Content("\n".join(line for line in lines if line.strip()).strip(), tuple(files))


def _handle(kind: FileKind, content: Json, message_id: str) -> AttachmentHandle | None:
    code = text_in(content, "downloadCode")
    name = text_in(content, "fileName")
    return AttachmentHandle(kind, code, message_id, name) if code else None


def _leaves(node: object, depth: int) -> list[str]:
    """Give the texts of a quoted card, whatever its tree looks like."""
    if depth > 20:
        return []
    if isinstance(node, str):
        return [node] if node.strip() else []
    if isinstance(node, list):
        return [text for each in cast("list[object]", node) for text in _leaves(each, depth + 1)]
    if isinstance(node, dict):
        tree = cast("Mapping[str, object]", node)
        named = [tree[key] for key in ("title", "text", "content", "children", "elements") if key in tree]
        return [text for each in named for text in _leaves(each, depth + 1)]
    return []


_READERS: Mapping[str, Callable[[Json, str], Content]] = {
    "text": _text,
    "richText": _rich,
    "picture": _file("image"),
    "audio": _audio,
    "video": _file("video"),
    "file": _file("file"),
}
