"""The card calls: create and deliver, stream, update.

Source: open.dingtalk.com "Create and deliver cards", "AI card streaming update", "Update cards", read 2026-08.
"""

from __future__ import annotations

from aiohttp import web

from channels.simulators.dingtalk.cards import FAILED, FINISHED, INPUTING, Card, Cards
from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.gate import Call, Gate
from channels.simulators.dingtalk.messages import Messages
from channels.simulators.dingtalk.params import apply_update
from channels.simulators.dingtalk.spaces import Space, parse_spaces, place
from channels.simulators.dingtalk.templates import Template
from channels.simulators.dingtalk.world import App, World, new_id
from channels.simulators.jsons import Json, as_object


class CardCalls:
    """Answers `/v1.0/card`."""

    def __init__(self, gate: Gate, world: World, cards: Cards, messages: Messages) -> None:
        self._gate = gate
        self._world = world
        self._cards = cards
        self._messages = messages

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        api = self._gate.api
        return [
            web.post("/v1.0/card/instances/createAndDeliver", api(self._create_and_deliver)),
            web.post("/v1.0/card/instances", api(self._create)),
            web.post("/v1.0/card/instances/deliver", api(self._deliver_later)),
            web.put("/v1.0/card/streaming", api(self._stream)),
            web.put("/v1.0/card/instances", api(self._update)),
        ]

    def show(self, card: Card, how: str) -> None:
        """Keep a card's new state and tell the page."""
        card.record(how, self._gate.clock.now_ms())
        if card.message_id is not None:
            self._messages.changed(self._world.messages[card.message_id])

    def _create_and_deliver(self, call: Call) -> Json:
        spaces = parse_spaces(call.body, call.app)
        card = self._make(call)
        results = [self._deliver(call.app, card, space) for space in spaces]
        self.show(card, "create")
        return {"success": True, "result": {"outTrackId": card.out_track_id, "deliverResults": results}}

    def _create(self, call: Call) -> Json:
        card = self._make(call)
        self.show(card, "create")
        return {"success": True, "result": card.out_track_id}

    def _deliver_later(self, call: Call) -> Json:
        card = self._own(call, "param.cardNotExist")
        results = [self._deliver(call.app, card, space) for space in parse_spaces(call.body, call.app)]
        return {"success": True, "result": results}

    def _make(self, call: Call) -> Card:
        """Make an instance that is nowhere yet; its outTrackId is used up from now on."""
        body, template = call.body, self._template(call.body)
        public = as_object(body.get("cardData"))
        if public is None or as_object(public.get("cardParamMap")) is None:
            raise ApiError("param.cardPublicDataEmpty")
        if str(body["outTrackId"]) in self._cards.by_id:
            raise ApiError("param.cardAlreadyExist")
        callback_type = str(body.get("callbackType", ""))
        card = Card(str(body["outTrackId"]), call.app.app_id, template, {}, callback_type=callback_type)
        apply_update(card, body, self._gate.options)
        self._cards.by_id[card.out_track_id] = card
        return card

    def _template(self, body: Json) -> Template:
        if not body.get("outTrackId"):
            raise ApiError("param.outTrackIdEmpty")
        if not body.get("cardTemplateId"):
            raise ApiError("param.cardTemplateIdEmpty")
        template = self._cards.templates.get(str(body["cardTemplateId"]))
        if template is None:
            raise ApiError("param.templateNotExist")
        if not template.published:
            raise ApiError("param.templateUnpublished")
        return template

    def _deliver(self, app: App, card: Card, space: Space) -> Json:
        """Put the card into a chat; a wrong place is no error of the call, only of this delivery."""
        chat = place(space, app, self._world)
        found: Json = {"spaceType": space.type, "spaceId": space.id, "success": chat is not None}
        if chat is None:
            return {**found, "carrierId": "", "errorMsg": "spaceId is illegal"}
        message = self._messages.put(app, chat, ("card", {"title": space.summary}), query_key=new_id("qk"))
        message.out_track_id, message.recipients = card.out_track_id, space.recipients
        message.at_users = space.mentioned
        card.message_id = message.message_id
        return {**found, "carrierId": message.query_key, "errorMsg": ""}

    def _stream(self, call: Call) -> Json:
        card = self._own(call, "param.stream.outTrackId")
        done = {"success": True, "result": True}
        content = self._check_frame(call.body)
        if str(call.body["guid"]) in card.guids:
            return done
        key, ends, fails = str(call.body["key"]), call.body.get("isFinalize") is True, call.body.get("isError") is True
        if key != card.template.streaming_key or (fails and not card.template.has_failed_state):
            raise ApiError("unknownError", status=500)
        if call.body.get("isFull") is not True:
            raise ApiError("param.stream.isFull")
        if card.is_ended and self._gate.options.after_finish != "accept":
            if self._gate.options.after_finish == "ignore":
                return done
            raise ApiError("unknownError", status=500)
        card.guids.add(str(call.body["guid"]))
        if (ends or fails) and self._gate.options.clients_miss_last_frame:
            card.stale = card.params.get(key, "")
        card.params[key] = content
        card.flow_status = FAILED if fails else FINISHED if ends else INPUTING
        self.show(card, "stream")
        return done

    def _check_frame(self, body: Json) -> str:
        for name in ("guid", "key"):
            if not body.get(name):
                raise ApiError(f"param.stream.{name}Empty")
        content = body.get("content")
        if not isinstance(content, str) or (not content and self._gate.options.empty_content == "refuse"):
            raise ApiError("param.stream.contentEmpty")
        if len(content.encode()) > self._gate.options.stream_content_bytes:
            raise ApiError("param.stream.content")
        return content

    def _update(self, call: Call) -> Json:
        card = self._own(call, "param.cardNotExist")
        apply_update(card, call.body, self._gate.options)
        self.show(card, "update")
        return {"success": True, "result": True}

    def _own(self, call: Call, missing: str) -> Card:
        if not call.body.get("outTrackId"):
            raise ApiError("param.outTrackIdEmpty")
        card = self._cards.by_id.get(str(call.body["outTrackId"]))
        if card is None or card.app_id != call.app.app_id:
            raise ApiError(missing)
        return card
