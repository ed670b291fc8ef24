"""The simulator as one object: start it, use it, stop it."""

from __future__ import annotations

import json
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

from aiohttp import web

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.card_calls import CardCalls
from channels.simulators.dingtalk.cards import Cards
from channels.simulators.dingtalk.control import Control
from channels.simulators.dingtalk.deliveries import Deliveries, Delivery
from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.files import Files
from channels.simulators.dingtalk.gate import SPEAKER, Gate
from channels.simulators.dingtalk.messages import Messages
from channels.simulators.dingtalk.options import Options
from channels.simulators.dingtalk.people import People, Sent
from channels.simulators.dingtalk.presses import Presses
from channels.simulators.dingtalk.robot_calls import RobotCalls
from channels.simulators.dingtalk.sockets import DropHow, Sockets
from channels.simulators.dingtalk.statefile import load, save
from channels.simulators.dingtalk.templates import (
    DEFAULT_TEMPLATE,
    Template,
    default_template,
    parse_template,
    public_templates,
)
from channels.simulators.dingtalk.tokens import Tokens
from channels.simulators.dingtalk.view import View
from channels.simulators.dingtalk.webhooks import Webhooks
from channels.simulators.dingtalk.world import App, ChatType, demo_world, seat
from channels.simulators.faults import Faults
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, as_object
from channels.simulators.timeline import Timeline

HOST = "127.0.0.1"
APP_ID = "dingdemo"
APP_SECRET = "secret_demo"
MAX_BODY_BYTES = 40 * 1024 * 1024


