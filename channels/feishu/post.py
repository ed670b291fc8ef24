"""Text out of the platform's message contents: plain text, and rich-text posts in both their shapes.

Source: open.feishu.cn "接收消息内容", read 2026-02.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from channels.readable import Json


@dataclass(slots=True)
class Post:
    """What a message says; mentions are still the placeholders (`@_user_1`) that `inbound` resolves."""

    text: str = ""
    image_keys: list[str] = field(default_factory=list[str])
    file_keys: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(kind, key) of videos inside a post."""


def parse_post(body: Json) -> Post:
    """Read a post: `{"title", "content": [[element]]}`, or the same under a locale such as `zh_cn`."""
    inner = body if isinstance(body.get("content"), list) else _first_locale(body)
    content = Post()
    lines = [str(inner.get("title") or "")]
    for paragraph in _lists(inner.get("content")):
        lines += ["".join(_element(element, content) for element in _objects(paragraph))]
    content.text = "\n".join(lines).strip("\n")
    return content


def _first_locale(body: Json) -> Json:
    for value in body.values():
        if isinstance(value, dict) and "content" in value:
            return cast("Json", value)
    return {}


def _element(element: Json, content: Post) -> str:
    """Give an element's text; pictures and videos are put into `content`."""
    tag = str(element.get("tag", ""))
    if tag in ("text", "md"):
        return str(element.get("text", ""))
    if tag == "a":
        return _link(str(element.get("text", "")), str(element.get("href", "")))
    if tag == "at":
        return _mention(element)
    if tag == "code_block":
        language = str(element.get("language", "")).lower()
        return f"\n```{language}\n{str(element.get('text', '')).rstrip()}\n```\n"
    if tag == "img":
        content.image_keys.append(str(element["image_key"]))
        return ""
    if tag == "media":
        content.file_keys.append(("video", str(element["file_key"])))
        return ""
    if tag == "emotion":
        return f"[{element.get('emoji_type', 'emoji')}]"
    if tag == "hr":
        return "\n---\n"
    return str(element.get("text") or f"[{tag or 'unknown'}]")


def _link(text: str, address: str) -> str:
    if not address or text == address:
        return text or address
    return f"[{text}]({address})"


def _mention(element: Mapping[str, Any]) -> str:
    """Give the placeholder that the message's `mentions` resolve; `user_id` holds it in posts."""
    user = str(element.get("user_id", ""))
    if user in ("all", "@_all"):
        return "@_all"
    if user.startswith("@_"):
        return user
    return f"@{element.get('user_name') or user}"


def _lists(value: object) -> Iterable[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _objects(value: object) -> Iterable[Json]:
    return (cast("Json", item) for item in _lists(value) if isinstance(item, dict))
