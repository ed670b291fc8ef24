"""A text file as its bytes are: encoding, byte order mark and line ends, kept when its words change."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from engine.errors import ToolFailed, ToolRetry

_SNIFF_BYTES = 8_192
LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Document:
    """Text without its byte order mark; `newline` is the line end most of it has, empty when it has none."""

    text: str
    encoding: str = "utf-8"
    has_mark: bool = False

    @property
    def newline(self) -> str:
        """Give the most frequent line end."""
        windows = self.text.count("\r\n")
        ends = {"\n": self.text.count("\n") - windows, "\r\n": windows, "\r": self.text.count("\r") - windows}
        best = max(ends, key=lambda end: ends[end])
        return best if ends[best] else ""

    def with_text(self, text: str) -> Document:
        """Give the same kind of file with other words, whose line ends stand as they are."""
        return Document(text, self.encoding, self.has_mark)

    def data(self, given: str) -> bytes:
        """Give the file's bytes.

        Raises:
            ToolRetry: the text holds what no text file can.
        """
        if "\0" in self.text:
            raise ToolRetry(f"the text for {given!r} holds a NUL character; only text files are written")
        try:
            data = self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ToolRetry(f"the text for {given!r} holds half a character at {error.start}") from error
        return codecs.BOM_UTF8 + data if self.has_mark else data


def read_document(data: bytes, given: str) -> Document:
    """Read UTF-8, else GB18030.

    Raises:
        ToolFailed: it is binary, or text in another encoding.
    """
    if b"\0" in data[:_SNIFF_BYTES]:
        raise ToolFailed(f"{given!r} is a binary file")
    try:
        return Document(data.decode("utf-8-sig"), "utf-8", data.startswith(codecs.BOM_UTF8))
    except UnicodeDecodeError:
        return _foreign(data, given)


def check_can_be_kept(document: Document, data: bytes, given: str) -> None:
    """Refuse to change a file whose other lines would not come out as they went in.

    Raises:
        ToolFailed: writing it again gives other bytes, or it holds a NUL.
    """
    if "\0" in document.text:
        raise ToolFailed(f"{given!r} is a binary file")
    if document.data(given) != data:
        raise ToolFailed(f"{given!r} is not text in UTF-8 or GB18030; it is not changed")


def with_newlines(text: str, newline: str) -> str:
    """Give `text` with each line end replaced by `newline`; an empty one leaves them."""
    return LINE_END.sub(lambda _: newline, text) if newline else text


def lines_of(text: str) -> list[str]:
    """Give the lines without their ends, as editors count them: a form feed or U+2028 ends none."""
    lines = LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def _foreign(data: bytes, given: str) -> Document:
    try:
        return Document(data.decode("gb18030"), "gb18030")
    except UnicodeDecodeError as error:
        raise ToolFailed(f"{given!r} is not text in UTF-8 or GB18030") from error