class DingTalkSimulator:
    """A DingTalk organisation on a loopback port; api, oapi and the file host are one address, `url`.

    `seed` decides which connection gets a push; `options` are fields of `Options`.

    Example:
        ```python
        simulator = DingTalkSimulator(api_per_second=40)
        await simulator.start()
        sent = simulator.send("cidteam==", "0147lin", "@niuma hello")
        await simulator.stop()
        ```
    """

    def __init__(self, *, port: int = 0, state_file: Path | None = None, seed: int = 1, **options: Any) -> None:
        self.clock = MovableClock()
        self.options = Options()
        self.options.change(options)
        self.timeline = Timeline(self.clock)
        self.faults = Faults()
        self.world = demo_world()
        self.feed = Feed()
        self.cards = Cards()
        self.cards.templates = {each.id: each for each in (default_template(), *public_templates())}
        self.app_id, self.app_secret, self.template_id = APP_ID, APP_SECRET, DEFAULT_TEMPLATE
        self._host, self._port, self._state_file = HOST, port, state_file
        self.gate = Gate(self.clock, self.options, self.timeline, self.faults)
        self.tokens = self.gate.tokens = Tokens(self.world, self.options, self.clock)
        self.sockets = Sockets(self.gate, self.world, self.feed, lambda: self.url)
        self.sockets.random.seed(seed)
        self.deliveries = Deliveries(self.gate, self.sockets)
        self.messages = Messages(self.world, self.clock, self.feed)
        self.webhooks = Webhooks(self.gate, self.world, self.messages, lambda: self.url)
        self.files = Files(self.gate, self.world, lambda: self.url)
        self.card_calls = CardCalls(self.gate, self.world, self.cards, self.messages)
        self.robot_calls = RobotCalls(self.gate, self.world, self.messages)
        self.people = People(self.gate, self.world, self.deliveries, self.webhooks, self.files)
        self.people.tell = self.feed.message
        self.people.listen_for_losses(self.feed)
        self.presses = Presses(self.gate, self.world, self.cards, self.card_calls, self.deliveries)
        self.view = View(self.clock, self.options, self.world, self.cards)
        self.view.sockets = self.sockets
        self.feed.render = self.view.message
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address without a slash at its end, known after `start`."""
        return f"http://{self._host}:{self._port}"

    def add_app(self, app_id: str, app_secret: str, name: str) -> App:
        """Add an app whose robot sits in every group; the first one added also has the demo's single chat."""
        app = self.world.apps[app_id] = App(app_id, app_secret, name)
        seat(self.world, app)
        return app

    def add_template(self, template_id: str, **parts: Any) -> Template:
        """Register a card template: `variables`, `streaming_key`, `buttons`, `has_failed_state`, `published`.

        Raises:
            TemplateWrong: a part that no template has.
        """
        template = parse_template({"id": template_id, **parts})
        self.cards.templates[template.id] = template
        return template

    def load_template(self, file: Path) -> Template:
        """Register the template that a JSON file describes (`id` and the parts of `add_template`).

        Raises:
            TemplateWrong: a part that no template has.
            ValueError: no JSON.
        """
        template = parse_template(json.loads(file.read_text(encoding="utf-8")))
        self.cards.templates[template.id] = template
        return template

    async def start(self) -> None:
        """Listen; adds the default app when there is none."""
        if self._state_file is not None:
            load(self._state_file, self.world, self.cards)
        if not self.world.apps:
            self.add_app(APP_ID, APP_SECRET, "niuma")
        self.app_id, self.app_secret = next((app.app_id, app.app_secret) for app in self.world.apps.values())
        self._runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._host, self._port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Cut every connection and stop listening."""
        self.save()
        await self.deliveries.stop()
        await self.sockets.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    def save(self) -> None:
        """Write the state file, when one was named."""
        if self._state_file is not None:
            save(self._state_file, self.world, self.cards)

    def state(self) -> Json:
        """Give `/_sim/state`."""
        return self.view.state()

    def message(self, message_id: str, viewer: str | None = None) -> Json:
        """Give one message of the control API, as one person reads it."""
        return self.view.message(message_id, viewer)

    def card(self, out_track_id: str, viewer: str | None = None) -> Json:
        """Give the message that shows a card.

        Raises:
            KeyError: there is no such card, or it was delivered nowhere.
        """
        return self.view.message(self.cards.by_id[out_track_id].message_id or "", viewer)

    def card_history(self, out_track_id: str) -> list[Json]:
        """Give every state of a card, oldest first."""
        return [state.as_json() for state in self.cards.by_id[out_track_id].history]

    def overlapping_calls(self, out_track_id: str) -> int:
        """Count the calls about a card that began before the one before had been answered; nothing orders these."""
        calls = [each for each in self.timeline.since() if each.path.startswith("/v1.0/card/") and each.status]
        mine = [each for each in calls if (as_object(each.body) or {}).get("outTrackId") == out_track_id]
        return sum(later.mono_s < earlier.mono_s + earlier.took_ms / 1000 for earlier, later in pairwise(mine))

    def send(self, chat_id: str, person_id: str, text: str = "", **more: Any) -> Sent:
        """Write as a person; `more` is what `/_sim/send` takes (msg_type, content, parts, file, at, quote...)."""
        return self.people.write({"chat_id": chat_id, "as": person_id, "text": text, **more})

    async def click(self, message_id: str, person_id: str, button_id: str, params: Json | None = None) -> Json:
        """Press a card's button as a person; see `/_sim/click`."""
        body = {"message_id": message_id, "as": person_id, "button_id": button_id, "params": params}
        return await self.presses.click(body)

    def press_link(self, chat_id: str, person_id: str, url: str) -> Sent:
        """Press a `dtmd://` link as a person: its text is sent."""
        return self.people.follow(chat_id, person_id, url)

    def add_chat(self, name: str, members: list[str], *, type: ChatType = "group", app_id: str | None = None) -> str:
        """Make a group with every robot in it, or a single chat with one (the first); new people are added."""
        return self.people.found(name, members, type, app_id).chat_id

    def upload(self, name: str, data: bytes, kind: str = "file") -> str:
        """Store a file for a person to send; gives its id for `send(file=...)`."""
        return self.files.keep(name, data, kind)

    def recall(self, message_id: str) -> None:
        """Take a message back as its writer."""
        self.people.recall(message_id)

    def redeliver(self, message_id: str) -> None:
        """Push a message once more."""
        self.people.redeliver(message_id)

    def push_event(self, event_type: str, data: Json, *, app_id: str | None = None) -> Delivery:
        """Push any event to an app."""
        return self.deliveries.event(self.world.apps[app_id or self.app_id], event_type, data)

    async def drop(self, app_id: str | None = None, how: DropHow = "close") -> int:
        """End (`close`, `abort`, `disconnect`) or silence (`freeze`) every connection of an app; tells how many."""
        return await self.sockets.drop(app_id or self.app_id, how)

    def advance(self, seconds: float) -> None:
        """Move the simulator's clock forward."""
        self.clock.advance(seconds)

    def revoke_token(self, app_id: str | None = None) -> None:
        """Make the tokens given so far invalid."""
        self.tokens.revoke(app_id)

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)

        async def give_token(request: web.Request, body: Json) -> Json:
            request[SPEAKER] = str(body.get("appKey", ""))
            return self.tokens.give(body)

        async def date(_request: web.Request, response: web.StreamResponse) -> None:
            response.headers["Date"] = formatdate(self.clock.now_ms() / 1000, usegmt=True)

        async def nothing_there(request: web.Request, body: Json) -> Json:
            raise ApiError("InvalidAction.NotFound", status=404)

        app.on_response_prepare.append(date)
        app.add_routes([web.post("/v1.0/oauth2/accessToken", self.gate.open(give_token))])
        for part in (self.sockets, self.card_calls, self.robot_calls, self.webhooks, self.files, Control(self)):
            app.add_routes(part.routes())
        app.add_routes([web.route("*", "/v1.0/{rest:.*}", self.gate.open(nothing_there))])
        return app
