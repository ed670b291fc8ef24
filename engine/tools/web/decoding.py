"""From the bytes of a reply to text."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9._-]{2,40})", re.IGNORECASE)
_LOOKED_AT_BYTES = 2_048
_TEXT = re.compile(
    r"utf-?8(-sig)?|utf-?16(-?[bl]e)?|us-ascii|ascii|latin-?1|gbk|gb2312|gb-?18030|big5(-?hkscs)?|shift[-_]?jis|"
    r"euc[-_](jp|kr)|iso-?2022-jp|iso-?8859-\d{1,2}|(windows|cp)-?(1[0-9]{3}|9\d\d)|koi8-[ru]"
)
"""The encodings of text that pages use; a page must not choose another codec of Python's."""
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode(body: bytes, charset: str = "", *, is_markup: bool = False) -> str:
    """Give the text: by its mark, by what the reply or the page says, as UTF-8, as GB18030, with gaps at last."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    said = _known(charset) or (_declared(body) if is_markup else "")
    if said:
        return body.decode(said, "replace")
    for name in ("utf-8", "gb18030"):
        try:
            # What breaks off within its last character was cut, it is not in another encoding.
            return codecs.getincrementaldecoder(name)().decode(body)
        except UnicodeDecodeError:
            continue
    return body.decode("utf-8", "replace")


def _declared(body: bytes) -> str:
    found = _DECLARED.search(body[:_LOOKED_AT_BYTES])
    return _known(found[1].decode("ascii")) if found else ""


def _known(name: str) -> str:
    name = name.strip().lower()
    if not _TEXT.fullmatch(name):
        return ""
    if name in ("gbk", "gb2312"):
        return "gb18030"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""
