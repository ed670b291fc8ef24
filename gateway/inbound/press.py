"""A press on a button of one of our cards."""

from __future__ import annotations

from typing import Any, Literal

from channels.events import CardAction, ConversationRef, Toast
from engine.messages import RunId, TextPart
from engine.ports import Control
from engine.runtime import Runtime, RunView
from gateway.access import Access
from gateway.inbound.keys import inbox_key
from gateway.texts import Language, language_of, text

Verdict = Literal["satisfied", "revise", "abandon"]


class Presses:
    """Checks who pressed what, carries it out, and says so in a toast. A stale or foreign press is refused visibly."""

    def __init__(self, runtime: Runtime, access: Access) -> None:
        self._runtime = runtime
        self._access = access

    async def take(self, action: CardAction) -> Toast:
        """Carry out one press.

        Raises:
            StorageError: nothing was stored; the person is told to press again.
        """
        run = await self._runtime.run_view(RunId(action.value.get("run", "")))
        language = language_of(run.input.text) if run is not None else "zh"
        if run is None or not _same_chat(action.conversation, run):
            return _toast("error", language, "stale")
        if not self._access.may_act_on(action.conversation, action.sender, run.input):
            return _toast("error", language, "not_yours")
        return await self._carry_out(action, run, language)

    async def _carry_out(self, action: CardAction, run: RunView, language: Language) -> Toast:
        match action.value.get("do"):
            case "stop":
                return await self._stop(action, run, language)
            case "approve" | "deny" as answer:
                return await self._answer(action, run, answer, language)
            case "retry":
                return await self._retry(action, run, language)
            case "satisfied" | "revise" | "abandon" as verdict:
                return await self._judge(action, run, verdict, language)
            case _:
                return _toast("error", language, "stale")

    async def _stop(self, action: CardAction, run: RunView, language: Language) -> Toast:
        control = Control(id=action.dedupe.key, kind="stop", by=action.sender.id)
        accepted = await self._runtime.control(run.id, control) == "accepted"
        return _toast("info", language, "stopping" if accepted else "already_ended")

    async def _answer(
        self, action: CardAction, run: RunView, answer: Literal["approve", "deny"], language: Language
    ) -> Toast:
        nonce = action.value.get("nonce", "")
        pending = await self._pending(run.id)
        if nonce not in pending:
            return _toast("warning", language, "stale")
        if pending[nonce] != action.sender.id:
            # The engine binds a question to one person; whoever may stop the run may not answer for them.
            return _toast("error", language, "not_yours")
        body = {"nonce": nonce, "name": action.sender.name}
        control = Control(id=action.dedupe.key, kind=answer, by=action.sender.id, body=body)
        if await self._runtime.control(run.id, control) != "accepted":
            return _toast("warning", language, "already_ended")
        return _toast("success", language, "approved" if answer == "approve" else "denied")

    async def _pending(self, run: RunId) -> dict[str, str]:
        """Give the questions that wait for an answer: id -> the person they are for."""
        asked: dict[str, dict[str, Any]] = {}
        for event in await self._runtime.events(run):
            if event.type == "approval" and isinstance(event.content, dict):
                asked[str(event.content.get("id"))] = event.content
        return {id_: str(each.get("for", "")) for id_, each in asked.items() if each.get("state") == "pending"}

    async def _retry(self, action: CardAction, run: RunView, language: Language) -> Toast:
        by = self._access.principal(action.conversation, action.sender)
        submitted = await self._runtime.retry(run.id, by, inbox_key(action.dedupe))
        return _toast("info", language, "retrying" if submitted is not None else "running")

    async def _judge(self, action: CardAction, run: RunView, verdict: Verdict, language: Language) -> Toast:
        recorded = await self._runtime.verdict(
            run.id, self._access.principal(action.conversation, action.sender), verdict
        )
        if recorded == "recorded":
            if verdict == "revise":
                await self._revise(action, run, language)
            return _toast("success", language, "revising" if verdict == "revise" else "verdict")
        return _toast("warning", language, "running" if recorded == "running" else "stale")

    async def _revise(self, action: CardAction, run: RunView, language: Language) -> None:
        """Submit a turn that revises the answer: another attempt at the same task."""
        revision = run.input.model_copy(
            update={
                "by": self._access.principal(action.conversation, action.sender),
                "parts": (TextPart(text=text(language, "prompt.revise")),),
                "sent_at_ms": action.created_at_ms,
                "task": run.task,
                "attempt_index": run.attempt_index + 1,
            }
        )
        await self._runtime.submit(revision, key=inbox_key(action.dedupe))


def _same_chat(pressed: ConversationRef, run: RunView) -> bool:
    """Tell whether the press came from the run's own chat: a forwarded copy of a card acts on nothing."""
    own = ConversationRef.parse(run.input.to)
    return (pressed.channel, pressed.account, pressed.chat) == (own.channel, own.account, own.chat)


def _toast(tone: Literal["info", "success", "error", "warning"], language: Language, key: str) -> Toast:
    return Toast(tone, text(language, f"toast.{key}"))
