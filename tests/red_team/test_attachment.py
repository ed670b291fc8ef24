"""R13: a file that lies about what it is. The inputs stand in `inputs.toml`."""

from __future__ import annotations

import pytest

from channels.events import Fetched
from engine.errors import EnclosureUnavailable
from engine.messages import EnclosedPart
from gateway.inbound.enclosures import _checked

SCRIPT = b"#!/bin/sh\nid > /tmp/owned\n"


LIES = (SCRIPT, b"MZ\x90\x00" + bytes(60), b"\x7fELF" + bytes(60), b"PK\x03\x04" + bytes(60))
CLAIMS = (("image", "photo.png"), ("image", "photo"), ("image", ""), ("file", "photo.png"), ("file", ""))
"""By its kind, by its name, or by both; a file without either claims nothing."""


@pytest.mark.parametrize("content", LIES)
@pytest.mark.parametrize(("kind", "name"), CLAIMS)
def test_r13_a_picture_that_is_none_is_refused(content: bytes, kind: str, name: str) -> None:
    part = EnclosedPart(label="photo.png", ref={"kind": kind, "key": "k", "message": "m"})
    with pytest.raises(EnclosureUnavailable) as refused:
        _checked(part, Fetched(content, name, "image/png"))
    assert refused.value.code in ("not_as_named", "no_picture")


def test_r13_a_script_never_counts_as_a_picture_of_its_type() -> None:
    part = EnclosedPart(label="photo", ref={"kind": "file", "key": "k", "message": "m"})
    assert not _checked(part, Fetched(SCRIPT, "photo", "image/png")).mime.startswith("image/")
