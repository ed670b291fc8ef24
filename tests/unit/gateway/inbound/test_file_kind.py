from __future__ import annotations

import pytest

from gateway.inbound.file_kind import is_sign_in_page, lies, mime_of


@pytest.mark.parametrize(
    ("content", "name", "told", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n....", "a.txt", "text/plain", "image/png"),
        (b"\xff\xd8\xff\xe0", "x", "", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "x", "", "image/webp"),
        (b"\x00\x00\x00\x18ftypheic", "x", "", "image/heic"),
        (b"%PDF-1.7", "plan", "application/octet-stream", "application/pdf"),
        (b"a,b\n1,2\n", "figures.csv", "", "text/csv"),
        (b"no picture at all", "x.png", "image/png", "application/octet-stream"),
        (b"\x00\x01", "", "", "application/octet-stream"),
    ],
)
def test_a_file_is_what_its_bytes_say(content: bytes, name: str, told: str, mime: str) -> None:
    assert mime_of(content, name, told) == mime


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><title>Sign in", b"\xef\xbb\xbf\n  <html lang='en'>", b"<head>"])
def test_f32_a_web_page_is_known_unless_one_was_sent(page: bytes) -> None:
    assert is_sign_in_page(page, "screenshot.png")
    assert not is_sign_in_page(page, "saved.HTML")


def test_text_that_speaks_of_pages_is_no_page() -> None:
    assert not is_sign_in_page(b"see <html>", "notes.txt")


@pytest.mark.parametrize("text", [b"MZ is how programs begin", b"BM, born 1970\n", b"BZhang wrote this"])
def test_words_that_begin_like_a_program_are_words(text: bytes) -> None:
    assert mime_of(text, "notes.txt", "") == "text/plain"
    assert not lies(text, "notes.txt")


@pytest.mark.parametrize(
    ("content", "name", "is_lie"),
    [
        (b"PK\x03\x04\x14\x00", "photo.png", True),
        (b"PK\x03\x04\x14\x00", "all.zip", False),
        (b"PK\x03\x04" + b"..[Content_Types].xml..", "plan.xlsx", False),
        (b"PK\x03\x04" + b"..evil.exe..", "plan.xlsx", True),
        (b"\x7fELF\x02", "notes.txt", True),
        (b"\x7fELF\x02", "tool.bin", False),
        (b"no picture", "photo.jpg", True),
        (b"\x89PNG\r\n\x1a\n", "photo.jpg", False),
        (b"\xef\xbb\xbf%PDF-1.4", "plan.pdf", False),
        (b"hello", "plan.pdf", True),
        (b"<svg/>", "drawing.svg", False),
        (b"anything", "unknown", False),
    ],
)
def test_a_name_that_lies_is_known_by_the_bytes(content: bytes, name: str, is_lie: bool) -> None:
    assert lies(content, name) is is_lie
