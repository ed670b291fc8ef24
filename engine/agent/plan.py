"""One model call: streamed to the surface, stopped on request, recorded as one step."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, assert_never

from sqlmodel import Session

from engine.agent.draft import Draft, worded
from engine.agent.facts import CallFacts, FailedTry, last_words
from engine.agent.failure import model_params
from engine.agent.memory import remember
from engine.agent.staged.plain import plain
from engine.agent.state import ModelTurn, Pass
from engine.agent.stopping import unless_stopped
from engine.agent.window import Fitted
from engine.errors import BadOutput, ContextTooLong, ModelError
from engine.events import RunEvent
from engine.messages import Message
from engine.models.base import Completed, ModelRequest, ReasoningDelta, Restarted, TextDelta, ToolSchema
from engine.ports import Clock

log = logging.getLogger(__name__)
SHORTER_TRIES = 2
"""How often a request that the provider finds too long is halved and sent again."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: the conversation, whole, and the tools it may call."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()


async def model_turn(work: Pass, path: str, tools: Sequence[ToolSchema], clock: Clock) -> ModelTurn:
    """Give the turn recorded under `path`, asking the model when there is none; failures and stops are turns too."""

    def also(session: Session, turn: ModelTurn) -> None:
        remember(work, session, turn.message, path, clock.now_ms())

    return await work.scope.step(
        path,
        lambda: asked(work, _question(work, tools), Draft(work, path, clock)),
        result=ModelTurn,
        events=lambda turn: turn_events(work, path, turn, clock.now_ms()),
        also=also,
    )


def _question(work: Pass, tools: Sequence[ToolSchema]) -> Question:
    messages = work.messages if work.staging is None else plain(work.messages)
    return Question(tuple(messages), tuple(tools))


async def asked(work: Pass, question: Question, draft: Draft) -> ModelTurn:
    """Ask the model, showing its words as they come; failures and a stop are turns too. Records nothing."""
    turn = await _answered(work, question, draft)
    return turn.model_copy(update={"facts": _facts(work, question, draft)})


async def _answered(work: Pass, question: Question, draft: Draft) -> ModelTurn:
    try:
        fitted = await _fitted(work, question, draft)
        if draft.completed is not None:
            whole = _whole(draft.completed, offered=bool(question.tools))
            return whole.model_copy(update={"is_cut": fitted.is_cut})
        if draft.is_full:
            return ModelTurn(message=draft.partial(), model=work.model.name, ended="length")
        if work.scope.stopping:
            return ModelTurn(message=draft.partial(), model=work.model.name, ended="stopped")
        raise BadOutput("the model ended without an answer")
    except ModelError as error:
        log.warning("model failed", extra={"run": work.scope.id, "model": work.model.name, "reason": str(error)})
        return ModelTurn(
            message=draft.partial(),
            model=work.model.name,
            ended="failed",
            error=error.code,
            params=model_params(error, work.model.name),
        )


def _facts(work: Pass, question: Question, draft: Draft) -> CallFacts:
    return CallFacts(
        agent=work.scope.input.agent,
        model=draft.model if draft.completed is None else draft.completed.model,
        took_ms=draft.took_ms,
        first_ms=draft.first_ms,
        messages=0 if draft.asked is None else len(draft.asked.messages),
        tokens=0 if draft.asked is None else draft.asked.tokens,
        tools=0 if draft.asked is None else len(draft.asked.tools),
        last=last_words(question.messages),
        failed=tuple(draft.failed),
    )


async def _fitted(work: Pass, question: Question, draft: Draft) -> Fitted:
    """Ask, with less of the conversation each time the provider finds it too long; gives what was read."""
    fitted = work.window.fit(question.messages, question.tools)
    for left in reversed(range(SHORTER_TRIES + 1)):
        draft.asked = fitted
        if len(fitted.tools) < len(question.tools):
            told = {"run": work.scope.id, "model": draft.model, "told": len(fitted.tools), "of": len(question.tools)}
            log.info("tools_left_out", extra=told)
        request = ModelRequest(messages=fitted.messages, tools=fitted.tools, pictures=work.pictures)
        try:
            await unless_stopped(work.scope, _stream(work, request, draft))
            break
        except ContextTooLong:
            work.window.shorten(fitted)
            shorter = work.window.fit(question.messages, question.tools)
            if not left or (shorter.messages, shorter.tools) == (fitted.messages, fitted.tools):
                raise
            log.info("context_shortened", extra={"run": work.scope.id, "model": work.model.name})
            draft.failed.append(FailedTry(model=draft.model, error=ContextTooLong.usual_code))
            draft.restart()
            fitted = shorter
    return fitted


async def _stream(work: Pass, request: ModelRequest, draft: Draft) -> None:
    async with aclosing(work.model.stream(request)) as stream:
        async for item in stream:
            match item:
                case TextDelta():
                    draft.text(item.text)
                case ReasoningDelta():
                    draft.reasoning(item.text)
                case Restarted():
                    draft.failed_try(item)
                case Completed():
                    draft.completed = item
                case _:
                    assert_never(item)
            if draft.is_full:
                log.warning("model_ran_away", extra={"run": work.scope.id, "model": work.model.name})
                return


def _whole(done: Completed, *, offered: bool) -> ModelTurn:
    message = worded(done.message if offered else done.message.model_copy(update={"calls": ()}))
    if done.finish == "refused":
        failed: dict[str, Any] = {"ended": "failed", "error": "model_refused", "params": {"model": done.model}}
    elif message.is_blank:
        failed = {"ended": "failed", "error": "model_empty", "params": {"model": done.model}}
    else:
        failed = {"ended": "tool_calls" if message.calls else "length" if done.finish == "length" else "stop"}
    return ModelTurn(message=message, usage=done.usage, model=done.model, **failed)


def turn_events(work: Pass, path: str, turn: ModelTurn, at_ms: int) -> Sequence[RunEvent]:
    """Give what is stored of a turn: the whole texts and the facts of the call. Why it failed is told at the end."""
    base: dict[str, Any] = {"run": work.scope.id, "segment": path, "at_ms": at_ms}
    events: list[RunEvent] = []
    if turn.message.reasoning:
        events.append(
            RunEvent(
                type="thinking",
                content=turn.message.reasoning,
                status="success",
                opr="replace",
                visibility="folded",
                **base,
            )
        )
    if turn.message.text:
        events.append(RunEvent(type="text", content=turn.message.text, status="success", opr="replace", **base))
    events.append(_usage_event(turn, base))
    for segment, code, params in _notices(work, path, turn):
        content = {"code": code, "params": params, "tone": "warning"}
        events.append(RunEvent(run=work.scope.id, type="notice", content=content, segment=segment, at_ms=at_ms))
    return events


def _notices(work: Pass, path: str, turn: ModelTurn) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give segment, code and parameters of what a reader has to know; the same segment twice is one note."""
    if turn.ended == "length":
        yield path, "answer_cut", {}
    if turn.is_cut:
        yield "window", "message_cut", {}
    if turn.model != work.model.name:
        yield "fallback", "fallback", {"failed": work.model.name, "model": turn.model}


def _usage_event(turn: ModelTurn, base: dict[str, Any]) -> RunEvent:
    usage = turn.usage
    return RunEvent(
        type="usage",
        content={
            "model": turn.facts.model or turn.model,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost": usage.cost,
            **turn.facts.told(usage),
            "calls": [call.name for call in turn.message.calls],
            "chars": len(turn.message.text),
            "ended": turn.ended,
            "error": turn.error,
        },
        status="fail" if turn.ended == "failed" else "success",
        visibility="hidden",
        **base,
    )
