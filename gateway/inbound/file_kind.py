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
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"MZ", "application/x-dosexec"),
    (b"\x7fELF", "application/x-executable"),
    (b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
)
_TAR_AT, _TAR = 257, b"ustar"
_HARMFUL = frozenset({"application/x-dosexec", "application/x-executable", "application/x-mach-binary"})
_PACKED = frozenset({"application/zip", "application/gzip", "application/x-bzip2", "application/x-xz"}) | frozenset(
    {"application/x-7z-compressed", "application/vnd.rar", "application/zstd", "application/x-tar"}
)
_PLAIN = frozenset({"application/pdf", "application/json", "application/xml"})
_DOCUMENTS = frozenset({"docx", "xlsx", "pptx", "docm", "xlsm", "pptm", "odt", "ods", "odp", "epub"})
_DOCUMENT_MARKS = (b"[Content_Types].xml", b"mimetypeapplication/")
"""A document of an office program is a zip that holds one of these names, stored as they are."""
_LOOKED_AT_BYTES = 65_536
_HEAD_BYTES, _FEW_BYTES, _FIRST_LETTER = 512, 3, 0x20
_BRANDS = {b"heic": "image/heic", b"heix": "image/heic", b"mif1": "image/heif", b"avif": "image/avif"}
_PAGE_STARTS = (b"<!doctype html", b"<html", b"<head", b"<script")
_UNKNOWN = "application/octet-stream"


def mime_of(content: bytes, name: str, told: str) -> str:
    """Give the type by content, else by the name's ending, else what was `told`, unless that says image."""
    found = _by_magic(content)
    if found == "application/zip" and _ending(name) in _DOCUMENTS and _is_document(content):
        return mimetypes.guess_type(name)[0] or _UNKNOWN
    if found:
        return found
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:8] == b"ftyp" and content[8:12] in _BRANDS:
        return _BRANDS[content[8:12]]
    guessed = mimetypes.guess_type(name)[0] or told or _UNKNOWN
    return _UNKNOWN if guessed.startswith("image/") and guessed != "image/svg+xml" else guessed


def lies(content: bytes, name: str) -> bool:
    """Tell whether a file is something else than its name says, in a way that matters: looked at, never opened.

    A packed or executable file under the name of a text, a picture or a document; a picture or a PDF that is none.
    """
    mime, named = mime_of(content, name, ""), mimetypes.guess_type(name)[0] or ""
    if mime in _PACKED or mime in _HARMFUL:
        is_plain = named.startswith(("text/", "image/", "audio/", "video/")) or named in _PLAIN
        return is_plain or _ending(name) in _DOCUMENTS
    if named.startswith("image/") and named != "image/svg+xml":
        return not mime.startswith("image/")
    return named == "application/pdf" and b"%PDF" not in content[:_HEAD_BYTES]


def _by_magic(content: bytes) -> str:
    found = next((mime for magic, mime in _MAGIC if content.startswith(magic) and _is_sure(magic, content)), "")
    return found or ("application/x-tar" if content[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR else "")


def _is_sure(magic: bytes, content: bytes) -> bool:
    """Tell whether so few bytes prove anything: a text may begin with "MZ" or "BM" too."""
    head = content[:_HEAD_BYTES]
    return (
        not magic.isascii()
        or len(magic) > _FEW_BYTES
        or any(byte < _FIRST_LETTER and byte not in b"\t\n\r\f" for byte in head)
    )


def _is_document(content: bytes) -> bool:
    ends = content[:_LOOKED_AT_BYTES] + content[-_LOOKED_AT_BYTES:]
    return any(mark in ends for mark in _DOCUMENT_MARKS)


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def is_sign_in_page(content: bytes, name: str) -> bool:
    """Tell whether a web page came where none was asked for."""
    if name.lower().endswith((".html", ".htm", ".xhtml")):
        return False
    return content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_PAGE_STARTS)


def with_ending(name: str, mime: str) -> str:
    """Give `name` with the usual ending of its type, where it has none."""
    has_ending = "." in name.strip(".").rpartition("/")[2]
    return name if has_ending or mime == _UNKNOWN else name + (mimetypes.guess_extension(mime) or "")
