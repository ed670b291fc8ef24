"""A card of `FakeChannel`: one element that streams, everything else in one text, roll-over to further cards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from channels.cards.markdown import Parts
from channels.cards.model import Card
from channels.cards.ports import Journal, Write
from channels.errors import Rejected, StreamEnded
from channels.events import Receipt
from channels.readable import Json
from channels.testing import picture
from channels.testing.platform import Platform

_QUIET_TRIES = 2
SinkMode = Literal["stream", "patch", "message", "dead"]


@dataclass(slots=True)
class Page:
    """One of the run's cards, as far as the platform accepted it; `None`: not known."""

    card: str
    message: str
    content: str | None = None
    rest: str | None = None
    streaming: bool | None = None

    def took(self, body: Mapping[str, Any]) -> None:
        """Note what a request changed."""
        self.content = body.get("text", self.content)
        self.rest = body.get("rest", self.rest)
        self.streaming = body.get("streaming", self.streaming)


@dataclass(frozen=True, slots=True)
class Home:
    """What a sink needs to make further cards and receipts."""

    platform: Platform
    journal: Journal
    conversation: str
    run: str
    reply_to: str | None
    receipt: Callable[[tuple[str, ...], Literal["card", "patch", "message"]], Receipt]


class FakeSink:
    """Plans and sends the writes of one run's cards. Methods: content, batch, patch, settings, create."""

    def __init__(self, home: Home, pages: list[Page], attempt: int, mode: SinkMode = "stream") -> None:
        self._home = home
        self._pages = pages
        self._sequence = attempt * 100_000
        self._mode: SinkMode = mode
        self._is_gone = False
        self._is_behind = False
        self._quiet_tries = 0
        self._at_rest: tuple[str | None, str | None] = ("", "")
        self._parts = Parts(home.platform.rules.max_content_bytes, measure=lambda text: len(text.encode()))

    @property
    def mode(self) -> SinkMode:
        """Give how the card is written now."""
        return self._mode

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """Give the missing writes: the answer first, then the rest, then the end of streaming."""
        if self._mode in ("message", "dead"):
            return []
        parts = self._parts.of(picture.answer(card), growing=picture.still_growing(card) and not final) or [""]
        content = self._content(card, parts, final=final)
        # Nobody may read "done" on an answer whose end is not there yet.
        waits = (self._mode == "patch" and content) or (_has_ended(card) and _is_left(content, final=final))
        batch = [] if waits else self._batch(card)
        if final:
            return content + batch + self._ends()
        on, off = self._switches(card)
        return on + content[:1] + batch + off

    async def send(self, write: Write) -> None:
        """Send one request of the last plan."""
        body: dict[str, Any] = dict(write.payload)
        if write.kind == "create":
            await self._create(body["number"], body["rest"])
            return
        page = self._pages[int(body.pop("page"))]
        self._sequence += 1
        try:
            await self._home.platform.write(write.method, page.card, self._sequence, **body)
        except StreamEnded as error:
            self._is_gone = error.reason == "gone"
            self._mode = "message" if self._is_gone else "patch"
            raise
        page.took(body)

    def renewal(self) -> Sequence[Write]:
        """Give off and on again: that starts the stream's life anew."""
        if self._mode != "stream" or not self._pages[-1].streaming:
            return []
        return [self._settings(self._pages[-1], on=on) for on in (False, True)]

    def quiet(self, card: Card) -> Sequence[Write]:
        """Give one patch for each card that does not rest yet; none where the platform takes no writes."""
        if self._mode == "dead" or self._is_gone or self._quiet_tries >= _QUIET_TRIES:
            return []
        self._quiet_tries += 1
        rest = picture.rest(card)
        self._at_rest = ("", rest)
        return [
            Write("patch", "replace", {"page": number, "text": "", "rest": rest, "actions": []})
            for number, page in enumerate(self._pages)
            if (page.content, page.rest) != self._at_rest
        ]

    @property
    def unrest(self) -> Literal["", "status", "active"]:
        """Tell whether all cards rest."""
        rests = self._is_gone or all((page.content, page.rest) == self._at_rest for page in self._pages)
        return "" if rests else "active"

    def shows(self, card: Card) -> bool:
        """Tell whether the platform accepted all of it."""
        parts = self._parts.of(picture.answer(card), growing=False) or [""]
        return [page.content or "" for page in self._pages] == parts and self._pages[0].rest == picture.rest(card)

    def state(self) -> Json:
        """Give what finds the cards again."""
        return {"pages": [[page.card, page.message] for page in self._pages], "mode": self._mode}

    def receipt(self) -> Receipt:
        """Give the ids of all messages."""
        route: Literal["card", "patch"] = "patch" if self._mode == "patch" else "card"
        return self._home.receipt(tuple(page.message for page in self._pages), route)

    def _content(self, card: Card, parts: list[str], *, final: bool) -> list[Write]:
        writes: list[Write] = []
        later = zip(self._pages[1:], parts[1:], strict=False)
        self._is_behind = len(parts) > len(self._pages) or any(page.content != part for page, part in later)
        for number, part in enumerate(parts):
            if number >= len(self._pages):
                payload = {"number": number + 1, "rest": f"# {card.header.title} ({number + 1})"}
                return [*writes, Write("create", "create", payload)]
            page = self._pages[number]
            if (page.content or "") != part or (final and page.content is None):
                writes.append(self._text(number, part, card))
        return writes

    def _text(self, number: int, part: str, card: Card) -> Write:
        payload: dict[str, Any] = {"page": number, "text": part}
        if self._mode == "stream":
            return Write("content", "content", payload)
        page = self._pages[number]
        waits = _has_ended(card) and self._is_behind
        payload["rest"] = picture.rest(card) if number == 0 and not waits else page.rest or ""
        payload["actions"] = picture.buttons(card) if number == 0 else []
        return Write("patch", "replace", payload)

    def _batch(self, card: Card) -> list[Write]:
        if self._pages[0].rest == picture.rest(card):
            return []
        payload = {"page": 0, "rest": picture.rest(card), "actions": picture.buttons(card)}
        return [Write("batch", "batch", payload)]

    def _ends(self) -> list[Write]:
        if self._mode != "stream":
            return []
        return [self._settings(page, on=False) for page in self._pages if page.streaming is not False]

    def _switches(self, card: Card) -> tuple[list[Write], list[Write]]:
        """Streaming goes on before the content, off after everything."""
        page, wanted = self._pages[-1], picture.streams(card)
        if self._mode != "stream" or page.streaming == wanted:
            return [], []
        switch = [self._settings(page, on=wanted)]
        return (switch, []) if wanted else ([], switch)

    def _settings(self, page: Page, *, on: bool) -> Write:
        return Write("settings", "settings", {"page": self._pages.index(page), "streaming": on})

    async def _create(self, number: int, rest: str) -> None:
        page = await make_page(self._home, number, rest)
        self._pages.append(page)


