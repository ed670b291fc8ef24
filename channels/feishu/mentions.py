"""Who a message speaks to, and its text with names instead of placeholders.

Source: open.feishu.cn "接收消息" (mentions), "获取机器人信息", read 2026-02.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from channels.readable import Json


@dataclass(slots=True)
class BotIdentity:
    """Our own open id in this app; empty until the platform told us."""

    channel: str
    account: str
    open_id: str = ""


@dataclass(frozen=True, slots=True)
class Mention:
    """One person (or bot) that a message names."""

    key: str
    open_id: str
    name: str


def parse_mentions(message: Json) -> list[Mention]:
    """Read the mentions of a message."""
    raws = cast("list[Json]", message.get("mentions") or [])
    return [Mention(str(raw.get("key", "")), _open_id(raw.get("id")), str(raw.get("name", ""))) for raw in raws]


def _open_id(value: object) -> str:
    """Read the id: an object of ids in events, a plain text where a message is read again."""
    if isinstance(value, dict):
        return str(cast("Json", value).get("open_id", ""))
    return str(value or "")


def mentions_me(mentions: list[Mention], me: BotIdentity) -> bool:
    """Tell whether our own id is among them. Names and missing ids prove nothing; unknown to ourselves, never."""
    return bool(me.open_id) and any(mention.open_id == me.open_id for mention in mentions)


def resolve_mentions(text: str, mentions: list[Mention], me: BotIdentity) -> str:
    """Put names in place of the placeholders and take the address to us away once, at its first place."""
    if "@_" not in text:
        return text
    names = {mention.key: mention for mention in mentions if mention.key}
    addressed = False

    def name_of(match: re.Match[str]) -> str:
        nonlocal addressed
        mention = names.get(match.group())
        if mention is None:
            return "@all" if match.group() == "@_all" else match.group()
        if me.open_id and mention.open_id == me.open_id and not addressed:
            addressed = True
            return ""
        return "@" + " ".join(mention.name.split())

    # the longest first: `@_user_1` begins `@_user_10`
    keys = sorted({*names, "@_all"}, key=len, reverse=True)
    resolved = re.sub("|".join(map(re.escape, keys)), name_of, text)
    return _closed_gap(resolved) if addressed else resolved


def _closed_gap(text: str) -> str:
    """Tidy the blanks that the removed address left, without touching line breaks or indentation of code."""
    lines = text.split("\n")
    lines[0] = lines[0].lstrip(" ")
    return "\n".join(lines).strip()
