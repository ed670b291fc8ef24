"""Unpacking a body piece by piece, never more than is wanted: a small reply may unpack to gigabytes."""

from __future__ import annotations

import zlib

from engine.errors import ToolFailed

ACCEPTED = "gzip, deflate"
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


class Inflater:
    """Unpacks `gzip` and `deflate`, once; gives what is not packed as it is."""

    def __init__(self, encoding: str) -> None:
        """Begin.

        Raises:
            ToolFailed: it is packed in another way, or more than once.
        """
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ToolFailed(f"the reply is packed as {name[:40]!r}, which was not asked for")
        self._packed = name not in ("", "identity")
        self._raw = name == "deflate"
        self._unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False

    def feed(self, piece: bytes, most: int) -> bytes:
        """Give at most `most` bytes of what `piece` unpacks to; the rest of it is lost.

        Raises:
            ToolFailed: it is not packed as it says.
        """
        if not self._packed or not piece or most <= 0:
            return piece[: max(0, most)]
        try:
            return self._unpacked(piece, most)
        except zlib.error as error:
            raise ToolFailed("the reply is not packed as it says") from error

    def _unpacked(self, piece: bytes, most: int) -> bytes:
        try:
            out = self._unpack.decompress(piece, most)
        except zlib.error:
            if self._begun or not self._raw:
                raise
            # Some servers send `deflate` without the header that belongs to it.
            self._unpack = zlib.decompressobj(-zlib.MAX_WBITS)
            out = self._unpack.decompress(piece, most)
        self._begun = True
        return out
