"""What a file is by its first bytes, which cannot lie as a name or a header can."""

from __future__ import annotations

import mimetypes

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
)
_BRANDS = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heif", b"avif": "image/avif"}
_PAGE_STARTS = (b"<!doctype html", b"<html", b"<head", b"<script")
_UNKNOWN = "application/octet-stream"


def mime_of(content: bytes, name: str, told: str) -> str:
    """Give the type by content, else by the name's ending, else what was `told`, unless that says image."""
    for magic, mime in _MAGIC:
        if content.startswith(magic):
            return mime
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:8] == b"ftyp" and content[8:12] in _BRANDS:
        return _BRANDS[content[8:12]]
    guessed = mimetypes.guess_type(name)[0] or told or _UNKNOWN
    return _UNKNOWN if guessed.startswith("image/") and guessed != "image/svg+xml" else guessed


def is_sign_in_page(content: bytes, name: str) -> bool:
    """Tell whether a web page came where none was asked for."""
    if name.lower().endswith((".html", ".htm", ".xhtml")):
        return False
    return content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE_STARTS)


def with_ending(name: str, mime: str) -> str:
    """Give `name` with the usual ending of its type, where it has none."""
    has_ending = "." in name.strip(".").rpartition("/")[2]
    return name if has_ending or mime == _UNKNOWN else name + (mimetypes.guess_extension(mime) or "")
