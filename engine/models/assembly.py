"""Putting a streamed answer together: text, reasoning, tool calls in pieces, usage, and whether it is whole."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast

from engine.errors import CutOff
from engine.messages import AssistantMessage, ToolCall, Usage
from engine.models.base import Completed, Finish
from engine.models.surrogates import mended
from engine.models.wire import REASONING_FIELD

_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refused",
    "refusal": "refused",
}


@dataclass(slots=True)
class _Call:
    id: str
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])


class Assembly:
    """The growing answer of one request."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.reasoning_field = ""
        self.finish: str | None = None
        self.done = False
        """The provider said that nothing more comes."""
        self._usage: Usage = Usage()
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}

    def tool_piece(self, piece: dict[str, Any]) -> None:
        """Take a piece of a tool call. An unknown id begins a new call, even at an index that is taken."""
        function = cast("dict[str, Any]", piece.get("function") or {})
        call = self._call_for(piece.get("index"), str(piece.get("id") or ""))
        if not call.name and function.get("name"):
            call.name = str(function["name"])
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.arguments.append(json.dumps(arguments))

    def usage(self, counts: dict[str, Any]) -> None:
        """Take the provider's counts; the last ones hold."""
        details = cast("dict[str, Any]", counts.get("completion_tokens_details") or {})
        self._usage = Usage(
            input_tokens=int(counts.get("prompt_tokens") or 0),
            output_tokens=int(counts.get("completion_tokens") or 0),
            reasoning_tokens=int(details.get("reasoning_tokens") or 0),
        )

    @property
    def used(self) -> Usage:
        """Give what the provider counted; zeros when it did not say."""
        return self._usage

    def completed(self, usage: Usage) -> Completed:
        """Give the whole answer.

        Raises:
            CutOff: it broke off; a call that may be half is never given out.
        """
        self._check()
        calls = tuple(
            ToolCall(id=mended(call.id), name=mended(call.name), arguments=mended("".join(call.arguments)) or "{}")
            for call in self._calls
        )
        details = {REASONING_FIELD: self.reasoning_field} if self.reasoning_field else {}
        message = AssistantMessage(
            text="".join(self.text), calls=calls, reasoning="".join(self.reasoning), provider_details=details
        )
        finish: Finish = _FINISH.get(self.finish or "stop", "stop")
        if calls and finish == "stop":
            finish = "tool_calls"
        return Completed(message=message, usage=usage, finish=finish, model=self._model)

    def _check(self) -> None:
        if self.finish is None and not self.done:
            raise CutOff("the stream ended without a finish reason")
        if self._calls and _FINISH.get(self.finish or "") == "length":
            raise CutOff("the answer reached its length limit inside a tool call")
        for call in self._calls:
            if not call.name or _is_unfinished("".join(call.arguments)):
                raise CutOff("the stream ended inside a tool call")

    def _call_for(self, index: Any, id: str) -> _Call:
        place = index if isinstance(index, int) else max(self._at, default=0)
        known = self._at.get(place)
        if known is not None and (not id or known.id == id):
            return known
        same = next((call for call in self._calls if id and call.id == id), None)
        call = same or _Call(id or f"call_{len(self._calls)}")
        if same is None:
            self._calls.append(call)
        self._at[place] = call
        return call


def _is_unfinished(arguments: str) -> bool:
    text = arguments.strip()
    if not text or text.endswith("}"):
        return False  # whole, or broken in a way that is the model's to mend
    try:
        json.loads(text)
    except RecursionError:
        return False
    except ValueError:
        return True
    return False
