"""The rules of the pretended platform: what it refuses, and with which error."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from pathlib import Path

from channels.clock import Clock
from channels.errors import (
    AuthFailed,
    ChannelError,
    ConnectionLost,
    DeliveryUnknown,
    InvalidCard,
    NotDispatched,
    RateLimited,
    Rejected,
    StreamEnded,
    TooLong,
)
from channels.events import OutFile
from channels.testing.world import CardEntity, Fact, World


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits of the pretended platform; the defaults are those of a platform that streams for ten minutes."""

    stream_life_s: float = 600.0
    card_writes_per_s: int = 10
    max_content_bytes: int = 20_000
    max_text_bytes: int = 20_000
    max_file_bytes: int = 1_000_000
    per_minute: int | None = None
    """Writes of one method a minute, for all cards; `None`: not counted."""
    latency_s: float = 0.0
    key_life_s: float = 3600.0
    """So long a repeated key gives the first message again."""


_ERRORS: dict[str, type[ChannelError]] = {
    "connection_lost": ConnectionLost,
    "not_dispatched": NotDispatched,
    "unknown": DeliveryUnknown,
    "rejected": Rejected,
    "invalid": InvalidCard,
    "too_long": TooLong,
    "auth": AuthFailed,
}
_APPLIED_ANYWAY = "applied_unknown"
"""The request is carried out, but its answer is lost."""


