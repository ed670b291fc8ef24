"""The names of blocks, and of people who did something."""

from __future__ import annotations

import zlib
from typing import Any

from gateway.texts import Language, text


def block_id(kind: str, key: str) -> str:
    """Give a block id of at most 12 characters that depends on nothing but what the block stands for.

    So a card that is drawn again after a crash has the same ids.
    """
    return f"{kind[:4]}{zlib.crc32(f'{kind}:{key}'.encode()):08x}"


def by_name(language: Language, key: str, data: dict[str, Any]) -> str:
    """Say who did something; a platform that tells no name gives words without one: an id tells a reader nothing."""
    name = str(data.get("name") or "")
    return text(language, key, name=name) if name else text(language, f"{key}_unnamed")
