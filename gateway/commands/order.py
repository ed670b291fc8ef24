"""A command as somebody gave it, and what they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.messages import Address, InboxKey, Principal, RunInput
from engine.runtime import Runtime
from gateway.access import Access
from gateway.texts import Language, text


@dataclass(frozen=True, slots=True)
class Order:
    """A command as somebody gave it. `question` is what they ask with it, if they do."""

    name: str
    key: InboxKey
    to: Address
    by: Principal
    sent_at_ms: int
    rest: str = ""
    """What was written after the command's word."""
    is_direct: bool = False
    """It was given where the person and the bot talk alone."""
    is_late: bool = False
    """It came so late that a message like it would be asked about first."""
    question: RunInput | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What to tell a person: a key of `texts`, what to fill in (further replies too), and the lines that follow."""

    key: str
    params: Mapping[str, str | int | Reply] = field(default_factory=dict[str, "str | int | Reply"])
    then: Sequence[Reply] = ()
    tone: Literal["info", "success", "warning", "error"] = "info"

    def words(self, language: Language) -> str:
        """Give it in a language, line by line."""
        filled = {
            name: value.words(language) if isinstance(value, Reply) else value for name, value in self.params.items()
        }
        return "\n".join([text(language, self.key, **filled), *(each.words(language) for each in self.then)])


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands are carried out with."""

    runtime: Runtime
    access: Access
    now_ms: int
    """The time of the order, by our clock."""
