"""Whatever is refused has words, in both languages."""

from __future__ import annotations

from typing import get_args

import pytest

from gateway.access import Refusal
from gateway.access.admission import SILENT
from gateway.stores.people import Rank
from gateway.texts import LANGUAGES, Language


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_and_ranks_have_words(language: Language) -> None:
    keys = [f"notice.{refusal}" for refusal in get_args(Refusal) if refusal not in SILENT]
    keys += [f"rank.{rank}" for rank in get_args(Rank)]
    assert [key for key in keys if key not in LANGUAGES[language]] == []
