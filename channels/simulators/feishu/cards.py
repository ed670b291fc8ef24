"""Card entities: their trees, sequence, streaming mode and history."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from channels.simulators.feed import Feed
from channels.simulators.feishu import elements
from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.gate import Gate
from channels.simulators.feishu.reading import read_card
from channels.simulators.feishu.typing_state import Typing
from channels.simulators.feishu.world import new_card_id
from channels.simulators.jsons import Json

STREAMING_TIMEOUT = 200850
STREAMING_CLOSED = 300309


@dataclass(frozen=True)
class Visible:
    """One accepted state of a card; `mono_s` is the machine's monotonic clock."""

    at_ms: int
    mono_s: float
    sequence: int
    kind: str
    tree: Json
    typing: dict[str, Typing]

    def as_json(self) -> Json:
        """Give the state as the control API shows it; `typed_from` marks text that is typed from there on."""
        typed = {key: {"chars": len(value.text), "typed_from": value.typed_from} for key, value in self.typing.items()}
        return {
            "at_ms": self.at_ms,
            "mono_s": self.mono_s,
            "sequence": self.sequence,
            "kind": self.kind,
            "text": read_card(self.tree),
            "summary": elements.summary(self.tree),
            "streaming": elements.is_streaming(self.tree),
            "typing": typed,
        }


@dataclass(eq=False)
class Card:
    """One entity; `tree` is replaced as a whole, never changed."""

    card_id: str
    app_id: str
    tree: Json
    created_s: float
    updated_at_ms: int
    sequence: int = 0
    uuids: set[str] = field(default_factory=set[str])
    streaming_since_s: float | None = None
    timeout_untold: bool = False
    message_id: str | None = None
    clicks_waiting: int = 0
    typing: dict[str, Typing] = field(default_factory=dict[str, Typing])
    history: list[Visible] = field(default_factory=list[Visible])


class Cards:
    """Keeps the cards and their rules of time."""

    def __init__(self, gate: Gate, feed: Feed) -> None:
        self._gate = gate
        self._feed = feed
        self._closers: dict[str, asyncio.Task[None]] = {}
        self.by_id: dict[str, Card] = {}

    def create(self, app_id: str, tree: Json, message_id: str | None = None) -> Card:
        """Make a card of a checked tree."""
        now_s, now_ms = self._gate.clock.steady_s(), self._gate.clock.now_ms()
        card = Card(new_card_id(), app_id, tree, now_s, now_ms, message_id=message_id)
        self.by_id[card.card_id] = card
        self.show(card, tree, "create")
        return card

    def get(self, card_id: str) -> Card:
        """Give a card that may still be used, its streaming mode brought up to date.

        Raises:
            ApiError: 200740 no such card, 200750 older than 14 days.
        """
        card = self.by_id.get(card_id)
        if card is None:
            raise ApiError(200740)
        now_s = self._gate.clock.steady_s()
        if now_s - card.created_s > self._gate.options.card_life_s:
            raise ApiError(200750)
        self._expire(card)
        return card

    def is_streaming(self, card_id: str) -> bool:
        """Tell whether a card is in streaming mode now."""
        card = self.by_id.get(card_id)
        if card is None:
            return False
        self._expire(card)
        return elements.is_streaming(card.tree)

    def show(self, card: Card, tree: Json, kind: str, sequence: int | None = None) -> None:
        """Make `tree` the card's visible state, record it and tell who listens."""
        was_streaming = card.streaming_since_s is not None
        card.tree, card.updated_at_ms = tree, self._gate.clock.now_ms()
        card.sequence = sequence if sequence is not None else card.sequence
        self._note_streaming(card, was_streaming, kind)
        card.typing = self._typing(card, elements.walk(tree))
        self._record(card, kind)

    def stream(self, card: Card, tree: Json, sequence: int, element_id: str, text: str) -> None:
        """Show one element's new text; the rest of the tree is as it was."""
        card.tree, card.updated_at_ms, card.sequence = tree, self._gate.clock.now_ms(), sequence
        changed: Json = {"element_id": element_id, "content": text}
        card.typing = {**card.typing, **self._typing(card, [changed])}
        self._record(card, "content")

    def require_streaming(self, card: Card, timeout_code: int = STREAMING_TIMEOUT) -> None:
        """Refuse a content call on a card that does not stream.

        Raises:
            ApiError: the timeout code once after the mode closed itself, then 300309.
        """
        if elements.is_streaming(card.tree):
            return
        if card.timeout_untold:
            card.timeout_untold = False
            raise ApiError(timeout_code)
        raise ApiError(STREAMING_CLOSED)

    def stop(self) -> None:
        """Forget the timers."""
        for closer in self._closers.values():
            closer.cancel()

    def _expire(self, card: Card) -> None:
        since_s = card.streaming_since_s
        if since_s is None or self._gate.clock.steady_s() < since_s + self._gate.options.streaming_life_s:
            return
        card.streaming_since_s = None
        card.tree = elements.with_config(card.tree, {"streaming_mode": False})
        card.timeout_untold = True
        self._record(card, "timeout")

    def _note_streaming(self, card: Card, was_streaming: bool, kind: str) -> None:
        if not elements.is_streaming(card.tree):
            card.streaming_since_s = None
            self._forget_closer(card)
            return
        reopens = kind in ("settings", "update", "batch_update") and self._gate.options.reopen_restarts_streaming
        if not was_streaming or reopens:
            card.streaming_since_s = self._gate.clock.steady_s()
            card.timeout_untold = False
            self._close_later(card)

    def _close_later(self, card: Card) -> None:
        async def close() -> None:
            while card.streaming_since_s is not None:
                await self._gate.clock.sleep_until(card.streaming_since_s + self._gate.options.streaming_life_s)
                self._expire(card)

        self._forget_closer(card)
        self._closers[card.card_id] = asyncio.get_running_loop().create_task(close())

    def _forget_closer(self, card: Card) -> None:
        closer = self._closers.pop(card.card_id, None)
        if closer is not None:
            closer.cancel()

    def _typing(self, card: Card, changed: Iterable[Json]) -> dict[str, Typing]:
        now_s, config = self._gate.clock.steady_s(), elements.config(card.tree)
        typing: dict[str, Typing] = {}
        for element in changed:
            element_id, text = element.get("element_id"), element.get("content")
            if not isinstance(element_id, str) or not isinstance(text, str):
                continue
            old = card.typing.get(element_id)
            if old is None or not elements.is_streaming(card.tree):
                typing[element_id] = Typing(text, len(text), now_s, 0)
            else:
                typing[element_id] = old if old.text == text else old.after(text, now_s, config)
        return typing

    def _record(self, card: Card, kind: str) -> None:
        at_ms = self._gate.clock.now_ms()
        card.history.append(Visible(at_ms, time.monotonic(), card.sequence, kind, card.tree, card.typing))
        if card.message_id is not None:
            self._feed.message(card.message_id)
