"""A press on a button of one of our cards."""

from __future__ import annotations

from typing import Literal, get_args

from channels.events import CardAction, ConversationRef, Toast
from engine.messages import Principal, RunId
from engine.pressed import Press, PressAction
from engine.runtime import Runtime, RunView
from gateway.access import Access
from gateway.commands import told_of
from gateway.inbound.direct_chats import DirectChats
from gateway.inbound.keys import address_of, inbox_key
from gateway.inbound.language import Languages
from gateway.presenter.question import ANSWER_FIELD
from gateway.texts import Language, text

ACTIONS: dict[str, PressAction] = {action: action for action in get_args(PressAction)}
ANSWERS = frozenset(each for each in ACTIONS.values() if each == "submit" or each.startswith("option_"))
"""Answers to a question of the agent."""
APPROVING = frozenset({"approve", "approve_conversation", "approve_always"})
ASKED = frozenset[str]({*APPROVING, "deny", "backlog_all", "backlog_last", "backlog_ignore", *ANSWERS})
"""Answers to questions, which the engine binds to one person."""
WORKING = frozenset[str]({*APPROVING, "retry", "revise", "backlog_all", "backlog_last", *ANSWERS})
"""Let the bot do something; whoever may not talk to it any more may only end what there is."""


class Presses:
    """Checks who pressed what, has it carried out once, and says in a toast what came of it.

    A stale or foreign press is refused visibly.
    """

    def __init__(self, runtime: Runtime, access: Access, chats: DirectChats) -> None:
        self._runtime = runtime
        self._access = access
        self._chats = chats
        self._languages = Languages(runtime)

    async def take(self, action: CardAction) -> Toast:
        """Carry out one press; a redelivery is told the same.

        Raises:
            StorageError: nothing was stored; the person is told to press again.
        """
        run = await self._runtime.run_view(RunId(action.value.get("run", "")))
        language = await self._languages.of_press(action, run)
        where = address_of(action) if run is None else run.input.to
        pressed = await self._runtime.press(inbox_key(action.dedupe), where, await self._press(action, run, language))
        reply = told_of(pressed.code, pressed.name)
        return Toast(reply.tone, reply.words(language))

    async def _press(self, action: CardAction, run: RunView | None, language: Language) -> Press:
        do = ACTIONS.get(action.value.get("do", ""))
        by = await self._access.principal(action.conversation, action.sender)
        return Press(
            run=RunId(action.value.get("run", "")),
            do=do or "stop",
            by=by,
            nonce=action.value.get("nonce", ""),
            words=_words(action, do, language),
            sent_at_ms=action.created_at_ms,
            refused="stale" if do is None else await self._refusal(action, run, do, by),
        )

    async def _refusal(
        self, action: CardAction, run: RunView | None, do: PressAction, by: Principal
    ) -> Literal["not_yours", "stale"] | None:
        if run is None or not _same_chat(action, run):
            return "stale"
        if do in WORKING and not await self._may_talk(action):
            return "not_yours"
        # The engine knows whom a question is for, and tells others what was decided.
        return None if do in ASKED or by.may_act_for(run.input.by) else "not_yours"

    async def _may_talk(self, action: CardAction) -> bool:
        """Tell whether whoever asked once may still ask: buttons outlive a permission."""
        is_direct = await self._chats.is_one(action.conversation, action.sender)
        return await self._access.may_talk(action.conversation, action.sender, direct=is_direct)


def _words(action: CardAction, do: PressAction | None, language: Language) -> str:
    """Give the words that come with a press: those that stand on a button, or those of the card's field."""
    if do == "revise":
        return text(language, "prompt.revise")
    return action.form.get(ANSWER_FIELD, "") if do == "submit" else ""


def _same_chat(action: CardAction, run: RunView) -> bool:
    """Tell whether the press came from the run's own chat: a forwarded copy of a card acts on nothing.

    A run that was asked for from a menu may have its person for an address, while no chat with them was known.
    """
    pressed, own = action.conversation, ConversationRef.parse(run.input.to)
    is_chat = own.chat in (pressed.chat, action.sender.id)
    return is_chat and (pressed.channel, pressed.account) == (own.channel, own.account)
