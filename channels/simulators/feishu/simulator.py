"""The simulator as one object: start it, use it, stop it."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path
from typing import Any

from aiohttp import web

from channels.simulators.clock import MovableClock
from channels.simulators.faults import Faults
from channels.simulators.feed import Feed
from channels.simulators.feishu.cardkit import CardKit
from channels.simulators.feishu.cards import Cards
from channels.simulators.feishu.control import Control
from channels.simulators.feishu.deliveries import Deliveries
from channels.simulators.feishu.directory import Directory
from channels.simulators.feishu.files import Files
from channels.simulators.feishu.gate import SPEAKER, Gate
from channels.simulators.feishu.messages import Messages
from channels.simulators.feishu.options import Options
from channels.simulators.feishu.people import People, Sent
from channels.simulators.feishu.sockets import DropHow, Sockets
from channels.simulators.feishu.statefile import load, save
from channels.simulators.feishu.tokens import Tokens
from channels.simulators.feishu.view import View
from channels.simulators.feishu.world import App, ChatType, demo_world, seat
from channels.simulators.jsons import Json
from channels.simulators.timeline import Timeline

HOST = "127.0.0.1"
APP_ID = "cli_demo"
APP_SECRET = "secret_demo"
MAX_BODY_BYTES = 40 * 1024 * 1024


class FeishuSimulator:
    """A Feishu tenant on a loopback port, speaking the real wire protocol.

    `seed` decides which connection gets an event; `options` are fields of `Options`.

    Example:
        ```python
        simulator = FeishuSimulator()
        await simulator.start()
        sent = simulator.send("oc_team", "ou_lin", "@niuma hello")
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
        self.app_id, self.app_secret = APP_ID, APP_SECRET
        self._host, self._port, self._state_file = HOST, port, state_file
        self._gate = Gate(self.clock, self.options, self.timeline, self.faults)
        self.tokens = self._gate.tokens = Tokens(self.world, self.options, self.clock)
        self.sockets = Sockets(self._gate, self.world, self.feed, lambda: self.url)
        self.sockets.random.seed(seed)
        self.cards = Cards(self._gate, self.feed)
        self.deliveries = Deliveries(self._gate, self.sockets)
        self.messages = Messages(self._gate, self.world, self.cards, self.deliveries, self.feed)
        self.files = Files(self._gate, self.world, self.messages)
        self.people = People(self._gate, self.world, self.cards, self.deliveries, self.messages)
        self.people.feed = self.feed
        self.view = View(self.clock, self.world, self.cards, self.sockets)
        self.feed.render = self.view.message
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address without a slash at its end, known after `start`."""
        return f"http://{self._host}:{self._port}"

    def add_app(self, app_id: str, app_secret: str, name: str) -> App:
        """Add an app whose bot sits in every group; the first one added also has the demo's direct chat."""
        app = self.world.add_app(app_id, app_secret, name)
        seat(self.world, app)
        return app

    async def start(self) -> None:
        """Listen; adds the default app when there is none."""
        if self._state_file is not None:
            load(self._state_file, self.world, self.cards, self.clock)
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
        self.cards.stop()
        await self.deliveries.stop()
        self.sockets.abort_all()
        if self._runner is not None:
            await self._runner.cleanup()

    def save(self) -> None:
        """Write the state file, when one was named."""
        if self._state_file is not None:
            save(self._state_file, self.world, self.cards, self.clock)

    def state(self) -> Json:
        """Give `/_sim/state`."""
        return self.view.state()

    def message(self, message_id: str) -> Json:
        """Give one MESSAGE of the control API."""
        return self.view.message(message_id)

    def send(self, chat_id: str, open_id: str, text: str, **more: Any) -> Sent:
        """Write as a person; `more` is what `/_sim/send` takes (reply_to, thread_id, create_time_ms, content...)."""
        return self.people.write({"chat_id": chat_id, "as": open_id, "text": text, **more})

    async def click(self, message_id: str, open_id: str, value: Json, **more: Any) -> Json:
        """Press a button as a person; see `/_sim/click`."""
        return await self.people.click({"message_id": message_id, "as": open_id, "value": value, **more})

    def add_chat(self, name: str, members: list[str], *, type: ChatType = "group", announce: bool = False) -> str:
        """Make a chat with every bot in it (new people are added to the tenant); `announce` tells the bots."""
        return self.people.found(name, members, type, announce=announce).chat_id

    def recall(self, message_id: str) -> None:
        """Take a message back as its writer."""
        self.people.recall(message_id)

    def redeliver(self, message_id: str, *, new_event_id: bool = True) -> str:
        """Deliver a message's event once more."""
        return self.people.redeliver(message_id, new_event_id=new_event_id)

    def push_event(self, event_type: str, event: Json, *, app_id: str | None = None) -> str:
        """Deliver any event to an app; gives its event_id."""
        return self.deliveries.send(self.world.apps[app_id or self.app_id], event_type, event)

    async def drop(self, app_id: str | None = None, how: DropHow = "close") -> int:
        """End (`close`, `abort`) or silence (`freeze`) every connection of an app; tells how many."""
        return await self.sockets.drop(app_id or self.app_id, how)

    def advance(self, seconds: float) -> None:
        """Move the simulator's clock forward."""
        self.clock.advance(seconds)

    def revoke_token(self, app_id: str | None = None) -> None:
        """Make the tokens given so far invalid."""
        self.tokens.revoke(app_id)

    def card_history(self, card_id: str) -> list[Json]:
        """Give every accepted visible state of a card."""
        return [state.as_json() for state in self.cards.by_id[card_id].history]

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        token = "/open-apis/auth/v3/tenant_access_token/internal"

        async def give_token(request: web.Request, body: Json) -> Json:
            request[SPEAKER] = str(body.get("app_id", ""))
            return self.tokens.give(body)

        async def date(_request: web.Request, response: web.StreamResponse) -> None:
            response.headers["Date"] = formatdate(self.clock.now_ms() / 1000, usegmt=True)

        app.on_response_prepare.append(date)
        app.add_routes([web.post(token, self._gate.open(give_token))])
        kit = CardKit(self._gate, self.world, self.cards, self.messages.rules)
        directory = Directory(self._gate, self.world, self.messages, self.deliveries, self.feed)
        for part in (self.sockets, kit, self.messages, directory, self.files, Control(self)):
            app.add_routes(part.routes())
        return app
