"""Words that reach a run at work: they are read before the next question to the model."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from engine.agent.state import Pass
from engine.events import RunEvent
from engine.messages import UserMessage
from engine.ports import Clock, Steer
from engine.sessions.store import append
from engine.tools.cut import cut

SHOWN_CHARS = 200


async def take_in(work: Pass, path: str, later: Sequence[str] | str, clock: Clock) -> None:
    """Put what the person said since the last question at the end of the conversation.

    What a question under one of the `later` paths was asked without is never put before it: a resumed run reads the
    same as the first time.
    """
    asked = (later,) if isinstance(later, str) else later
    if any(map(work.scope.recorded, asked)) and not work.scope.recorded(path):
        return

    def also(session: Session, steers: Sequence[Steer]) -> None:
        for n, steer in enumerate(steers):
            append(session, work.session, _words(steer), run=work.scope.id, path=f"{path}/{n}", now_ms=clock.now_ms())

    def events(steers: Sequence[Steer]) -> list[RunEvent]:
        return [_told(work, f"{path}/{n}", steer, clock.now_ms()) for n, steer in enumerate(steers)]

    work.messages += [_words(steer) for steer in await work.scope.take_in(path, events=events, also=also)]


def _words(steer: Steer) -> UserMessage:
    return UserMessage(parts=steer.input.parts, name=steer.input.by.name, by=steer.input.by.id)


def _told(work: Pass, segment: str, steer: Steer, at_ms: int) -> RunEvent:
    """Say on the card that the words were read; `anchor` names the message they stood in."""
    words = cut(" ".join(steer.input.text.split()), SHOWN_CHARS)
    content = {"code": "steered", "params": {"words": words}, "tone": "info", "anchor": steer.input.anchor}
    return RunEvent(
        run=work.scope.id, type="notice", content=content, segment=segment, status="success", opr="add", at_ms=at_ms
    )
