"""What all platforms show of a tool call alike: its sign, and how long output is cut where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from channels.cards.grapheme import ceiling
from channels.cards.model import Card, ToolPanel
from channels.cards.shorten import head

ICONS: Mapping[str, str] = {
    "read_file": "📖",
    "edit_file": "✏️",
    "create_file": "➕",
    "delete_file": "🗑️",
    "bash": "💻",
    "search": "🔍",
    "outputs": "📦",
}
"""By the kind of a panel; others have none."""
_SNIPPETS = {"diff": 400, "terminal": 240, "text": 0}
"""Where nothing folds, so much is shown of the output of a call that went well."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words around blocks, in the reader's language. `cut` holds `{chars}`: how many characters are not shown."""

    thinking: str = "…"
    cut: str = "[… {chars} …]"


def words_of(card: Card) -> Words:
    """Give a card's own words, else signs."""
    return Words(**{name: card.labels[name] for name in ("thinking", "cut") if name in card.labels})


def titled(panel: ToolPanel) -> str:
    """Give a panel's title with the sign of its kind."""
    icon = ICONS.get(panel.kind, "")
    return f"{icon} {panel.title or panel.kind}" if icon else panel.title or panel.kind


def without_middle(text: str, chars: int, words: str) -> str:
    """Give the beginning and the end of a text, about `chars` characters, and between them how many are missing."""
    if len(text) <= chars:
        return text
    begun, rest = head(text, chars // 2), text[ceiling(text, len(text) - chars // 2) :]
    left_out = words.replace("{chars}", f"{len(text) - len(begun) - len(rest):,}")
    return f"{begun}\n{left_out}\n{rest}"


def snippet(panel: ToolPanel, chars: int, words: str) -> str:
    """Give what of a panel's inside is shown where nothing folds: little of what went well, `chars` of what did not."""
    body = panel.body.strip("\n")
    if panel.is_open or not body.strip():
        return body
    most = _SNIPPETS[panel.body_kind] if panel.status == "success" else chars
    return without_middle(body, most, words) if most else ""


def in_pieces(text: str, chars: int) -> list[str]:
    """Give a text in pieces of at most so many characters, cut at the ends of lines where there are any."""
    pieces: list[str] = []
    while len(text) > chars:
        part = head(text, chars) or text[:chars]
        at = part.rfind("\n")
        part = part[: at + 1] if at > 0 else part
        pieces.append(part.removesuffix("\n"))
        text = text[len(part) :]
    return [*pieces, text]
