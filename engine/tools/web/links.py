"""Where a page's links lead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

MAX_LINK_CHARS = 2_000
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f<>()\\\u200b-\u200f\u202a-\u202e]")


@dataclass(frozen=True, slots=True)
class Link:
    """`text` is what stands on it."""

    text: str
    url: str


def absolute(target: str, base: str) -> str:
    """Give the whole address of a link as it can stand in markdown; empty for other schemes and for itself.

    No `javascript:` and no `data:` comes out of a page.
    """
    target = target.strip()
    if not target or target.startswith("#") or len(target) > MAX_LINK_CHARS:
        return ""
    try:
        whole = urljoin(base, target)
        scheme = urlsplit(whole).scheme
    except ValueError:
        return ""
    if scheme not in ("http", "https", "mailto"):
        return ""
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), whole)
