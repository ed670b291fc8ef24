"""What is known of models: window, prices, tool calls. Settings win; the rest comes from a list that is installed."""

from __future__ import annotations

import asyncio
import json
import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from engine.messages import Usage
from engine.models.base import ModelFacts
from engine.settings import ModelSettings

log = logging.getLogger(__name__)
_LIST = "model_prices_and_context_window_backup.json"
MAX_ENTRY_BYTES = 64 * 1024
_MILLION = 1_000_000


def cost(usage: Usage, facts: ModelFacts) -> float | None:
    """Give US dollars; `None` when a price is unknown."""
    if facts.input_price is None or facts.output_price is None:
        return None
    return (usage.input_tokens * facts.input_price + usage.output_tokens * facts.output_price) / _MILLION


def read_facts(settings: ModelSettings) -> ModelFacts:
    """Give what is known of a model. Reads a file of a few MB: call it in a thread."""
    known = _listed(settings.model)
    return ModelFacts(
        context_tokens=settings.context_tokens or known.context_tokens,
        reliable_tools=known.reliable_tools if settings.reliable_tools is None else settings.reliable_tools,
        images=known.images if settings.images is None else settings.images,
        input_price=known.input_price if settings.input_price is None else settings.input_price,
        output_price=known.output_price if settings.output_price is None else settings.output_price,
    )


class Prices:
    """The prices of one model, looked up when its first answer is complete."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._facts: ModelFacts | None = None

    async def facts(self) -> ModelFacts:
        """Give what is known of the model."""
        if self._facts is None:
            self._facts = await asyncio.to_thread(read_facts, self._settings)
        return self._facts

    async def cost(self, usage: Usage) -> float | None:
        """Give what `usage` cost in US dollars; `None` when the price is unknown."""
        return cost(usage, await self.facts())


def _listed(model: str) -> ModelFacts:
    entry = _entry(model)
    if entry is None:
        return ModelFacts()
    return ModelFacts(
        context_tokens=_whole(entry.get("max_input_tokens")),
        reliable_tools=bool(entry.get("supports_function_calling", True)),
        images=bool(entry.get("supports_vision", False)),
        input_price=_per_million(entry.get("input_cost_per_token")),
        output_price=_per_million(entry.get("output_cost_per_token")),
    )


def _entry(model: str) -> dict[str, Any] | None:
    # The list ships inside litellm; reading the file does not import the package, which takes seconds.
    spec = find_spec("litellm")
    for folder in [] if spec is None else spec.submodule_search_locations or []:
        try:
            listed = (Path(folder) / _LIST).read_bytes()
        except OSError as error:
            log.info("no model list", extra={"reason": str(error)})
            continue
        return _find(listed, model) or _find(listed, model.partition("/")[2])
    return None


def _find(listed: bytes, name: str) -> dict[str, Any] | None:
    # Parsing all of it would hold up every live card: the parser does not let other threads run meanwhile.
    key = b"\n    " + json.dumps(name).encode() + b": "
    at = listed.find(key)
    if at < 0:
        return None
    text = listed[at + len(key) : at + len(key) + MAX_ENTRY_BYTES].decode("utf-8", "ignore")
    try:
        value: Any = json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _per_million(value: Any) -> float | None:
    return float(value) * _MILLION if isinstance(value, int | float) else None