def _has_ended(card: Card) -> bool:
    return card.header.status.is_terminal


def _is_left(content: Sequence[Write], *, final: bool) -> bool:
    """Tell whether text is missing after this plan: a card that is only made now, or more than one tick takes."""
    return any(write.kind == "create" for write in content) or (not final and len(content) > 1)


async def post(home: Home, key: str, *, card: str = "", text: str = "") -> str:
    """Send a message; where what it answers is gone, to the conversation."""
    try:
        return await home.platform.send(home.conversation, key, home.reply_to, card=card, text=text)
    except StreamEnded as error:
        if error.reason != "gone" or home.reply_to is None:
            raise
    return await home.platform.send(home.conversation, key, None, card=card, text=text)


async def make_page(home: Home, number: int, rest: str) -> Page:
    """Put a card into the chat, each creating call a journal step of its own; or find the one put there before."""

    async def entity() -> Json:
        return {"card": await home.platform.create(home.run, rest)}

    async def send() -> Json:
        try:
            return {"message": await post(home, f"{home.run}-{number}", card=card)}
        except Rejected:
            if not (message := home.platform.shown_by(card)):
                raise
            return {"message": message}

    path = "open" if number == 1 else f"open/{number}"
    known = home.journal.recorded(f"{path}/send") is not None
    card = str((await _once(home.journal, f"{path}/entity", entity))["card"])
    message = str((await _once(home.journal, f"{path}/send", send))["message"])
    return Page(card, message) if known else Page(card, message, "", rest, streaming=True)


async def _once(journal: Journal, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
    """A path is asked for once an attempt; a page whose second half failed is made again from its first."""
    return journal.recorded(path) or await journal.step(path, fn)
