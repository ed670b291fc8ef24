"""What a run's events say of the run itself, besides the records: its state, its cost, who was asked, who judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from channels.cards.model import CardStatus, Note
from engine.events import RunEvent

_ENDED: dict[str, CardStatus] = {
    "done": CardStatus.DONE,
    "stopped": CardStatus.STOPPED,
    "failed": CardStatus.FAILED,
    "interrupted": CardStatus.INTERRUPTED,
}


@dataclass(slots=True)
class Facts:
    """What the head, the small print and the buttons need to know."""

    status: CardStatus = CardStatus.WORKING
    """As the run goes; a reader sees `seen_status`."""
    elapsed_ms: int | None = None
    model: str = ""
    tokens: int = 0
    cost: float | None = None
    approvals: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    choices: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    verdict: dict[str, Any] | None = None
    followed: str = ""
    """`retried` or `revised` when a newer attempt has taken this one's place."""
    error: dict[str, Any] | None = None
    note: Note | None = None
    answered_at_ms: int = 0
    """When a person last answered a question of this run."""
    waited_ms: int = 0
    """How long people waited for the end: since the beginning, or since they last answered."""
    files: dict[str, str] = field(default_factory=dict[str, str])
    """What became of files, by key; one that is not in it is on its way."""

    @property
    def seen_status(self) -> CardStatus:
        """Give the state a reader sees: work that waits for an answer does not look like work."""
        is_asking = self.pending_approval is not None or self._is_choice_open
        return CardStatus.WAITING if self.status is CardStatus.WORKING and is_asking else self.status

    @property
    def pending_approval(self) -> dict[str, Any] | None:
        """Give the question for approval that a person has to answer now, if there is one."""
        waiting = [each for each in self.approvals.values() if each.get("state") == "pending"]
        return waiting[-1] if waiting else None

    @property
    def choice(self) -> dict[str, Any] | None:
        """Give the question with several answers that waits, of several the newest; without any, the last one."""
        told = list(self.choices.values())
        waiting = [each for each in told if each.get("state") == "pending"]
        return (waiting or told or [None])[-1]

    @property
    def _is_choice_open(self) -> bool:
        choice = self.choice
        return choice is not None and choice.get("state") == "pending"

    def take(self, event: RunEvent) -> None:
        """Take note of one event; those that tell nothing of the run itself change nothing."""
        content = event.content if isinstance(event.content, dict) else {}
        match event.type:
            case "usage" if content.get("counted") is not False:
                self._add_usage(content)
            case "done":
                self._end(content, event.at_ms)
            case "error":
                self.error = content
            case "approval":
                self.approvals[str(content.get("id"))] = content
                if content.get("state") in ("approved", "denied"):
                    self.answered_at_ms = event.at_ms
            case "choice":
                self.choices[str(content.get("id"))] = content
                if content.get("state") == "answered":
                    self.answered_at_ms = event.at_ms
            case "verdict":
                self.verdict = content
            case "notice" if is_followed(content):
                self.followed = str(content["code"])
            case _:
                pass

    def _end(self, content: dict[str, Any], at_ms: int) -> None:
        self.status = _ENDED[content["status"]]
        self.elapsed_ms = content.get("elapsed_ms")
        since_answer_ms = at_ms - self.answered_at_ms if self.answered_at_ms and at_ms else None
        self.waited_ms = (self.elapsed_ms or 0) if since_answer_ms is None else since_answer_ms
        self.note = None

    def _add_usage(self, content: dict[str, Any]) -> None:
        self.model = str(content.get("model") or self.model)
        self.tokens += int(content.get("input_tokens", 0)) + int(content.get("output_tokens", 0))
        cost = content.get("cost")
        if cost is not None:
            self.cost = (self.cost or 0.0) + float(cost)


def is_followed(content: dict[str, Any]) -> bool:
    """Tell whether a notice says that a newer attempt has taken the run's place."""
    return content.get("code") in ("retried", "revised")
