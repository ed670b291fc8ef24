"""The neutral card: an immutable picture of a run that every platform can show.

A `Card` holds no platform words and no ids of the platform. `native` is what an adapter renders from it.
Block ids are stable for the life of a card, so that a renderer can tell growth from replacement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal


class CardStatus(StrEnum):
    """State of the run as a reader sees it. The last four are terminal: no spinner, no streaming."""

    QUEUED = "queued"
    WORKING = "working"
    WAITING = "waiting"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"

    @property
    def is_terminal(self) -> bool:
        """Tell whether the run is over."""
        return self in (CardStatus.DONE, CardStatus.STOPPED, CardStatus.FAILED, CardStatus.INTERRUPTED)


WorkStatus = Literal["pending", "in_progress", "success", "fail"]


@dataclass(frozen=True, slots=True)
class Header:
    """`title` is plain text (the question, shortened); `subtitle` plain text."""

    title: str
    status: CardStatus
    subtitle: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown that grows. `streaming` is true while more may come; the markdown is whole, never cut mid-character."""

    id: str
    markdown: str
    streaming: bool = False


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning, shown folded."""

    id: str
    text: str
    streaming: bool = False


@dataclass(frozen=True, slots=True)
class TodoItem:
    """One line of a to-do list."""

    id: str
    title: str
    status: WorkStatus = "pending"


@dataclass(frozen=True, slots=True)
class Todos:
    """A to-do list; `title` is plain text that stands above it: how much is done, or a bar."""

    id: str
    items: tuple[TodoItem, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class ToolPanel:
    """One tool call, folded; `kind` is the event type (`"bash"`, `"read_file"`, `"tool"`), `title` plain text.

    `is_open`: a person has to read it, all of it: it is not folded, and not shortened by a renderer.
    """

    id: str
    kind: str
    title: str
    status: WorkStatus
    body: str = ""
    body_kind: Literal["terminal", "diff", "text"] = "text"
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Cells are plain text; every row has as many cells as there are columns."""

    id: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Image:
    """`key` is the platform's own key of an uploaded image."""

    id: str
    key: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A short line beside the answer: a warning, a failure reason, "paused"."""

    id: str
    text: str
    tone: Literal["info", "success", "warning", "error"] = "info"


ActionName = Literal[
    "stop",
    "retry",
    "approve",
    "approve_conversation",
    "approve_always",
    "deny",
    "satisfied",
    "revise",
    "abandon",
    "submit",
    "backlog_all",
    "backlog_last",
    "backlog_ignore",
    "option_1",
    "option_2",
    "option_3",
    "option_4",
    "option_5",
    "option_6",
]


@dataclass(frozen=True, slots=True)
class Action:
    """A button. What it carries travels as text values in `value()` and comes back in `CardAction.value`."""

    name: ActionName
    label: str
    run: str
    nonce: str
    """Tells presses of this very button from stale ones; for an approval, the approval's id."""
    audience: str = ""
    """The only person meant, by platform id; empty: anyone allowed in this conversation."""
    style: Literal["default", "primary", "danger"] = "default"
    enabled: bool = True

    def value(self) -> dict[str, str]:
        """Give the button's payload."""
        return {"do": self.name, "run": self.run, "nonce": self.nonce, "for": self.audience}


@dataclass(frozen=True, slots=True)
class FormField:
    """One input of a form."""

    name: str
    label: str
    placeholder: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Inputs and the one button that submits them."""

    id: str
    fields: tuple[FormField, ...]
    submit: Action


LaneBlock = Text | Thinking | Todos | ToolPanel | Table | Image | Note


@dataclass(frozen=True, slots=True)
class Lane:
    """A parallel strand (a todo of a task, a team member) with its own blocks."""

    id: str
    title: str
    status: WorkStatus
    blocks: tuple[LaneBlock, ...] = ()


Block = Text | Thinking | Todos | ToolPanel | Lane | Table | Image | Note | Form


@dataclass(frozen=True, slots=True)
class Footer:
    """Small print; what is `None` is not shown. `cost` is in US dollars."""

    elapsed_ms: int | None = None
    model: str = ""
    tokens: int | None = None
    cost: float | None = None
    text: str = ""
    """The line as a reader sees it, already in the reader's language."""


@dataclass(frozen=True, slots=True)
class Call:
    """Somebody who should look at the card: a change of one rings nobody's phone.

    `reason` is stable text; each is called for once. `words` is one line of ours in the reader's language.
    """

    person: str
    """Platform id of one person; never a group, never everybody."""
    reason: str
    words: str
    after_s: float = 0.0
    """They are called when the card still says so after this time."""


@dataclass(frozen=True, slots=True)
class Card:
    """One picture of a run. Compare two with `==` to know whether anything changed."""

    header: Header
    blocks: tuple[Block, ...] = ()
    actions: tuple[Action, ...] = ()
    footer: Footer = Footer()
    summary: str = ""
    """One line for the chat list."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    """Words a renderer needs around blocks (`"thinking"`, `"continued"`, `"cut"`), in the reader's language."""
    call: Call | None = None
    """Who is to be called beside the card, by `Calling.call`; renderers show nothing of it."""
