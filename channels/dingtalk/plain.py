"""An answer without a card: while the run works only a way to stop it or to decide, the answer itself at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from channels.base import CardOpening
from channels.cards.model import Action, Card, CardStatus, Note, ToolPanel
from channels.cards.panels import words_of
from channels.cards.ports import Journal, Write
from channels.cards.text import plain_block
from channels.clock import Clock
from channels.dingtalk.address import NAME
from channels.dingtalk.limits import WEBHOOK
from channels.dingtalk.links import has_link
from channels.dingtalk.markdown import to_message
from channels.dingtalk.once import guarded
from channels.dingtalk.post_office import Letter, PostOffice
from channels.errors import DeliveryUnknown
from channels.events import Receipt
from channels.readable import Json

EARLY_S = 8.0
"""A run that takes longer is told to be at work, with a way to stop it; ours."""
_ASKED = (CardStatus.WAITING,)
_EARLY = "open/early"


class PlainSink:
    """A `CardSink` where nothing that was sent can be changed."""

    def __init__(self, office: PostOffice, opening: CardOpening, journal: Journal, clock: Clock, account: str) -> None:
        self._office = office
        self._opening = opening
        self._journal = journal
        self._clock = clock
        self._account = account
        self._began_s = clock.steady_s()
        self._told: set[str] = set()

    @property
    def mode(self) -> Literal["patch"]:
        """Give `patch`: short messages are possible while it works; its end never shows here."""
        return "patch"

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """See `CardSink.plan`: a question at once, the way to stop after a while, each once."""
        path, actions = self._wanted(card)
        if final or not path or path in self._told or self._journal.recorded(path) is not None:
            return ()
        return (Write(WEBHOOK, "create", (path, _words(card), actions)),)

    async def send(self, write: Write) -> None:
        """See `CardSink.send`."""
        path, words, actions = write.payload
        letter = Letter(
            self._opening.conversation,
            self._opening.reply_to,
            words,
            is_markdown=True,
            buttons=actions,
            around=guarded(self._journal.guard),
        )

        async def work() -> Json:
            return {"message_id": await self._office.send(letter)}

        try:
            await self._journal.step(path, work)
        except DeliveryUnknown:
            # A question that never came blocks its run: better twice. The way to stop is no use twice.
            if path != _EARLY:
                raise
        self._told.add(path)

    def _wanted(self, card: Card) -> tuple[str, tuple[Action, ...]]:
        actions = tuple(action for action in card.actions if has_link(action))
        if not actions or card.header.status.is_terminal:
            return "", ()
        if card.header.status in _ASKED:
            return f"open/ask/{actions[0].nonce}", actions
        is_long = self._clock.steady_s() - self._began_s >= EARLY_S
        return (_EARLY, actions) if is_long else ("", ())

    def renewal(self) -> Sequence[Write]:
        """See `CardSink.renewal`."""
        return ()

    def shows(self, card: Card) -> bool:
        """See `CardSink.shows`: the answer comes as a message of its own."""
        return False

    def quiet(self, card: Card) -> Sequence[Write]:
        """See `CardSink.quiet`: nothing moves."""
        return ()

    @property
    def unrest(self) -> Literal[""]:
        """See `CardSink.unrest`."""
        return ""

    def state(self) -> Json:
        """See `CardSink.state`."""
        return {"v": 1, "mode": "plain"}

    def receipt(self) -> Receipt:
        """See `CardSink.receipt`."""
        return Receipt(NAME, self._account, (), self._clock.now_ms(), "message")


def _asked(card: Card) -> str:
    """Give the question, with the exact call that it asks for."""
    last = next((at for at, block in reversed([*enumerate(card.blocks)]) if isinstance(block, Note)), None)
    shown = () if last is None else card.blocks[last:]
    calls = [block for block in shown if isinstance(block, ToolPanel) and block.is_open]
    return "\n\n".join(plain_block(block, words_of(card)) for block in (*shown[:1], *calls))


def _words(card: Card) -> str:
    """Give what is said above the buttons: what is asked, else the state."""
    asked = _asked(card) if card.header.status in _ASKED else ""
    title = " · ".join(part for part in (card.header.subtitle, card.header.title) if part)
    return to_message("\n\n".join(part for part in (title, asked) if part)) or "…"