class Platform:
    """Accepts or refuses requests, and writes both down. Ids are random, as a real platform's are."""

    def __init__(self, path: Path, clock: Clock, rules: Rules) -> None:
        self.world = World(path)
        self.clock = clock
        self.rules = rules
        self.world.refresh()

    async def authenticate(self) -> None:
        """Ask for a token."""
        await self._call({"do": "token"})

    async def create(self, run: str, rest: str) -> str:
        """Make a card entity; it is not visible yet."""
        card = f"card-{uuid.uuid4().hex[:12]}"
        await self._call({"do": "create", "card": card, "run": run, "rest": rest})
        return card

    async def send(self, conversation: str, key: str, reply_to: str | None, *, card: str = "", text: str = "") -> str:
        """Send a message; the same key gives the same message for an hour. An entity can be sent once."""
        fact: Fact = {"do": "send", "conversation": conversation, "uuid": key, "reply_to": reply_to}
        fact |= {"card": card or None, "text": text, "id": f"msg-{uuid.uuid4().hex[:12]}"}
        known = self._sent_before(key)
        if known is not None:
            return known
        await self._call(fact)
        return str(fact["id"])

    async def send_file(self, conversation: str, key: str, reply_to: str | None, file: OutFile) -> str:
        """Send a file; the same key gives the same message for an hour."""
        known = self._sent_before(key)
        if known is not None:
            return known
        fact: Fact = {"do": "file", "conversation": conversation, "uuid": key, "reply_to": reply_to}
        fact |= {"id": f"msg-{uuid.uuid4().hex[:12]}", "text": f"[file] {file.name}", "file": describe(file)}
        await self._call(fact)
        return str(fact["id"])

    def find_file(self, conversation: str, file: OutFile, reply_to: str | None, since_ms: int) -> str:
        """Give the message with this file that was sent since then, to the same message; else an empty text."""
        self.world.refresh()
        sent, what = reversed(self.world.messages.values()), describe(file)
        fits = (m for m in sent if m.conversation == conversation and m.file == what and m.at_ms >= since_ms)
        return next((m.id for m in fits if m.reply_to in (reply_to, None)), "")

    def find(self, conversation: str, text: str, reply_to: str | None, since_ms: int) -> str:
        """Give the message with this text that was sent since then, to the same message; else an empty text."""
        self.world.refresh()
        sent = reversed(self.world.messages.values())
        fits = (m for m in sent if m.conversation == conversation and m.text == text and m.at_ms >= since_ms)
        return next((m.id for m in fits if m.reply_to in (reply_to, None)), "")

    def shown_by(self, card: str) -> str:
        """Give the message that shows an entity; empty when none does."""
        self.world.refresh()
        return self.world.cards[card].message or ""

    async def write(self, do: str, card: str, sequence: int, **body: object) -> None:
        """Change a card: `do` is content, batch, patch or settings."""
        await self._call({"do": do, "card": card, "sequence": sequence, **body})

    async def react(self, message: str, reaction: str, *, on: bool) -> None:
        """Set or remove a sign."""
        await self._call({"do": "react", "message": message, "reaction": reaction, "on": on})

    async def _call(self, fact: Fact) -> None:
        if self.rules.latency_s:
            await self.clock.sleep(self.rules.latency_s)
        with self.world.locked():
            fact["at"] = self.clock.now_ms()
            fault = next((f for f in self.world.faults if f.method == fact["do"] and f.times > 0), None)
            error = self._injected(fact) or self._refusal(fact)
            if error is None:
                self.world.record(fact)
                return
            applied = fault is not None and fault.error == _APPLIED_ANYWAY
            if applied:
                self.world.record(fact)
            self.world.record({**fact, "refused": error.code, "fault": fault is not None})
        raise error

    def _injected(self, fact: Fact) -> ChannelError | None:
        if self.world.outage:
            return ConnectionLost("the pretended platform is away")
        for fault in self.world.faults:
            if fault.method != fact["do"] or fault.times <= 0:
                continue
            if fault.error in ("rate_app", "rate_card"):
                return RateLimited("injected", retry_after_s=fault.retry_after_s, scope=fault.error[5:], code="429")
            if fault.error == "stream_ended":
                return StreamEnded("injected", reason="closed")
            if fault.error == _APPLIED_ANYWAY:
                return DeliveryUnknown("injected, applied")
            return _ERRORS[fault.error]("injected", code=fault.error)
        return None

    def _refusal(self, fact: Fact) -> ChannelError | None:
        if fact["do"] in ("content", "batch", "patch", "settings"):
            return self._write_refusal(fact, self.world.cards[fact["card"]])
        if fact["do"] == "send":
            return self._send_refusal(fact)
        if fact["do"] == "file":
            return self._file_refusal(fact)
        return None

    def _write_refusal(self, fact: Fact, card: CardEntity) -> ChannelError | None:
        if card.gone:
            return StreamEnded("the message was recalled", reason="gone", code="recalled")
        if fact["sequence"] <= card.sequence:
            return Rejected("sequence number compare failed", code="sequence")
        if sum(at > fact["at"] - 1000 for at in card.writes_ms[-50:]) >= self.rules.card_writes_per_s:
            return RateLimited("too many writes to this card", retry_after_s=0.3, scope="card", code="card_rate")
        if self._too_many(fact):
            return RateLimited("too many requests", retry_after_s=2.0, scope="app", code="app_rate")
        if len(str(fact.get("text", "")).encode()) > self.rules.max_content_bytes:
            return TooLong("content is too long", code="too_long")
        if fact["do"] == "content":
            return self._stream_refusal(fact, card)
        return None

    def _stream_refusal(self, fact: Fact, card: CardEntity) -> ChannelError | None:
        if not card.streaming:
            return StreamEnded("streaming mode is closed", reason="closed", code="closed")
        if fact["at"] - card.opened_ms > self.rules.stream_life_s * 1000:
            return StreamEnded("card streaming timeout", reason="lifetime", code="lifetime")
        return None

    def _send_refusal(self, fact: Fact) -> ChannelError | None:
        if fact["reply_to"] in self.world.gone:
            return StreamEnded("the message to answer was recalled", reason="gone", code="recalled")
        if len(fact["text"].encode()) > self.rules.max_text_bytes:
            return TooLong("text is too long", code="too_long")
        card = fact["card"]
        if card is not None and self.world.cards[card].message is not None:
            return Rejected("this entity was sent before", code="sent")
        return None

    def _file_refusal(self, fact: Fact) -> ChannelError | None:
        if fact["reply_to"] in self.world.gone:
            return StreamEnded("the message to answer was recalled", reason="gone", code="recalled")
        size = int(fact["file"]["size_bytes"])
        if size > self.rules.max_file_bytes:
            return TooLong("the file is too large", code="file_too_large")
        return None if size else Rejected("the file is empty", code="empty_file")

    def _too_many(self, fact: Fact) -> bool:
        if self.rules.per_minute is None:
            return False
        horizon = fact["at"] - 60_000
        recent = (c for c in reversed(self.world.calls) if c.get("do") == fact["do"] and not c.get("refused"))
        count = 0
        for call in recent:
            if call.get("at", 0) <= horizon:
                break
            count += 1
        return count >= self.rules.per_minute

    def _sent_before(self, key: str) -> str | None:
        self.world.refresh()
        since_ms = self.clock.now_ms() - self.rules.key_life_s * 1000
        sent = self.world.messages.values()
        return next((m.id for m in sent if m.uuid == key and m.at_ms > since_ms), None)


def describe(file: OutFile) -> dict[str, object]:
    """Give what the platform remembers of a file."""
    digest = hashlib.sha256(file.content).hexdigest()
    return {"name": file.name, "mime": file.mime, "size_bytes": len(file.content), "sha256": digest}
