"""The hard cards of the gallery as each platform's own JSON, written down: a change of any is seen before a reader is.

Set NIUMA_TEST_WRITE_TRACES=1 to write the golden files anew, then read the difference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import pytest

from channels.cards.model import Card
from channels.dingtalk import cards as dingtalk
from channels.dingtalk.settings import DingtalkSettings
from channels.dingtalk.template import template_of
from channels.events import ConversationRef
from channels.feishu import cards as feishu
from channels.slack import cards as slack
from tests.journeys.gallery import GALLERY, RUN
from tests.traces.test_traces import compare

GOLDEN = Path(__file__).parent / "golden" / "cards"
LONGEST_SHOWN = 200

Json = Any


def _feishu(card: Card) -> Json:
    return [
        {"header": page.header, "config": page.config(), "elements": page.elements} for page in feishu.render_card(card)
    ]


def _slack(card: Card) -> Json:
    return [{"text": page.text, "blocks": page.blocks} for page in slack.render_card(card)]


def _dingtalk(card: Card) -> Json:
    settings = {"id": "main", "client_id": "dingdemo", "client_secret": "x", "card_template_id": "example.schema"}
    where = ConversationRef("dingtalk", "main", "dingcorp", "user.0147lin")
    face = dingtalk.Face(template_of(DingtalkSettings.model_validate(settings)), where, RUN)
    return [asdict(page) for page in dingtalk.Pages().of(card, face)]


RENDERERS: dict[str, Callable[[Card], Json]] = {"feishu": _feishu, "slack": _slack, "dingtalk": _dingtalk}


@pytest.mark.parametrize("channel", RENDERERS)
@pytest.mark.parametrize("name", GALLERY)
def test_a_hard_card_in_the_platforms_own_json(name: str, channel: str) -> None:
    native = RENDERERS[channel](GALLERY[name]())
    text = json.dumps(shortened(native), ensure_ascii=False, indent=1, sort_keys=True)
    compare(GOLDEN / f"{channel}_{name}.json", text + "\n")


def shortened(value: Json) -> Json:
    """Give long texts by their beginning, length, fingerprint and end."""
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in cast("dict[str, Json]", value).items()}
    if isinstance(value, list | tuple):
        return [shortened(each) for each in cast("list[Json]", value)]
    if isinstance(value, str) and len(value) > LONGEST_SHOWN:
        mark = hashlib.sha256(value.encode()).hexdigest()[:12]
        return f"{value[:80]} …{len(value)} {mark}… {value[-60:]}"
    return value


@pytest.mark.parametrize("name", GALLERY)
def test_every_card_is_within_what_its_platform_takes(name: str) -> None:
    card = GALLERY[name]()
    for page in feishu.render_card(card):
        assert len(json.dumps(page.native(), ensure_ascii=False).encode()) <= 30_000
    for page in slack.render_card(card):
        assert len(page.blocks) <= 50
        texts = [block["text"]["text"] for block in page.blocks if block["type"] in ("section", "header")]
        assert all(len(text) <= 3_000 for text in texts)
    assert all(len(page["content"]) <= 3_000 for page in _dingtalk(card))
