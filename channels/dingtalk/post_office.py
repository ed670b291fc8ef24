"""Messages outside of cards: by the session's own address while it is valid, else by the robot's calls."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from channels.cards.model import Action
from channels.cards.shorten import shorten
from channels.dingtalk.address import Place, parse_place
from channels.dingtalk.client import Client
from channels.dingtalk.limits import TO_GROUP, TO_USER, WEBHOOK
from channels.dingtalk.links import link_of
from channels.dingtalk.once import Around
from channels.dingtalk.sessions import Session, Sessions
from channels.errors import RateLimited, Rejected, TooLong
from channels.events import ConversationRef
from channels.kept import Kept
from channels.pacing import Pacer
from channels.pacing.insisting import LONGEST_WAIT_S
from channels.readable import Json

T = TypeVar("T")
_TRIES = 4
_KEPT = 2000
_TITLE_CHARS = 30
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """A message. `title` is what the list of conversations shows; with `buttons` they are links under the text."""

    conversation: ConversationRef
    reply_to: str | None
    text: str
    title: str = ""
    is_markdown: bool = False
    buttons: tuple[Action, ...] = ()
    mentions: bool = False
    """Name the person whose message is answered, in a group."""
    around: Around = nullcontext


class PostOffice:
    """Sends for one account."""

    def __init__(self, client: Client, pacer: Pacer, sessions: Sessions) -> None:
        self._client = client
        self._pacer = pacer
        self._sessions = sessions
        self._sent: Kept[str, str] = Kept(_KEPT)
        """What this process sent, by key: the platform remembers no key."""

    async def send_once(self, key: str, letter: Letter) -> str:
        """Send what was not sent under this key by this process. Raises like `send`."""
        if key not in self._sent:
            self._sent[key] = await self.send(letter)
        return self._sent[key]

    async def send(self, letter: Letter) -> str:
        """Send and give the message's id, one of our own where the platform gives none.

        Raises:
            Rejected: no way leads to this conversation any more.
            ChannelError: it was not, or perhaps not, sent.
        """
        place = parse_place(letter.conversation)
        session = self._sessions.valid(letter.conversation.chat, letter.reply_to)
        if session is not None:
            try:
                return await self._by_session(session, letter, place)
            except Rejected as error:
                # Over, or no robot there any more, or the address is not known: the robot's calls need none of it.
                if isinstance(error, TooLong) or place.kind == "guest":
                    raise
                extra = {"conversation": str(letter.conversation), "code": error.code}
                _log.info("dingtalk_session_over", extra=extra)
                self._sessions.close(session)
        key, param = _robot_message(letter)
        return await self.send_robot(letter.conversation, key, param, letter.around)

    async def send_robot(
        self, conversation: ConversationRef, key: str, param: Mapping[str, Any], around: Around = nullcontext
    ) -> str:
        """Send by the robot's own calls, which need no message before. Raises like `send`."""
        place = parse_place(conversation)
        if place.kind == "guest":
            raise Rejected("message: a person without a staff id is reached in their session only", code="session_over")
        method = TO_GROUP if place.kind == "group" else TO_USER

        async def send() -> str:
            return await self._client.send(place, key, param)

        return await self.insist(method, place.chat, around, send)

    async def _by_session(self, session: Session, letter: Letter, place: Place) -> str:
        message = _session_message(letter, session.staff_id if letter.mentions and place.kind == "group" else "")

        async def send() -> str:
            await self._client.send_webhook(session.webhook, message)
            return f"session:{uuid.uuid4().hex}"

        return await self.insist(WEBHOOK, place.chat, letter.around, send)

    def now_ms(self) -> int:
        """Give the time of the account's clock (UTC ms)."""
        return self._pacer.clock.now_ms()

    async def insist(self, method: str, chat: str, around: Around, work: Callable[[], Awaitable[T]]) -> T:
        """Do `work` when its turn has come; a refusal for pace changed nothing and is waited out, a few times."""
        for left in range(_TRIES - 1, -1, -1):
            await self._pacer.acquire(method)
            if chat:
                await self._pacer.turn(method, chat)
            try:
                async with around():
                    return await work()
            except RateLimited as error:
                self._pacer.refused(method, error)
                if not left or error.retry_after_s > LONGEST_WAIT_S:
                    raise
                await self._pacer.clock.sleep(error.retry_after_s)
        raise AssertionError("the last try returns or raises")


def _title(letter: Letter) -> str:
    first = next((line for line in letter.text.split("\n") if line.strip()), "")
    return shorten(letter.title or first.strip("#*> "), _TITLE_CHARS) or "…"


def _session_message(letter: Letter, staff_id: str) -> Json:
    """Source: open.dingtalk.com "robot-message-type", read 2026-11-30."""
    if letter.buttons:
        buttons = [{"title": each.label, "actionURL": link_of(each)} for each in letter.buttons]
        card = {"title": _title(letter), "text": letter.text, "btnOrientation": "0", "btns": buttons}
        return {"msgtype": "actionCard", "actionCard": card}
    # The mention is only highlighted when the text itself names the person.
    text = f"@{staff_id}  \n{letter.text}" if staff_id and letter.is_markdown else letter.text
    at: Json = {"at": {"atUserIds": [staff_id], "isAtAll": False}} if staff_id else {}
    if letter.is_markdown:
        return {"msgtype": "markdown", "markdown": {"title": _title(letter), "text": text}, **at}
    return {"msgtype": "text", "text": {"content": text}, **at}


def _robot_message(letter: Letter) -> tuple[str, Json]:
    """Source: open.dingtalk.com "the types of messages that the robot sends", read 2026-11-30."""
    title = _title(letter)
    if len(letter.buttons) == 1:
        (one,) = letter.buttons
        param = {"title": title, "text": letter.text, "singleTitle": one.label, "singleURL": link_of(one)}
        return "sampleActionCard", param
    if letter.buttons:
        shown = letter.buttons[:5]
        param = {"title": title, "text": letter.text}
        for at, each in enumerate(shown, 1):
            param |= {f"actionTitle{at}": each.label, f"actionURL{at}": link_of(each)}
        return f"sampleActionCard{len(shown)}", param
    if letter.is_markdown:
        return "sampleMarkdown", {"title": title, "text": letter.text}
    return "sampleText", {"content": letter.text}
