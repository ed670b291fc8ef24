"""What may be wrong with one app: questions that change nothing anybody sees, and what the answers mean."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from channels.base import Examination, Finding
from channels.clock import Clock
from channels.dingtalk.address import Place
from channels.dingtalk.client import Client, Frame
from channels.dingtalk.endpoint import find_endpoint
from channels.dingtalk.errors import NO_SUCH_USER, NOT_DELIVERED
from channels.dingtalk.http import Request, send
from channels.dingtalk.settings import DingtalkSettings
from channels.errors import (
    AuthFailed,
    ChannelError,
    InvalidCard,
    MissingScope,
    QuotaUsedUp,
    RateLimited,
    Rejected,
    StreamEnded,
)
from channels.examining import ANSWER_WITHIN_S, AskedOnce, compare_clocks

CONSOLE = {"console": "https://open-dev.dingtalk.com", "console_scopes": "https://open-dev.dingtalk.com"}
"""The developer console's pages have no addresses of their own for one app."""
_NOBODY = "niuma-doctor"


@asynccontextmanager
async def examining(settings: DingtalkSettings, clock: Clock) -> AsyncGenerator[Sequence[Examination]]:
    """Open a session of its own and give the examinations; see `channels.base.Examinable`."""
    quick = settings.model_copy(update={"request_timeout_s": min(settings.request_timeout_s, ANSWER_WITHIN_S)})
    client = Client(quick, clock)
    client.open()
    doctor = Doctor(quick, client, clock)
    try:
        yield doctor.examinations()
    finally:
        await doctor.close()


class Doctor:
    """Examines one app. The token is asked for once; what needs it is skipped when there is none."""

    def __init__(self, settings: DingtalkSettings, client: Client, clock: Clock) -> None:
        self._settings = settings
        self._client = client
        self._clock = clock
        self._facts: dict[str, object] = {"app": settings.client_id, **CONSOLE}
        self._token = AskedOnce(client.authenticate)

    def examinations(self) -> Sequence[Examination]:
        """Give all, in the order to show them."""
        return (
            Examination("credentials", self.credentials),
            Examination("connection", self.connection),
            Examination("bot", self._token.before(self.robot, self._refused)),
            Examination("cards", self._token.before(self.cards, self._refused)),
            Examination("clock", self.skew),
        )

    async def close(self) -> None:
        """Give up what is under way and close the session."""
        await self._token.close()
        await self._client.close()

    async def credentials(self) -> Finding:
        """Fetch a token."""
        began_s = self._clock.steady_s()
        try:
            await self._token.answer()
        except ChannelError as error:
            return self._refused(error)
        elapsed_ms = round((self._clock.steady_s() - began_s) * 1000)
        return Finding("ok", "token_given", {"app": self._settings.client_id, "elapsed_ms": elapsed_ms})

    async def connection(self) -> Finding:
        """Ask for a ticket and let it lapse: a connection of ours would take messages away from a live gateway."""
        try:
            await find_endpoint(self._client.session, self._settings)
        except ChannelError as error:
            return self._refused(error)
        return Finding("ok", "stream_possible", self._facts)

    async def robot(self) -> Finding:
        """Send a message to nobody: what is refused for its person was not refused for its rights."""
        try:
            await self._client.call(
                "POST",
                "/v1.0/robot/oToMessages/batchSend",
                {"robotCode": self._settings.robot, "userIds": [], "msgKey": "sampleText", "msgParam": "{}"},
            )
        except ChannelError as error:
            if self._is_telling(error) or "robotcode" in error.code.lower():
                return self._refused(error)
        return Finding("ok", "robot_possible", {"robot": self._settings.robot})

    async def cards(self) -> Finding:
        """Create a card for nobody, which the platform does and delivers nowhere, and stream one character to it."""
        settings = self._settings
        if not settings.card_template_id:
            return Finding("warn", "no_template", self._facts, "no_template")
        track = f"{_NOBODY}-{uuid.uuid4().hex}"
        facts = {"template": settings.card_template_id, "variable": settings.content_variable}
        try:
            await self._create(track)
            await self._client.stream(Frame(track, uuid.uuid4().hex, settings.content_variable, ".", is_last=True))
        except StreamEnded as error:
            if error.reason == "gone":
                return Finding("skipped", "template_untried", {**self._facts, **facts})
            return self._refused(error, **facts)
        except ChannelError as error:
            return self._refused(error, **facts)
        return Finding("ok", "template_tried", {**self._facts, **facts})

    async def _create(self, track: str) -> None:
        """Raises what is wrong with template or rights."""
        settings = self._settings
        body = {
            "cardTemplateId": settings.card_template_id,
            "outTrackId": track,
            "callbackType": "STREAM",
            "cardData": {"cardParamMap": {settings.content_variable: "…"}},
            "openSpaceId": Place("user", _NOBODY).open_space,
            "imRobotOpenSpaceModel": {"supportForward": False},
            "imRobotOpenDeliverModel": {"spaceType": "IM_ROBOT", "robotCode": settings.robot},
        }
        try:
            await self._client.deliver_card(body)
        except InvalidCard:
            raise
        except Rejected as error:
            # That nobody is nobody is no fault of the template's.
            if error.code not in (NOT_DELIVERED, NO_SUCH_USER) and "openspace" not in error.code.lower():
                raise

    async def skew(self) -> Finding:
        """Compare our clock with the platform's, by the date of a refusal that needs no token."""
        return await compare_clocks(self._date)

    async def _date(self) -> str:
        request = Request("POST", f"{self._settings.api_base}/v1.0/oauth2/accessToken", "clock", {})
        return (await send(self._client.session, request)).headers.get("date", "")

    def _is_telling(self, error: ChannelError) -> bool:
        return isinstance(error, AuthFailed | MissingScope | QuotaUsedUp | RateLimited) or error.works_again

    def _refused(self, error: ChannelError, **more: str) -> Finding:
        facts: dict[str, object] = {**self._facts, **more, "reason": str(error)}
        if isinstance(error, MissingScope):
            return Finding("fail", "scopes_missing", facts | {"scopes": ", ".join(error.any_of)}, "missing_scope")
        return Finding("fail", "refused", facts, error.advice)
