"""What goes into the engine and what a model reads: inputs, people, and the one normalised message protocol.

Models, tools, sessions and storage all round-trip through these types. They are add-only: new fields have defaults.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NewType

from pydantic import BaseModel, ConfigDict, Field

RunId = NewType("RunId", str)
"""26 characters, sortable by creation."""
Address = NewType("Address", str)
"""Where answers go: `str(ConversationRef)`, opaque to the engine."""
SessionId = NewType("SessionId", str)


class Value(BaseModel):
    """Base of everything that is stored or sent: frozen, unknown fields of newer writers are kept out silently."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Principal(Value):
    """A person as the engine knows them. `id` is unique within `tenant`."""

    id: str
    tenant: str = ""
    name: str = ""
    rank: Literal["owner", "admin", "member", "guest"] = "member"

    @property
    def is_admin(self) -> bool:
        """Tell whether this is an admin or an owner."""
        return self.rank in ("owner", "admin")

    def may_act_for(self, asker: Principal) -> bool:
        """Tell whether they may stop, judge or repeat what `asker` asked for: their own, and an admin everybody's."""
        return self.is_admin or self.id == asker.id


class InboxKey(Value):
    """What makes an inbound unique: a redelivery carries the same four values. `kind` is the adapter's word."""

    channel: str
    account: str
    kind: str
    key: str


class TextPart(Value):
    """Words."""

    kind: Literal["text"] = "text"
    text: str


class FilePart(Value):
    """A stored attachment; `blob` is its content hash in the BlobStore."""

    kind: Literal["file"] = "file"
    blob: str
    name: str
    mime: str = "application/octet-stream"


class EnclosedPart(Value):
    """Something that came with a message and is fetched when the run begins; `ref` is the host's own.

    `label` names it for people and models: `"plan.pdf"`, `"image"`, `"quoted message"`.
    """

    kind: Literal["enclosed"] = "enclosed"
    label: str
    ref: dict[str, str]
    is_words: bool = False
    """A message that was quoted or forwarded, not a file."""


CODE_CHARS = 8
"""So much of the end of a run's id names it where people have to write it."""


def code_of(run: str) -> str:
    """Give what people write to name a run."""
    return run[-CODE_CHARS:]


Part = Annotated[TextPart | FilePart | EnclosedPart, Field(discriminator="kind")]


class RunInput(Value):
    """What starts a run. `anchor` names the message that is answered, opaque to the engine; `None` for a push."""

    v: int = 1
    to: Address
    by: Principal
    parts: tuple[Part, ...]
    anchor: str | None = None
    agent: str = "default"
    sent_at_ms: int = 0
    task: str | None = None
    """Id of the task this run is an attempt of; `None`: a new task with the run's own id."""
    attempt_index: int = 1
    follows: str | None = None
    """The run whose question or answer, in another conversation, this conversation began under."""
    is_unseen: bool = False
    """Others in the conversation do not see that it was asked, nor by whom."""
    account: str = ""
    """The account it came by, in the host's words: a person's open runs are counted over all its conversations."""
    schedule: str = ""
    """Name of the schedule that asks; it may do what was granted to it, and nothing that was granted to a person."""
    line: str = ""
    """Runs of one line run one after another; empty: those of the conversation."""
    way_back: str = Field(default="", repr=False)
    """What the host needs to answer the message, where that came with it alone: opaque, secret, shown nowhere."""

    @property
    def place_in_line(self) -> Address:
        """Give the line in which the run waits its turn."""
        return Address(f"{self.to}#{self.line}") if self.line else self.to

    @property
    def text(self) -> str:
        """Give all words, parts on lines of their own."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


class ToolCall(Value):
    """A model's wish to call a tool. `arguments` is the raw text the model produced."""

    id: str
    name: str
    arguments: str = "{}"


class Usage(Value):
    """Token counts of one model call or of a whole run; `cost` in US dollars, `None` when the price is unknown."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None and other.cost is None else (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost=cost,
        )

    @property
    def total_tokens(self) -> int:
        """Give input and output together."""
        return self.input_tokens + self.output_tokens


class SystemMessage(Value):
    """Instructions. Never holds text that a chat member wrote."""

    role: Literal["system"] = "system"
    text: str


class UserMessage(Value):
    """A person's words. `by` is their platform id, which no model reads; names are not unique."""

    role: Literal["user"] = "user"
    parts: tuple[Part, ...]
    name: str = ""
    by: str = ""

    @property
    def text(self) -> str:
        """Give all words."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


class AssistantMessage(Value):
    """What a model said. `reasoning` goes back to the provider that wants it and is never shown unless switched on."""

    role: Literal["assistant"] = "assistant"
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    provider_details: dict[str, Any] = Field(default_factory=dict[str, Any])

    @property
    def is_blank(self) -> bool:
        """Tell whether there is nothing to read and nothing to do in it; invisible characters are nothing."""
        return not self.calls and not any(char.isprintable() and char != " " for char in self.text)


class ToolMessage(Value):
    """The result of one call, paired by `call_id`."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    text: str


Message = Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]
