"""F26: the same long text moved letter by letter, so that each cut falls on every place of its long characters."""

from __future__ import annotations

from typing import Any

import pytest

from channels.feishu.cards import render_card
from tests.journeys.gallery import chinese, chinese_text


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["content"]] if value.get("tag") == "markdown" else []
        return own + [text for each in value.values() for text in texts(each)]
    return [text for each in value for text in texts(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("shift", range(28))
def test_f26_a_cut_never_breaks_a_character(shift: int) -> None:
    pages = [page.native()["body"]["elements"] for page in render_card(chinese(shift))]
    assert len(pages) >= 2
    joined = "".join(texts(pages))
    assert joined.startswith(chinese_text(shift)[:20_000])
    assert all(not text.startswith("\u200d") for text in texts(pages))
