"""A page's files: the platform's own come before the shared ones, and nothing else is given."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from aiohttp import web

from channels.simulators.static import page_file

SIMULATORS = Path(str(resources.files("channels.simulators")))
PLATFORMS = ("feishu", "slack", "dingtalk")


def body_of(platform: str, name: str) -> bytes:
    body = page_file(f"channels.simulators.{platform}", name).body
    assert isinstance(body, bytes)
    return body


def test_own_files_come_before_shared_ones() -> None:
    assert body_of("feishu", "tags.js") == (SIMULATORS / "feishu/page/tags.js").read_bytes()
    assert body_of("slack", "tags.js") != body_of("feishu", "tags.js")
    shared = (SIMULATORS / "page/dom.js").read_bytes()
    assert [body_of(platform, "dom.js") for platform in PLATFORMS] == [shared] * 3


def test_a_file_says_what_it_is() -> None:
    kinds = {
        name: page_file("channels.simulators.slack", name).content_type for name in ("index.html", "app.js", "icon.svg")
    }
    assert kinds == {"index.html": "text/html", "app.js": "text/javascript", "icon.svg": "image/svg+xml"}


@pytest.mark.parametrize("name", ["../control.py", "..", ".hidden", "none.js", "a/b.js", ""])
def test_nothing_else_is_given(name: str) -> None:
    with pytest.raises(web.HTTPNotFound):
        page_file("channels.simulators.feishu", name)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_file_a_page_names_is_there(platform: str) -> None:
    """Follow the page's links and each module's imports: a wrong name would show only in a browser."""
    waiting, seen = ["index.html"], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        text = body_of(platform, name).decode()
        waiting += re.findall(r'(?:href|src)="/_sim/static/([^"]+)"', text) if name.endswith(".html") else []
        waiting += re.findall(r'from "\./([^"]+)"', text) if name.endswith(".js") else []
    own = {file.name for file in (SIMULATORS / platform / "page").iterdir()}
    assert own <= seen, f"served to nobody: {own - seen}"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_page_loads_nothing_from_outside(platform: str) -> None:
    page = body_of(platform, "index.html").decode()
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in page
    assert not re.findall(r'(?:href|src)="(?!/_sim/static/)', page)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_both_languages_have_the_same_words(platform: str) -> None:
    for name in ("own_words.js", "words.js"):
        english, chinese = re.split(r"const ZH", body_of(platform, name).decode())
        words = [re.findall(r"^  (\w+):", part, re.MULTILINE) for part in (english, chinese)]
        assert words[0] == words[1] and words[0]
