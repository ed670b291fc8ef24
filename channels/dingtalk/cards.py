"""The neutral card as cards of the platform: one markdown text each, and a few short variables.

A card's markdown is cut at 2,800 characters: above about 3,000 Chinese ones clients showed a blank card while every
call succeeded. Source: openclaw-channel-dingtalk #615, open.dingtalk.com "api-streamingupdate", read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from channels.cards.markdown import Parts, Rewriting
from channels.cards.model import Action, Block, Card, CardStatus, Form, Lane, Note, Text, Thinking, Todos
from channels.cards.panels import Words, words_of
from channels.cards.shorten import shorten
from channels.cards.text import plain_block
from channels.dingtalk.links import has_link, render_commands
from channels.dingtalk.markdown import CardDialect, plain, with_rules
from channels.dingtalk.template import Params, Template, render_buttons, render_payload
from channels.events import ConversationRef

PAGE_CHARS = 2_800
SMALLEST_PAGE_CHARS = 700
TITLE_CHARS = 60
SUMMARY_CHARS = 100
PLACEHOLDER = "…"
"""An empty text may be refused, and shows an empty shell."""
_THOUGHT_CHARS = 80

_SIGNS: Mapping[CardStatus, str] = {
    CardStatus.QUEUED: "⏳",
    CardStatus.WORKING: "🔵",
    CardStatus.WAITING: "🟠",
    CardStatus.PAUSED: "⏸",
    CardStatus.DONE: "🟢",
    CardStatus.STOPPED: "⏹",
    CardStatus.FAILED: "🔴",
    CardStatus.INTERRUPTED: "🟠",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One card. `is_over`: its text will not grow any more; `has_failed`: and the run failed."""

    content: str
    params: Params
    actions: tuple[Action, ...]
    is_over: bool
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    """What all cards of one run share. `is_private`: buttons show only to the person they are for."""

    template: Template
    conversation: ConversationRef
    run: str
    is_private: bool = True


class Pages:
    """Draws one run's card again and again; keeps how its text was cut, so that only growth costs."""

    def __init__(self) -> None:
        self._limit = PAGE_CHARS
        self._start()

    def _start(self) -> None:
        self._parts = Parts(self._limit)
        self._dialect = Rewriting(CardDialect())

    def smaller(self) -> bool:
        """Cut into smaller cards from now on; false when they are as small as they may be."""
        if self._limit <= SMALLEST_PAGE_CHARS:
            return False
        self._limit = max(SMALLEST_PAGE_CHARS, self._limit * 7 // 10)
        self._start()
        return True

    def of(self, card: Card, face: Face) -> list[Page]:
        """Give the cards for one snapshot, at least one, in reading order. Buttons and state are on the last."""
        growing = not card.header.status.is_terminal and any(
            isinstance(block, Text) and block.streaming for block in card.blocks
        )
        text = self._dialect.of(with_rules(_text(card), growing=growing), growing=growing)
        texts = [part.rstrip("\n") for part in self._parts.of(text, growing=growing)] or [""]
        texts[-1] = "\n\n".join(part for part in (texts[-1], _tail(card, face)) if part) or PLACEHOLDER
        last = len(texts) - 1
        return [_page(card, face, number, content, is_last=number == last) for number, content in enumerate(texts)]


def leftover(card: Card, face: Face) -> Page:
    """Give an emptied card: its text was withdrawn after it had been shown."""
    return Page("—", _params(card, face, (), status="", footer=""), (), is_over=True)


def summary_of(card: Card) -> str:
    """Give the line for the list of conversations."""
    return shorten(plain(card.summary or card.header.title or card.header.subtitle), SUMMARY_CHARS) or PLACEHOLDER


def _page(card: Card, face: Face, number: int, content: str, *, is_last: bool) -> Page:
    status = card.header.status
    if not is_last:
        # Only the last card tells the state: "done" on a part of an answer would be a lie.
        return Page(content, _params(card, face, (), status="", footer="", number=number), (), is_over=True)
    words = plain(card.header.subtitle)
    params = _params(
        card,
        face,
        card.actions,
        status=f"{_SIGNS[status]} {words}" if words else _SIGNS[status],
        footer=plain(card.footer.text),
        number=number,
    )
    return Page(content, params, card.actions, status.is_terminal, status is CardStatus.FAILED)


def _params(
    card: Card, face: Face, actions: tuple[Action, ...], *, status: str, footer: str, number: int = 0
) -> Params:
    template = face.template
    buttons = render_buttons(template, actions, is_private=face.is_private)
    more = f" ({number + 1})" if number else ""
    named = {
        template.title: shorten(plain(card.header.title), TITLE_CHARS) + more,
        template.status: status,
        template.footer: footer,
        template.payload: render_payload(face.conversation, face.run, actions),
    }
    return Params({**buttons.public, **{key: value for key, value in named.items() if key}}, buttons.private)


def _text(card: Card) -> str:
    """Give all that stays on the card as one markdown text; thinking comes and goes at the end."""
    words = words_of(card)
    return "\n\n".join(text for block in card.blocks if (text := _block(block, words)))


def _block(block: Block, words: Words) -> str:
    if isinstance(block, Lane):
        title = plain_block(replace(block, blocks=()), words)
        inner = [f"**{title}**", *(_block(each, words) for each in block.blocks)]
        return "\n\n".join(part for part in inner if part)
    if isinstance(block, Thinking | Form):
        # A card has no field: who is asked answers by a message, which the question itself says.
        return ""
    text = plain_block(block, words)
    # A card runs lines of one paragraph together.
    return text.replace("\n", "\n\n") if isinstance(block, Note | Todos) else text


def _tail(card: Card, face: Face) -> str:
    """Give what stands under the text for the moment: the last thought, and buttons the template has no place for."""
    parts = list[str]()
    thought = next((block for block in reversed(card.blocks) if isinstance(block, Thinking) and block.streaming), None)
    if thought is not None and not card.header.status.is_terminal:
        words = plain(thought.text)[-_THOUGHT_CHARS:]
        parts.append(f"> {card.labels.get('thinking', PLACEHOLDER)} {words}".rstrip())
    missing = tuple(each for each in card.actions if not face.template.has(each) and has_link(each))
    if missing:
        parts.append(render_commands(missing))
    return "\n\n".join(parts)
