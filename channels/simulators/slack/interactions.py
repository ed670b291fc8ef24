"""Buttons, slash commands, modals, and the platform's own stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, as_object, as_objects
from channels.simulators.slack.deliveries import Ack, Deliveries
from channels.simulators.slack.errors import ApiError, Refused
from channels.simulators.slack.gate import Gate
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.people import People
from channels.simulators.slack.responses import Offer, Responses
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.statuses import Statuses
from channels.simulators.slack.streams import Streams
from channels.simulators.slack.world import TEAM, App, Chat, Message, World

PRESSED = ("button", "feedback_buttons", "icon_button", "static_select", "overflow")
TIMEOUT = "operation_timeout"
"""What a person is told when an app did not acknowledge within 3 s."""


@dataclass
class Parts:
    """What interactions work with."""

    gate: Gate
    world: World
    shapes: Shapes
    deliveries: Deliveries
    outbox: Outbox
    people: People
    responses: Responses
    streams: Streams
    statuses: Statuses
    feed: Feed


class Interactions:
    """Carries what a person does with the app itself to it, once, and shows the answer."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._world = parts.world

    async def click(self, body: Json) -> Json:
        """Press a button: `message_id`, `as`, and `action_id` or `value`; or an `element` that is no longer there.

        Returns:
            `{"acked": bool, "error": ""}`; `error` is `operation_timeout` when nobody acknowledged.

        Raises:
            Refused: no such message or button.
        """
        parts, user_id = self._parts, str(body.get("as"))
        message = parts.people.message(str(body.get("message_id")))
        gone = as_object(body.get("element"))
        block, element = ({}, gone) if gone is not None else _find_element(self._blocks(message), body)
        app = self._world.apps[message.sender_id]
        payload = self._interaction("block_actions", app, user_id)
        payload |= {"container": _container(message), "actions": [self._action(block, element, body)]}
        payload |= self._channel(message.chat_id)
        if message.ephemeral_to is None:
            payload["message"] = parts.shapes.message(message)
        payload["response_url"] = parts.responses.offer(app, message.chat_id, user_id, message.id)
        payload["state"] = {"values": body.get("state") or {}}
        return self._told(user_id, await parts.deliveries.ask(app, "interactive", payload))

    def buttons(self, message_id: str) -> list[Json]:
        """Give what can be pressed in a message, as the app wrote it: `{type, action_id, value, ...}`."""
        return [element for _, element in _elements(self._blocks(self._parts.people.message(message_id)))]

    async def command(self, body: Json) -> Json:
        """Give a slash command: `chat_id`, `as`, `command`, `text`; the answer's payload becomes a message.

        Raises:
            Refused: no such chat or person, or it is given inside a thread.
        """
        parts, user_id = self._parts, str(body.get("as"))
        chat = self._world.chats.get(str(body.get("chat_id")))
        if chat is None or user_id not in chat.members or body.get("thread_ts"):
            raise Refused("no such chat, the person is not in it, or it is a thread: commands do not work there")
        app = self._world.apps[str(body.get("app_id") or next(iter(chat.bots or self._world.apps)))]
        offer_url = parts.responses.offer(app, chat.id, user_id)
        name = self._world.people[user_id].name.lower().replace(" ", ".")
        payload: Json = {
            "token": "verification",
            "team_id": TEAM,
            "team_domain": "demo",
            "channel_id": chat.id,
            "channel_name": _name_in_payload(chat),
            "user_id": user_id,
            "user_name": name,
            "command": str(body.get("command")),
            "text": str(body.get("text", "")),
            "api_app_id": app.app_id,
            "is_enterprise_install": "false",
            "response_url": offer_url,
            "trigger_id": parts.responses.trigger(app, user_id),
        }
        ack = await parts.deliveries.ask(app, "slash_commands", payload)
        if ack is not None and ack.payload:
            self._show_answer(Offer(app, chat.id, user_id, 0), ack.payload)
        return self._told(user_id, ack)

    async def shortcut(self, body: Json) -> Json:
        """Use a message shortcut: `message_id`, `as`, `callback_id`."""
        parts, user_id = self._parts, str(body.get("as"))
        message = parts.people.message(str(body.get("message_id")))
        app = self._world.apps[str(body.get("app_id") or next(iter(self._world.chats[message.chat_id].bots)))]
        payload = self._interaction("message_action", app, user_id) | self._channel(message.chat_id)
        payload |= {"callback_id": str(body.get("callback_id")), "action_ts": self._now_ts()}
        payload |= {"message": parts.shapes.message(message), "message_ts": message.ts}
        payload["response_url"] = parts.responses.offer(app, message.chat_id, user_id, message.id)
        return self._told(user_id, await parts.deliveries.ask(app, "interactive", payload))

    async def submit(self, body: Json) -> Json:
        """Send a modal off: `view_id`, `values` as `view.state.values`; gives what the app answered as `response`."""
        opened = self._parts.responses.views.get(str(body.get("view_id")))
        if opened is None:
            raise Refused("no such view")
        payload = self._interaction("view_submission", opened.app, opened.user_id)
        view: Json = {**opened.view, "id": opened.view_id, "state": {"values": body.get("values") or {}}}
        ack = await self._parts.deliveries.ask(opened.app, "interactive", {**payload, "view": view})
        if ack is not None and (ack.payload or {}).get("response_action") != "errors":
            del self._parts.responses.views[opened.view_id]
        return {**self._told(opened.user_id, ack), "response": ack.payload if ack is not None else None}

    def stop(self, body: Json) -> Json:
        """Press the platform's own stop in a thread: `chat_id`, `thread_ts`, `as`.

        The platform ends the streams and tells the app with `agent_session_stopped`; it is there while a session is
        `processing` and the app subscribed to the event.

        Raises:
            Refused: the button is not there.
        """
        parts, chat_id, thread_ts = self._parts, str(body.get("chat_id")), str(body.get("thread_ts"))
        is_subscribed = "agent_session_stopped" not in parts.gate.options.withheld_events
        if not is_subscribed or not parts.statuses.is_processing(chat_id, thread_ts):
            raise Refused("there is no stop button")
        stopped = parts.streams.stop_by_user(chat_id, thread_ts)
        event: Json = {"type": "agent_session_stopped", "channel": chat_id, "thread_ts": thread_ts}
        event |= {"user": str(body.get("as")), "streaming_message_ts": stopped}
        return {"event_ids": parts.outbox.tell(self._world.chats[chat_id], event), "streaming_message_ts": stopped}

    def _blocks(self, message: Message) -> list[Json]:
        return message.stream.blocks() if message.stream is not None else message.blocks

    def _interaction(self, kind: str, app: App, user_id: str) -> Json:
        name = self._world.name_of(user_id).lower().replace(" ", ".")
        return {
            "type": kind,
            "user": {"id": user_id, "username": name, "name": name, "team_id": TEAM},
            "api_app_id": app.app_id,
            "token": "verification",
            "trigger_id": self._parts.responses.trigger(app, user_id),
            "team": {"id": TEAM, "domain": "demo"},
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _channel(self, chat_id: str) -> Json:
        chat = self._world.chats[chat_id]
        return {"channel": {"id": chat.id, "name": _name_in_payload(chat)}}

    def _action(self, block: Json, element: Json, body: Json) -> Json:
        kept = ("type", "action_id", "text", "style")
        action = {name: element[name] for name in kept if name in element}
        action |= {"block_id": block.get("block_id"), "action_ts": self._now_ts()}
        if element.get("type") in ("static_select", "overflow"):
            chosen = [each for each in as_objects(element.get("options")) if each.get("value") == body.get("value")]
            return {**action, "selected_option": chosen[0] if chosen else None}
        value = body.get("value", element.get("value"))
        return action if value is None else {**action, "value": value}

    def _now_ts(self) -> str:
        return self._world.new_ts(self._parts.gate.clock.now_ms())

    def _show_answer(self, offer: Offer, payload: Json) -> None:
        try:
            self._parts.responses.answer(offer, payload)
        except ApiError as error:
            self._parts.feed.toast(offer.user_id, "error", error.error)

    def _told(self, user_id: str, ack: Ack | None) -> Json:
        if ack is None:
            self._parts.feed.toast(user_id, "error", TIMEOUT)
        return {"acked": ack is not None, "error": "" if ack is not None else TIMEOUT}


def _find_element(blocks: list[Json], body: Json) -> tuple[Json, Json]:
    wanted = {name: body[name] for name in ("action_id", "value") if body.get(name) is not None}
    for block, element in _elements(blocks):
        if wanted and all(value in _answers(element, name) for name, value in wanted.items()):
            return block, element
    raise Refused(f"no such button: {wanted}")


def _elements(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    for block in blocks:
        accessory = as_object(block.get("accessory"))
        inner = [*as_objects(block.get("elements")), *as_objects(block.get("actions"))]
        for element in [*inner, *([accessory] if accessory else [])]:
            if element.get("type") in PRESSED:
                yield block, element
        for name in ("child_blocks", "elements"):
            children = [each for each in as_objects(block.get(name)) if "elements" in each or "actions" in each]
            yield from _elements(children)


def _answers(element: Json, name: str) -> list[object]:
    if name == "action_id":
        return [element.get("action_id")]
    sides = [as_object(element.get(side)) or {} for side in ("positive_button", "negative_button")]
    options = [each.get("value") for each in as_objects(element.get("options"))]
    return [element.get("value"), *(side.get("value") for side in sides), *options]


def _name_in_payload(chat: Chat) -> str:
    return {"im": "directmessage", "group": "privategroup"}.get(chat.type, chat.name)


def _container(message: Message) -> Json:
    is_ephemeral = message.ephemeral_to is not None
    facts: Json = {"type": "message", "message_ts": message.ts, "channel_id": message.chat_id}
    thread = {"thread_ts": message.thread_ts} if message.thread_ts else {}
    return {**facts, "is_ephemeral": is_ephemeral, **thread}
