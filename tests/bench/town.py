"""`python -m tests.bench.town`: a platform, its people and the model of a soak, in one process on the other core.

Two bots sit in half of the chats each: one app may make 1,000 cards a minute, and a soak asks for more. It prints
`listening PLATFORM MODEL`. Under the model's address: `POST /begin?rate=20` (people ask from now on), `POST /rest`
(they ask no more), `GET /sample` (what was seen since the last one), `GET /open` (who still waits).
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import time
from contextlib import suppress

from aiohttp import web

from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.feishu.world import Chat
from tests.bench.paced_model import PacedModel
from tests.bench.tenant import PERSON, chat_id
from tests.bench.witness import Asked, Witness

CHATS = 200
BOTS = (("cli_one", "secret_one", "niuma"), ("cli_two", "secret_two", "niuma2"))
PIECES, PIECES_PER_S = 10, 10
"""An answer takes the model a second."""


class Town:
    """Asks in one chat after another, evenly, whatever becomes of the answers."""

    def __init__(self) -> None:
        self.simulator = FeishuSimulator(api_per_second=1000, api_per_minute=60_000)
        self.model = PacedModel()
        for app_id, secret, name in BOTS:
            self.simulator.add_app(app_id, secret, name)
        for number in range(CHATS):
            app_id = BOTS[number % len(BOTS)][0]
            self.simulator.world.chats[chat_id(number)] = Chat(
                chat_id(number), f"Chat {number}", "group", [PERSON], [app_id]
            )
        self.witness = Witness(self.simulator, self.model)
        self._asking: asyncio.Task[None] | None = None
        self._count = 0

    def app(self) -> web.Application:
        """Give the model's routes and those that steer the soak."""
        app = self.model.app()
        app.add_routes(
            [
                web.post("/begin", self._begin),
                web.post("/rest", self._rest),
                web.get("/sample", self._sample),
                web.get("/open", self._unanswered),
            ]
        )
        return app

    async def _begin(self, request: web.Request) -> web.Response:
        self._asking = asyncio.create_task(self._ask(float(request.query["rate"])))
        return web.json_response({})

    async def _rest(self, _request: web.Request) -> web.Response:
        if self._asking is not None:
            self._asking.cancel()
            with suppress(asyncio.CancelledError):
                await self._asking
        return web.json_response({})

    async def _sample(self, _request: web.Request) -> web.Response:
        return web.json_response(self.witness.sample())

    async def _unanswered(self, _request: web.Request) -> web.Response:
        return web.json_response(self.witness.unanswered())

    async def _ask(self, rate: float) -> None:
        began_s = time.monotonic() - self._count / rate
        while True:
            await asyncio.sleep(max(0.0, began_s + self._count / rate - time.monotonic()))
            chat, key = self._count % CHATS, f"k{self._count}"
            bot = BOTS[chat % len(BOTS)][2]
            asked = Asked(key, PIECES, time.monotonic())
            sent = self.simulator.send(chat_id(chat), PERSON, f"@{bot} key={key} n={PIECES} r={PIECES_PER_S}")
            self.witness.note(sent.message_id, asked)
            self._count += 1


async def _run() -> None:
    town, ended = Town(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await town.simulator.start()
    runner = web.AppRunner(town.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    watching = asyncio.create_task(town.witness.watch())
    sys.stdout.write(f"listening {town.simulator.url} http://127.0.0.1:{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    gc.freeze()
    wait = asyncio.create_task(ended.wait())
    # A witness that fails must end the soak, not sleep through it.
    await asyncio.wait([wait, watching], return_when=asyncio.FIRST_COMPLETED)
    if watching.done():
        watching.result()
    watching.cancel()
    await runner.cleanup()
    await town.simulator.stop()


if __name__ == "__main__":
    asyncio.run(_run())
