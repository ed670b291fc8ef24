"""What an interaction leaves open: its response_url, its trigger_id, and the view that this opens.

Source: docs.slack.dev "Handling user interaction" and "Modals", read 2026-08.
"""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from channels.simulators.jsons import Json, as_object, parse_object
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler
from channels.simulators.slack.messages import Content, Messages
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.world import TEAM, App, Message, World, new_id

VIEW_TITLE_CHARS = 24


@dataclass
class Offer:
    """A response_url: whose interaction, where, how often it was used; `until_ms` is the simulator's UTC."""

    app: App
    chat_id: str
    user_id: str
    until_ms: int
    message_id: str = ""
    uses: int = 0


@dataclass
class Trigger:
    """A trigger_id."""

    app: App
    user_id: str
    until_ms: int
    used: bool = False


@dataclass
class OpenView:
    """A modal that a person sees."""

    view_id: str
    app: App
    user_id: str
    view: Json


class Responses:
    """Gives out response_urls and trigger_ids and honours them."""

    def __init__(self, gate: Gate, world: World, shapes: Shapes, messages: Messages, outbox: Outbox) -> None:
        self._gate = gate
        self._world = world
        self._shapes = shapes
        self._messages = messages
        self._outbox = outbox
        self._offers: dict[str, Offer] = {}
        self._triggers: dict[str, Trigger] = {}
        self.views: dict[str, OpenView] = {}

    def routes(self) -> list[web.RouteDef]:
        """Give the address of response_urls."""
        return [web.post("/response/{name}", self._respond)]

    def methods(self) -> dict[str, Handler]:
        """Give the call that opens a modal."""
        return {"views.open": self._open_view}

    def offer(self, app: App, chat_id: str, user_id: str, message_id: str = "") -> str:
        """Give a new response_url; `message_id` is the message that was pressed."""
        name = new_id("R")
        until_ms = self._gate.clock.now_ms() + round(self._gate.options.response_url_life_s * 1000)
        self._offers[name] = Offer(app, chat_id, user_id, until_ms, message_id)
        return f"{self._shapes.base_url}/response/{name}"

    def trigger(self, app: App, user_id: str) -> str:
        """Give a new trigger_id."""
        name = f"1.{new_id('Tr')}"
        until_ms = self._gate.clock.now_ms() + round(self._gate.options.trigger_life_s * 1000)
        self._triggers[name] = Trigger(app, user_id, until_ms)
        return name

    def answer(self, offer: Offer, body: Json) -> None:
        """Do what a response says: replace, delete, or a new message, ephemeral unless in_channel.

        Raises:
            ApiError: the content is refused.
        """
        original = self._world.messages.get(offer.message_id)
        if body.get("delete_original") is True:
            if original is not None and not original.deleted:
                self._messages.remove(original)
            return
        content = self._messages.content(body, self._gate.options.post_text_limit)
        if body.get("replace_original") is True and original is not None:
            self._replace(original, content)
            return
        chat = self._world.chats[offer.chat_id]
        if body.get("response_type") == "in_channel":
            self._outbox.posted(self._messages.new(offer.app, chat, content, body))
        else:
            self._messages.whisper(offer.app, chat, offer.user_id, content, body)

    def _replace(self, original: Message, content: Content) -> None:
        previous = self._messages.change(original, content)
        self._outbox.changed(original, previous)

    async def _respond(self, request: web.Request) -> web.Response:
        async def answer() -> web.Response:
            offer = self._offers.get(request.match_info["name"])
            self._check(offer)
            assert offer is not None
            offer.uses += 1
            self.answer(offer, parse_object(await request.text()) or {})
            return web.json_response({"ok": True})

        return await self._gate.guard(request, answer)

    def _check(self, offer: Offer | None) -> None:
        if offer is None or offer.until_ms <= self._gate.clock.now_ms():
            raise ApiError("expired_url", status=404)
        if offer.uses >= self._gate.options.response_url_uses:
            raise ApiError("used_url", status=404)

    def _open_view(self, call: Call) -> Json:
        trigger = self._triggers.get(call.need("trigger_id"))
        if trigger is None or trigger.app is not call.app:
            raise ApiError("invalid_trigger_id")
        if trigger.used:
            raise ApiError("exchanged_trigger_id")
        if trigger.until_ms <= self._gate.clock.now_ms():
            raise ApiError("expired_trigger_id")
        view = call.object("view") or {}
        title = as_object(view.get("title")) or {}
        if view.get("type") != "modal" or not 0 < len(str(title.get("text", ""))) <= VIEW_TITLE_CHARS:
            raise ApiError("invalid_arguments", "view: a modal with a title of 1 to 24 characters")
        trigger.used = True
        opened = OpenView(new_id("V"), call.app, trigger.user_id, view)
        self.views[opened.view_id] = opened
        return {"view": {**view, "id": opened.view_id, "team_id": TEAM, "app_id": call.app.app_id, "hash": "1"}}
