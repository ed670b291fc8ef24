"""What is visible of a model's answer while it streams."""

from __future__ import annotations

from engine.agent.facts import FailedTry
from engine.agent.staged.glimpse import Glimpse
from engine.agent.state import Pass
from engine.agent.window import Fitted
from engine.events import EventType, Operation, RunEvent
from engine.messages import AssistantMessage
from engine.models.base import Completed, Restarted
from engine.ports import Clock

MAX_ANSWER_CHARS = 200_000
"""Of one model call, thoughts included; about ten full cards, and far more than a provider's own limits let through."""


class Draft:
    """What is visible while a model streams.

    `glimpse`: its words are no answer but a form to fill in; what a person can read of it is shown as a thought.
    """

    def __init__(self, work: Pass, segment: str, clock: Clock, *, glimpse: Glimpse | None = None) -> None:
        self._show = work.scope.show
        self._now_ms = clock.now_ms
        self._run = work.scope.id
        self._segment = segment
        self._glimpse = glimpse
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._chars = 0
        self._steady_s = clock.steady_s
        self._began_s = clock.steady_s()
        self.first_ms: int | None = None
        """From the question to the first piece of any answer."""
        self.failed: list[FailedTry] = []
        self.model = work.model.name
        """Who is asked now."""
        self.asked: Fitted | None = None
        """What it is asked."""
        self.completed: Completed | None = None

    @property
    def took_ms(self) -> int:
        """Give how long ago the question was put."""
        return round((self._steady_s() - self._began_s) * 1000)

    def text(self, piece: str) -> None:
        """Show more answer text."""
        self._note_first()
        self._text.append(piece)
        self._chars += len(piece)
        if self._glimpse is not None:
            if self._glimpse.add(piece):
                self._show_thought(
                    "\n".join(filter(None, ["".join(self._reasoning), self._glimpse.text])), opr="replace"
                )
            return
        # Complete, so that the scope need not copy it: this happens for every token.
        self._show(
            RunEvent(
                run=self._run,
                type="text",
                content=piece,
                status="in_progress",
                segment=self._segment,
                visibility="visible",
                at_ms=self._now_ms(),
            )
        )

    def reasoning(self, piece: str) -> None:
        """Show more reasoning, folded."""
        self._note_first()
        self._reasoning.append(piece)
        self._chars += len(piece)
        self._show_thought(piece)

    def _show_thought(self, words: str, opr: Operation = "update") -> None:
        self._show(
            RunEvent(
                run=self._run,
                type="thinking",
                content=words,
                status="in_progress",
                segment=self._segment,
                opr=opr,
                visibility="folded",
                at_ms=self._now_ms(),
            )
        )

    def failed_try(self, item: Restarted) -> None:
        """Take back what was shown: a model failed, and the same or another one begins from the start."""
        self.failed.append(FailedTry(model=item.failed or self.model, error=item.code or item.reason))
        self.model = item.model
        self.restart()

    def restart(self) -> None:
        """Take back what was shown: it is begun again."""
        shown: list[EventType] = []
        if self._text and self._glimpse is None:
            shown.append("text")
        if self._reasoning or self._glimpse is not None:
            shown.append("thinking")
        self._glimpse = None if self._glimpse is None else Glimpse()
        self._chars = 0
        self._text.clear()
        self._reasoning.clear()
        for kind in shown:
            folded = "folded" if kind == "thinking" else "visible"
            self._show(
                RunEvent(
                    run=self._run,
                    type=kind,
                    status="in_progress",
                    segment=self._segment,
                    opr="replace",
                    visibility=folded,
                )
            )

    def _note_first(self) -> None:
        if self.first_ms is None:
            self.first_ms = self.took_ms

    @property
    def is_full(self) -> bool:
        """Tell whether the model says more than anybody reads: it goes in circles, and nothing else would end it."""
        return self._chars > MAX_ANSWER_CHARS and self.completed is None

    def partial(self) -> AssistantMessage:
        """Give what was visible as a message without calls."""
        return worded(AssistantMessage(text="".join(self._text), reasoning="".join(self._reasoning)))


def worded(message: AssistantMessage) -> AssistantMessage:
    """Give the message without a text that nobody can see: strict providers refuse it in a history."""
    blank = message.model_copy(update={"calls": ()}).is_blank
    return message.model_copy(update={"text": ""}) if blank else message
