"""A model's word on the way, read strictly out of whatever it wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from engine.agent.route import Way
from engine.errors import BadOutput

READ_CHARS = 8_000
"""Of an answer; the asked object has about a hundred."""
BLOCKS_TRIED = 20
INTENT_CHARS = 80
DOMAINS_AT_MOST = 8

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


class Verdict(BaseModel):
    """What the model decided. Every field is asked for; nothing is guessed in its place."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    way: Way
    intent: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    domains: list[str] = Field(max_length=DOMAINS_AT_MOST)
    confidence: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]

    @field_validator("way", mode="before")
    @classmethod
    def _small_letters(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("intent")
    @classmethod
    def _one_short_line(cls, value: str) -> str:
        return " ".join(value.split())[:INTENT_CHARS]


def parse_verdict(text: str, domains: Collection[str] = ()) -> Verdict:
    """Give the first object in `text` that is a verdict; of its domains those that exist, each once.

    Fences, words around the object, doubled braces, control characters and trailing commas are read over.

    Raises:
        BadOutput: there is none.
    """
    for block in _objects(text[:READ_CHARS]):
        try:
            verdict = Verdict.model_validate(block)
        except ValidationError:
            continue
        known = [name for name in dict.fromkeys(verdict.domains) if name in domains]
        return verdict.model_copy(update={"domains": known})
    raise BadOutput("the model did not say which way the request goes")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Give the JSON objects in a text, as it is and then mended."""
    clean = _CONTROL.sub(" ", text)
    mended = _TRAILING_COMMA.sub(r"\1", clean.replace("{{", "{").replace("}}", "}"))
    for each in dict.fromkeys((text, clean, mended)):
        starts = [found.start() for found in re.finditer(r"\{", each)]
        for start in starts[:BLOCKS_TRIED]:
            value = _value_at(each, start)
            if isinstance(value, dict):
                yield value


def _value_at(text: str, start: int) -> Any:
    """Give the JSON value that begins there, or nothing: that text is no JSON is the usual case here, not a fault."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
