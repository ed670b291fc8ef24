"""What we know of one message of a card: its place, and what the platform confirmed of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from channels.readable import Json
from channels.slack.cards import Page
from channels.slack.draft import Draft


@dataclass(slots=True)
class Sheet:
    """Bookkeeping of one message. It moves on only when the platform said yes."""

    channel: str = ""
    ts: str = ""
    page: Page | None = None
    """What the platform accepted as blocks; `None`: not known, or it was streamed."""
    streaming: bool | None = False
    """`None`: not known."""
    draft: Draft = field(default_factory=Draft)
    """What was streamed."""
    is_gone: bool = False
    """It was taken away: nobody sees it."""
    stop_refused: bool = False
    """The platform does not let its stream end now: what is left of the words is streamed meanwhile."""
    refusals: int = 0
    """Whole pages refused in a row for their content."""
    refused_rest: int = 0
    """Ways of leaving it at rest that the platform refused."""
    unrest: Literal["", "status", "active"] = "active"
    """What would still look at work on it, were it left behind now (see `CardSink.unrest`)."""

    @property
    def is_sent(self) -> bool:
        """Tell whether it is up."""
        return bool(self.ts)

    def ended(self) -> None:
        """It streams no more; what it shows is to be written as blocks."""
        self.streaming, self.page = False, None

    def state(self) -> Json:
        """Give what finds this message again."""
        return {"channel": self.channel, "ts": self.ts, "streaming": self.streaming is not False}

    @classmethod
    def of_state(cls, state: Json) -> Sheet:
        """Take up a message that somebody else wrote: nothing about it is known."""
        streaming = None if state.get("streaming") else False
        return cls(str(state.get("channel") or ""), str(state.get("ts") or ""), streaming=streaming)
