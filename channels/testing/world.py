"""A pretended platform whose whole state is one append-only file.

Every fact is a line, so a gateway process can be killed at any moment and the platform goes on from what it had
accepted; a test in another process reads the same file, injects faults and posts messages through it.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Fact = dict[str, Any]


@dataclass(slots=True)
class CardEntity:
    """A card as the platform keeps it."""

    id: str
    streaming: bool
    opened_ms: int
    sequence: int = 0
    content: str = ""
    rest: str = ""
    actions: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    message: str | None = None
    history: list[str] = field(default_factory=list[str])
    """Every content the reader saw, in order."""
    gone: bool = False
    writes_ms: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class Message:
    """A message in a chat: a card, a plain text or a file."""

    id: str
    conversation: str
    text: str = ""
    card: str | None = None
    reply_to: str | None = None
    uuid: str | None = None
    at_ms: int = 0
    file: dict[str, Any] | None = None
    """Of a file: its `name`, `mime`, `size_bytes` and `sha256`."""


@dataclass(slots=True)
class Fault:
    """The next `times` calls of `method` fail with `error`."""

    method: str
    error: str
    times: int
    retry_after_s: float = 1.0


class World:
    """The platform's facts, shared by all processes that open the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.cards: dict[str, CardEntity] = {}
        self.messages: dict[str, Message] = {}
        self.reactions: set[tuple[str, str]] = set()
        self.faults: list[Fault] = []
        self.inbound: list[Fact] = []
        self.acked: dict[int, Fact | None] = {}
        """Number of a delivery -> the toast that answered it."""
        self.calls: list[Fact] = []
        """Every request in order, with what became of it."""
        self.gone: set[str] = set()
        """Messages that were taken away, of people too."""
        self.outage = False
        self._offset = 0

    def refresh(self) -> None:
        """Take in what other processes wrote."""
        with self.path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._offset += len(line)
                self._apply(json.loads(line))

    @contextmanager
    def locked(self) -> Generator[None]:
        """Be alone with the file, with all facts taken in."""
        with self.path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                self.refresh()
                yield
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)

    def record(self, fact: Fact) -> None:
        """Write a fact down. Call it inside `locked`."""
        with self.path.open("ab") as file:
            file.write(json.dumps(fact, ensure_ascii=False).encode() + b"\n")
        self.refresh()

    def tell(self, fact: Fact) -> None:
        """Write one fact down, alone."""
        with self.locked():
            self.record(fact)

    def _apply(self, fact: Fact) -> None:
        self.calls.append(fact)
        if not fact.get("refused"):
            getattr(self, f"_on_{fact['do']}")(fact)
        elif fact.get("fault"):
            self._spend_fault(fact["do"])

    def _spend_fault(self, method: str) -> None:
        for fault in self.faults:
            if fault.method == method and fault.times > 0:
                fault.times -= 1
                return

    def _on_token(self, _fact: Fact) -> None:
        """Change nothing: a token leaves no trace."""

    def _on_create(self, fact: Fact) -> None:
        self.cards[fact["card"]] = CardEntity(fact["card"], streaming=True, opened_ms=fact["at"])
        self.cards[fact["card"]].rest = fact["rest"]

    def _on_send(self, fact: Fact) -> None:
        message = Message(fact["id"], fact["conversation"], fact["text"], fact["card"], fact["reply_to"], fact["uuid"])
        message.at_ms = fact["at"]
        self.messages[message.id] = message
        if message.card is not None:
            self.cards[message.card].message = message.id

    def _on_file(self, fact: Fact) -> None:
        message = Message(fact["id"], fact["conversation"], fact["text"], None, fact["reply_to"], fact["uuid"])
        message.at_ms, message.file = fact["at"], fact["file"]
        self.messages[message.id] = message

    def _on_content(self, fact: Fact) -> None:
        card = self._written(fact)
        card.content = fact["text"]
        card.history.append(card.content)

    def _on_batch(self, fact: Fact) -> None:
        card = self._written(fact)
        card.rest, card.actions = fact["rest"], fact["actions"]

    def _on_patch(self, fact: Fact) -> None:
        card = self._written(fact)
        card.content, card.rest, card.actions = fact["text"], fact["rest"], fact["actions"]
        card.history.append(card.content)

    def _on_settings(self, fact: Fact) -> None:
        card = self._written(fact)
        card.streaming = fact["streaming"]
        if card.streaming:
            card.opened_ms = fact["at"]

    def _written(self, fact: Fact) -> CardEntity:
        card = self.cards[fact["card"]]
        card.sequence = fact["sequence"]
        card.writes_ms.append(fact["at"])
        return card

    def _on_react(self, fact: Fact) -> None:
        sign = (fact["message"], fact["reaction"])
        if fact["on"]:
            self.reactions.add(sign)
        else:
            self.reactions.discard(sign)

    def _on_fault(self, fact: Fact) -> None:
        self.faults.append(Fault(fact["method"], fact["error"], fact["times"], fact.get("retry_after_s", 1.0)))

    def _on_recall(self, fact: Fact) -> None:
        self.gone.add(fact["message"])
        for card in self.cards.values():
            if card.message == fact["message"]:
                card.gone = True

    def _on_end_streams(self, fact: Fact) -> None:
        for card in self.cards.values():
            card.streaming = False

    def _on_outage(self, fact: Fact) -> None:
        self.outage = fact["on"]

    def _on_inbound(self, fact: Fact) -> None:
        self.inbound.append(fact)

    def _on_ack(self, fact: Fact) -> None:
        self.acked[fact["number"]] = fact.get("toast")
