"""Putting cards up so that a crash at any point leads back to the same ones.

A card's outTrackId is made from the run: a repeat is refused as "already there", however long ago the first was.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from channels.base import CardOpening
from channels.cards.once import send_path
from channels.cards.ports import Journal
from channels.clock import Clock
from channels.dingtalk.address import parse_place
from channels.dingtalk.cards import Face, Page, summary_of
from channels.dingtalk.client import Client
from channels.dingtalk.errors import CARD_EXISTS, NO_SUCH_USER, NOT_DELIVERED
from channels.dingtalk.limits import CREATE
from channels.dingtalk.presses import TRACK_MARK
from channels.dingtalk.sheet import Sheet, sheet_of
from channels.dingtalk.shown import ShownCards
from channels.dingtalk.template import Params, Template
from channels.dingtalk.text_place import TextPlace
from channels.errors import InvalidCard, Rejected
from channels.pacing import Pacer
from channels.readable import Json

Root = Literal["open", "final"]
"""Which cards of a run: those it grew on, or those its answer was sent as when they could not show it."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Counter:
    """What all cards of an account share."""

    client: Client
    pacer: Pacer
    clock: Clock
    template: Template
    place: TextPlace
    shown: ShownCards
    account: str
    robot: str

    @property
    def has_cards(self) -> bool:
        """Tell whether there is a template, and a card of it can show an answer as far as is known."""
        return bool(self.template.id) and not self.place.is_missing


class Opener:
    """Puts up the cards of one run, each once."""

    def __init__(self, counter: Counter, journal: Journal, opening: CardOpening, root: Root = "open") -> None:
        self.counter = counter
        self.journal = journal
        self.opening = opening
        self.root: Root = root
        self.is_private = True

    @property
    def face(self) -> Face:
        """Give what all cards of the run share."""
        return Face(self.counter.template, self.opening.conversation, self.opening.run, self.is_private)

    def path(self, number: int) -> str:
        """Give the journal path of a card."""
        return send_path(number) if self.root == "final" else f"open/card/{number}"

    def recorded(self) -> list[Sheet]:
        """Give the cards that are known to be there."""
        found = list[Sheet]()
        while (known := self.journal.recorded(self.path(len(found)))) is not None and not known.get("refused"):
            found.append(sheet_of({"id": known["message_id"]}))
        return found

    async def put_up(self, number: int, page: Page, *, paced: bool = True) -> Sheet:
        """Put card `number` up, or give it when it is there. `paced`: the caller has waited for its turn.

        Raises:
            Rejected: it is refused for good; also when an earlier attempt met that.
            ChannelError: it is not, or perhaps not, there.
        """
        fresh: Sheet | None = None

        async def work() -> Json:
            nonlocal fresh
            if not paced:
                await self.counter.pacer.acquire(CREATE)
            await self.journal.guard()
            fresh, refused = await self._deliver(number, page)
            return {"message_id": self._track(number), "refused": refused}

        known = self.journal.recorded(self.path(number)) or await self.journal.step(self.path(number), work)
        if known.get("refused"):
            raise Rejected("card: not delivered", code=str(known["refused"]))
        sheet = fresh or sheet_of({"id": known["message_id"]})
        self.counter.shown.note(sheet.track, self.opening.conversation, self.opening.run, page.actions)
        return sheet

    async def _deliver(self, number: int, page: Page) -> tuple[Sheet, str]:
        """Create a card and tell what it shows; what it was refused for, where a repeat would seem to succeed."""
        track = self._track(number)
        try:
            await self.counter.client.deliver_card(self._body(track, page))
        except InvalidCard:
            raise
        except Rejected as error:
            if error.code == CARD_EXISTS:
                return Sheet(track), ""
            if error.code == NO_SUCH_USER and self.is_private and page.params.private:
                self.is_private = False
                raise
            if error.code != NOT_DELIVERED:
                raise
            _log.warning("dingtalk_card_not_delivered", extra={"run": self.opening.run, "reason": str(error)})
            return Sheet(track), error.code
        return Sheet(track, page.content, page.params, is_new=True), ""

    def _track(self, number: int) -> str:
        final = "f" if self.root == "final" else ""
        return f"{self.opening.run}{TRACK_MARK}{final}{number}"

    def _body(self, track: str, page: Page) -> Json:
        counter, place = self.counter, parse_place(self.opening.conversation)
        shown = Params({**page.params.public, counter.template.content: page.content}, page.params.private)
        body: Json = {
            "cardTemplateId": counter.template.id,
            "outTrackId": track,
            "callbackType": "STREAM",
            "userIdType": 1,
            "cardData": {"cardParamMap": {**shown.public, "config": '{"autoLayout":true}'}},
            "openSpaceId": place.open_space,
        }
        if shown.private:
            body["privateData"] = {user: {"cardParamMap": dict(values)} for user, values in shown.private.items()}
        space = {"supportForward": True, "lastMessageI18n": {"ZH_CN": self._summary(), "EN_US": self._summary()}}
        if place.kind == "group":
            return body | {
                "imGroupOpenSpaceModel": space,
                "imGroupOpenDeliverModel": {"robotCode": counter.robot},
            }
        return body | {
            "imRobotOpenSpaceModel": space,
            "imRobotOpenDeliverModel": {"spaceType": "IM_ROBOT", "robotCode": counter.robot},
        }

    def _summary(self) -> str:
        return summary_of(self.opening.card)
