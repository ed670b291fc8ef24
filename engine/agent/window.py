"""What of a conversation a model reads: as much as its window holds, the newest first, nothing torn apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.agent.offering import TOOLS_SHARE, offered
from engine.messages import Message, SystemMessage, TextPart, UserMessage
from engine.models.base import ToolSchema
from engine.models.tokens import estimate, frame, size, tools_size

MAX_RESERVE = 8_192
"""Tokens kept free for the answer; of a small window, a quarter."""
LEAST_TEXT = 64
"""Tokens that are left of every text, however small the window is."""
LEFT_OUT = "\n[... {chars} characters were left out here: this is too long to be read whole ...]\n"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages of one request and the tools it offers. `is_cut`: the person's own words were shortened."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    tokens: int
    is_cut: bool


class Window:
    """The window of one pass. `room` is in tokens, `None` while nobody knows the model's limit.

    `earlier` is how many messages, instructions included, lie before the person's words.
    """

    def __init__(self, context_tokens: int | None, earlier: int) -> None:
        self._room = None if context_tokens is None else context_tokens - min(MAX_RESERVE, context_tokens // 4)
        self._earlier = earlier

    def fit(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Fitted:
        """Give what fits: of earlier turns the newest ones, each whole; this turn always, its longest texts cut."""
        total = sum(map(size, messages)) + tools_size(tools)
        if self._room is None or total <= self._room:
            return Fitted(tuple(messages), tuple(tools), total, is_cut=False)
        told = self.offer(tools)
        head = [message for message in messages[: self._earlier] if isinstance(message, SystemMessage)]
        room = self._room - tools_size(told) - sum(map(size, head))
        now = _shortened(messages[self._earlier :], room)
        kept = _newest(messages[len(head) : self._earlier], room - sum(map(size, now)))
        fitted = (*head, *kept, *now)
        tokens = sum(map(size, fitted)) + tools_size(told)
        return Fitted(fitted, told, tokens, is_cut=now[0] is not messages[self._earlier])

    def offer(self, tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
        """Give the tools that a model is told of where not all fits: they must not crowd out what it is asked."""
        return tuple(tools) if self._room is None else offered(tools, self._room // TOOLS_SHARE)

    def shorten(self, refused: Fitted) -> None:
        """Learn that a provider found a request too long: from now on, half of it."""
        self._room = refused.tokens // 2


def _newest(messages: Sequence[Message], room: int) -> list[Message]:
    """Give the newest turns that fit, each from a person's words to those of the next."""
    starts = [index for index, message in enumerate(messages) if isinstance(message, UserMessage)]
    kept = len(messages)
    for start in reversed(starts):
        room -= sum(map(size, messages[start:kept]))
        if room < 0:
            break
        kept = start
    return list(messages[kept:])


def _shortened(messages: Sequence[Message], room: int) -> list[Message]:
    """Cut the longest texts to one length, the largest with which all fit."""
    texts = [estimate(message.text) for message in messages]
    room -= sum(map(frame, messages))
    low, high = LEAST_TEXT, max(LEAST_TEXT, *texts)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(min(text, middle) for text in texts) <= room else (low, middle - 1)
    return [_cut(each, text, low) if text > low else each for each, text in zip(messages, texts, strict=True)]


def _cut(message: Message, tokens: int, limit: int) -> Message:
    text = message.text
    chars = max(0, (limit - estimate(LEFT_OUT)) * len(text) // tokens)
    begin, end = text[: chars - chars // 3], text[len(text) - chars // 3 :]
    short = begin + LEFT_OUT.format(chars=len(text) - chars) + end
    if isinstance(message, UserMessage):
        others = [part for part in message.parts if not isinstance(part, TextPart)]
        return message.model_copy(update={"parts": (TextPart(text=short), *others)})
    return message.model_copy(update={"text": short})
