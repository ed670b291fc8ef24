"""From the events of a chat-completions stream to items of an answer."""

from __future__ import annotations

import json
import logging
from typing import Any, cast

from engine.errors import BadOutput
from engine.models.assembly import Assembly
from engine.models.base import ModelItem, ReasoningDelta, TextDelta
from engine.models.refusal import error_from
from engine.models.surrogates import Joiner

log = logging.getLogger(__name__)
_decode = json.JSONDecoder().raw_decode
"""Without the search for white space around the value, which `json.loads` makes: a third of its time."""


class Reading:
    """Turns the data of events into items, in the order of the stream."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._text = Joiner()
        self._thought = Joiner()

    def take(self, data: bytes) -> list[ModelItem]:
        """Give the items of one event.

        Raises:
            ModelError: it is an error of the provider, or not readable.
        """
        if data[:6] == b"[DONE]":
            self._assembly.done = True
            return self.end()
        try:
            return self._items(_chunk(data))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
            raise BadOutput("a chunk of the stream is not in the form of chat completions") from error

    def _items(self, chunk: dict[str, Any]) -> list[ModelItem]:
        choices: list[dict[str, Any]] = chunk.get("choices") or []
        if not choices or "error" in chunk:
            self._rare(chunk)
        items: list[ModelItem] = []
        for choice in choices[:1]:
            delta: dict[str, Any] | None = choice.get("delta")
            if delta:
                self._delta(delta, items)
            if choice.get("finish_reason"):
                self._assembly.finish = str(choice["finish_reason"])
                items += self.end()
        if chunk.get("usage"):
            self._usage(chunk["usage"])
        return items

    def _usage(self, counts: Any) -> None:
        try:
            self._assembly.usage(counts)
        except (ValueError, TypeError, AttributeError) as error:
            # What an answer cost is no reason to lose it.
            log.warning("usage_unreadable", extra={"reason": str(error)})

    def end(self) -> list[ModelItem]:
        """Give halves of characters whose other half never came."""
        items: list[ModelItem] = []
        if rest := self._thought.end():
            self._assembly.reasoning.append(rest)
            items.append(ReasoningDelta(rest))
        if rest := self._text.end():
            self._assembly.text.append(rest)
            items.append(TextDelta(rest))
        return items

    def _delta(self, delta: dict[str, Any], items: list[ModelItem]) -> None:
        content = delta.get("content")
        if content:
            text = self._text.take(content)
            self._assembly.text.append(text)
            items.append(TextDelta(text))
            if len(delta) == 1:
                return
        for field in ("reasoning_content", "reasoning"):
            thought = delta.get(field)
            if isinstance(thought, str) and thought:
                self._reasoning(self._thought.take(thought), field, items)
                break
        for piece in cast("list[dict[str, Any]]", delta.get("tool_calls") or []):
            self._assembly.tool_piece(piece)

    def _reasoning(self, thought: str, field: str, items: list[ModelItem]) -> None:
        self._assembly.reasoning_field = field
        self._assembly.reasoning.append(thought)
        items.append(ReasoningDelta(thought))

    def _rare(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            raise error_from(None, chunk, {})
        if not chunk.get("usage"):
            log.debug("chunk without choices", extra={"keys": sorted(chunk)})


def _chunk(data: bytes) -> dict[str, Any]:
    text = data.decode().lstrip()
    chunk, end = _decode(text)
    if end != len(text) and not text[end:].isspace():
        raise ValueError("something follows")
    return cast("dict[str, Any]", chunk)
