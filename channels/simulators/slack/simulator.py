"""The simulator as one object: start it, use it, stop it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aiohttp import web

from channels.simulators.background import Background
from channels.simulators.clock import MovableClock
from channels.simulators.faults import Faults
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.control import Control
from channels.simulators.slack.deliveries import Deliveries
from channels.simulators.slack.directory import Directory
from channels.simulators.slack.files import Files
from channels.simulators.slack.gate import Gate
from channels.simulators.slack.history import History
from channels.simulators.slack.interactions import Interactions, Parts
from channels.simulators.slack.messages import Messages
from channels.simulators.slack.options import Options
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.people import People, Sent
from channels.simulators.slack.reactions import Reactions
from channels.simulators.slack.responses import Responses
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.sockets import DropHow, Reason, Sockets
from channels.simulators.slack.statefile import load, save
from channels.simulators.slack.statuses import Statuses
from channels.simulators.slack.streams import Streams
from channels.simulators.slack.view import View
from channels.simulators.slack.world import TEAM, App, ChatType, Person, demo_world, seat
from channels.simulators.timeline import Timeline

HOST = "127.0.0.1"
BOT_TOKEN = "xoxb-0-demo"
APP_TOKEN = "xapp-1-A0NIUMA-0-demo"
MAX_BODY_BYTES = 64 * 1024 * 1024


class SlackSimulator:
    """A Slack workspace on a loopback port, speaking the real wire protocol.

    `seed` decides which connection gets an envelope; `options` are fields of `Options`. Clients use `api_url` as
    `base_url` with `bot_token` and `app_token`.

    Example:
        ```python
        simulator = SlackSimulator()
        await simulator.start()
        sent = simulator.send("C0TEAM", "U0LIN", "@niuma hello")
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
        self.app_id, self.bot_token, self.app_token = "", BOT_TOKEN, APP_TOKEN
        self._port, self._state_file = port, state_file
        self._background = Background()
        self._access = Access(self.world, self.options)
        self._gate = Gate(self.clock, self.options, self.timeline, self.faults, self._access)
        self.sockets = Sockets(self._gate, self.feed, self._background, lambda: self.url)
        self.sockets.random.seed(seed)
        self.deliveries = Deliveries(self._gate, self.sockets, self._background)
        self._build()
        self._runner: web.AppRunner | None = None

    def _build(self) -> None:
        gate, world, access, background = self._gate, self.world, self._access, self._background
        self._shapes = shapes = Shapes(world)
        outbox = Outbox(gate, world, shapes, self.deliveries, self.feed)
        self.statuses = Statuses(gate, access, background, self.feed)
        messages = Messages(gate, world, access, shapes, outbox, self.statuses)
        streams = Streams(gate, world, access, shapes, messages, self.statuses)
        self.files = Files(gate, world, access, shapes, messages, background)
        streams.outbox = self.files.outbox = outbox
        reactions = Reactions(access, messages, outbox)
        self.people = People(gate, world, shapes, messages, outbox, reactions)
        self.people.files = self.files
        self.responses = Responses(gate, world, shapes, messages, outbox)
        parts = Parts(
            gate, world, shapes, self.deliveries, outbox, self.people, self.responses, streams, self.statuses, self.feed
        )
        self.interactions = Interactions(parts)
        self.view = View(self.clock, self.options, world, shapes, self.sockets, self.statuses)
        self.feed.render = self.view.message
        self._history = History(self.clock, self.view)
        outbox.on_change = self._history.record
        directory = Directory(gate, world, access, shapes)
        for part in (self.sockets, directory, messages, streams, self.statuses, self.files, reactions, self.responses):
            gate.add(part.methods())

    @property
    def url(self) -> str:
        """The address without a slash at its end, known after `start`."""
        return f"http://{HOST}:{self._port}"

    @property
    def api_url(self) -> str:
        """What a client takes as its `base_url`."""
        return f"{self.url}/api/"

    def add_app(self, bot_token: str, app_token: str, name: str) -> App:
        """Add an app whose bot sits in every channel; the first one added also has the demo's direct chat."""
        app = self.world.add_app(name, bot_token, app_token)
        seat(self.world, app)
        return app

    async def start(self) -> None:
        """Listen; adds the default app when there is none."""
        if self._state_file is not None:
            load(self._state_file, self.world)
        if not self.world.apps:
            self.add_app(BOT_TOKEN, APP_TOKEN, "niuma")
        first = next(iter(self.world.apps.values()))
        self.app_id, self.bot_token, self.app_token = first.app_id, first.bot_token, first.app_token
        self._runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self._port)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        self._shapes.base_url = self.url

    async def stop(self) -> None:
        """Cut every connection and stop listening."""
        self.save()
        await self._background.stop()
        self.sockets.abort_all()
        if self._runner is not None:
            await self._runner.cleanup()

    def save(self) -> None:
        """Write the state file, when one was named."""
        if self._state_file is not None:
            save(self._state_file, self.world)

    def state(self, person: str | None = None) -> Json:
        """Give `/_sim/state`, as a person sees it when one is named."""
        return self.view.state(person)

    def message(self, message_id: str, person: str | None = None) -> Json:
        """Give one MESSAGE of the control API by `<channel>/<ts>`."""
        return self.view.message(message_id, person)

    def shown(self, message_id: str, person: str | None = None) -> str:
        """Give what a person reads of a message."""
        return self.view.shown(self.world.messages[message_id], person)

    def history(self, message_id: str) -> list[Json]:
        """Give every visible state a message went through: `{kind, at_ms, mono_s, text, streaming}`."""
        return self._history.states(message_id)

    def rung(self, message_id: str) -> list[str]:
        """Give whom a message rang in any of its states: `channel`, `here`, `everyone`, user ids."""
        return self._history.rung(message_id)

    def send(self, chat_id: str, user_id: str, text: str, **more: Any) -> Sent:
        """Write as a person; `more` is what `/_sim/send` takes (thread_ts, broadcast, raw, files, as_bot...)."""
        return self.people.write({"chat_id": chat_id, "as": user_id, "text": text, **more})

    def upload(self, chat_id: str, user_id: str, name: str, data: bytes, **more: Any) -> Sent:
        """Write a message with a file as a person."""
        return self.people.upload({"chat_id": chat_id, "as": user_id, **more}, name, data)

    def edit(self, message_id: str, text: str) -> list[str]:
        """Change what a person wrote; gives the ids of the events."""
        return self.people.edit(message_id, text)

    def delete(self, message_id: str) -> None:
        """Delete a message."""
        self.people.delete(message_id)

    def react(self, message_id: str, user_id: str, name: str, *, removed: bool = False) -> None:
        """Put an emoji on a message or take it off."""
        self.people.react(message_id, user_id, name, removed=removed)

    def buttons(self, message_id: str) -> list[Json]:
        """Give what can be pressed in a message, as the app wrote it."""
        return self.interactions.buttons(message_id)

    async def click(self, message_id: str, user_id: str, action_id: str | None = None, **more: Any) -> Json:
        """Press a button as a person; see `/_sim/click`."""
        return await self.interactions.click({"message_id": message_id, "as": user_id, "action_id": action_id, **more})

    async def command(self, chat_id: str, user_id: str, command: str, text: str = "") -> Json:
        """Give a slash command as a person."""
        return await self.interactions.command({"chat_id": chat_id, "as": user_id, "command": command, "text": text})

    def stop_session(self, chat_id: str, thread_ts: str, user_id: str) -> Json:
        """Press the platform's own stop; see `/_sim/stop`."""
        return self.interactions.stop({"chat_id": chat_id, "thread_ts": thread_ts, "as": user_id})

    def open_home(self, user_id: str, *, app_id: str | None = None) -> list[str]:
        """Open the direct chat with a bot as a person."""
        return self.people.open_home(self.world.apps[app_id or self.app_id], user_id)

    def add_person(self, user_id: str, name: str, team: str = TEAM) -> Person:
        """Add a person; with another `team`, one of a workspace that shares channels with this one."""
        return self.world.people.setdefault(user_id, Person(user_id, name, team))

    def add_chat(self, name: str, members: list[str], *, type: ChatType = "channel", announce: bool = False) -> str:
        """Make a chat with every bot in it (new people join the workspace); `announce` tells the bots."""
        return self.people.found(name, members, type, announce=announce).id

    def redeliver(self, message_id: str) -> list[str]:
        """Deliver a message's events once more, under other event ids."""
        return self.people.redeliver(message_id)

    def push_event(self, event: Json, *, app_id: str | None = None, event_id: str | None = None) -> str:
        """Deliver any event to an app; gives its event_id."""
        return self.deliveries.send(self.world.apps[app_id or self.app_id], event, event_id)

    async def drop(self, app_id: str | None = None, how: DropHow = "close") -> int:
        """End (`close`, `abort`) or silence (`freeze`, `mute`) every connection of an app; tells how many."""
        return await self.sockets.drop(app_id or self.app_id, how)

    async def disconnect(self, reason: Reason, app_id: str | None = None) -> int:
        """Tell every connection of an app to go, as the platform does; tells how many."""
        return await self.sockets.disconnect(app_id or self.app_id, reason)

    def advance(self, seconds: float) -> None:
        """Move the simulator's clock forward."""
        self.clock.advance(seconds)

    def revoke_token(self, app_id: str | None = None) -> None:
        """Make the app's tokens invalid: `token_revoked` from now on."""
        self.world.apps[app_id or self.app_id].revoked = True

    def uninstall(self, app_id: str | None = None) -> None:
        """Take the app out of the workspace: it is told, then its tokens are `account_inactive`."""
        app = self.world.apps[app_id or self.app_id]
        self.deliveries.send(app, {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [app.user_id]}})
        self.deliveries.send(app, {"type": "app_uninstalled"})
        app.installed = False

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        for part in (self.sockets, self._gate, self.files, self.responses, Control(self)):
            app.add_routes(part.routes())
        return app
