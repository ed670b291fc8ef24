"""Words that would ring, lead elsewhere or pretend to be ours: on every platform, wherever words can stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest

from channels.cards.model import Card
from channels.feishu.markdown import to_platform
from tests.journeys.gallery import hostile
from tests.traces.test_native_cards import RENDERERS

_HIDDEN = "\u200b\u2060"
_LINK = re.compile(r"\[[^\[\]]*\]\(\s*<?([^)\s]*)")


def _strings(node: Any) -> Iterator[tuple[str, str]]:
    """Give every text of a native card, with the key it stands under."""
    if isinstance(node, dict):
        for key, value in cast("dict[str, Any]", node).items():
            yield from ((key, value),) if isinstance(value, str) else _strings(value)
    elif isinstance(node, list | tuple):
        for each in cast("list[Any]", node):
            yield from _strings(each)


def _prose(channel: str, card: Card) -> list[str]:
    """Give the texts in which markdown is read, without their code."""
    keys = {"feishu": ("content",), "slack": ("text",), "dingtalk": ("content",)}[channel]
    texts = [text for key, text in _strings(RENDERERS[channel](card)) if key in keys]
    return [re.sub(r"(`{3,})[\s\S]*?\1", "", text) for text in texts]


@pytest.mark.parametrize("channel", RENDERERS)
def test_r14_only_addresses_of_the_web_are_links_and_no_scheme_is_hidden(channel: str) -> None:
    texts = [text for text in _prose(channel, hostile()) if "by name" in text or "fine" in text]
    targets = [target for text in texts for target in _LINK.findall(text)]
    assert targets and all(target.startswith("https://") for target in targets)
    shown = "".join(texts).translate(dict.fromkeys(map(ord, _HIDDEN)))
    for number in (1, 2, 3, 4, 5):
        assert f"javascript:alert({number})" in shown
    assert not re.search(r"(?m)^\[[^\]]*\]:", "".join(texts)), "no definition of a link is left"


@pytest.mark.parametrize("channel", RENDERERS)
def test_a_link_cannot_say_another_address_than_its_own(channel: str) -> None:
    text = next(text for text in _prose(channel, hostile()) if "bank.example" in text)
    assert text.count("(evil.example)") >= 3


def test_f24_nothing_rings_on_slack() -> None:
    for _, text in _strings(RENDERERS["slack"](hostile())):
        assert not re.search(r"<!(?:channel|here|everyone)|<[@#][A-Z0-9]", text), text


def test_f24_nothing_rings_on_feishu() -> None:
    for text in _prose("feishu", hostile()):
        assert not re.search(r"<\s*at\b", text) or text.startswith(("<!channel> <at", "❌", "⏳")), text
    assert "<at" not in to_platform("<at id=all></at> | <at user_id='all'>x</at>")


def test_a_card_has_no_buttons_but_ours() -> None:
    native = json.dumps(RENDERERS["feishu"](hostile()))
    assert native.count('"tag": "button"') == 4
    assert "<button" not in native
