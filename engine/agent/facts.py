"""What is noted of a model call beside its answer: when, how long, how much was asked, who failed before it worked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.messages import Message, Usage, Value
from engine.tools.cut import cut
from engine.tools.redaction import redact

LAST_CHARS = 300
"""Of the last words that a model was asked with, so much is noted; all of them lie in the session."""
_READ_CHARS = 4_000


class FailedTry(Value):
    """A model that was asked and failed before the call came to its end; `error` is the code."""

    model: str
    error: str


class CallFacts(Value):
    """One call as a log tells it. `took_ms` and `first_ms` (to the first piece) are `None` where nobody measured."""

    v: int = 1
    agent: str = ""
    model: str = ""
    """Who was asked last; the turn's own `model` is whom people read of."""
    took_ms: int | None = None
    first_ms: int | None = None
    messages: int = 0
    tokens: int = 0
    """Estimated, of the whole request, tools included."""
    tools: int = 0
    last: str = ""
    """Shortened and without what looks like a secret."""
    failed: tuple[FailedTry, ...] = ()

    def told(self, usage: Usage) -> dict[str, Any]:
        """Give what the `usage` event says beside the counts."""
        own = self.model_dump(mode="json", include={"agent", "took_ms", "first_ms", "failed"})
        asked = {"messages": self.messages, "tokens": self.tokens, "tools": self.tools, "last": self.last}
        return {**own, "asked": asked, "counted": usage.total_tokens > 0}


def last_words(messages: Sequence[Message]) -> str:
    """Give the end of what a model is asked, short and without secrets."""
    return cut(redact(messages[-1].text[:_READ_CHARS]), LAST_CHARS) if messages else ""
