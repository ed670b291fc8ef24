"""JSON as it comes from outside: whatever cannot be read is a `ValueError`, and what is read can be stored."""

from __future__ import annotations

import json
import re

_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(raw: str | bytes) -> object:
    """Read JSON; half a character, which nothing can store or send, becomes U+FFFD.

    Raises:
        ValueError: it is no JSON, or nested too deeply to be read.
    """
    text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw
    try:
        value: object = json.loads(text)
        if _ESCAPED_HALF.search(text) is None:
            return value
        return json.loads(_HALF.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
