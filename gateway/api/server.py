"""The HTTP api: health, readiness, metrics, and whatever routes are passed in behind the token."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aiohttp import web

from gateway.api.guard import (
    MAX_BODY_BYTES,
    Pace,
    limit_body,
    limit_pace,
    log_requests,
    require_token,
    shape_errors,
)
from gateway.errors import StartupFailed
from gateway.metrics import CONTENT_TYPE, Metrics

Readiness = Callable[[], Sequence[dict[str, Any]]]
"""Gives one check for each part: `{"name", "ok", "code", "reason", "fix"}`, texts but for `ok`. Must not block.

`fix` says in the operator's language what to do about a red one.
"""
Notes = Callable[[], Sequence[dict[str, Any]]]
"""Gives what is good to know and turns nothing red: `{"name", "code", "reason", "fix"}`, texts. Must not block."""
REQUESTS_PER_S = 20.0
BURST = 100


def build_api(
    *,
    readiness: Readiness,
    metrics: Metrics,
    token: str,
    routes: Iterable[web.RouteDef] = (),
    pace: Pace | None = None,
    notes: Notes = tuple,
) -> web.Application:
    """Build the application. `routes` all need the token; `pace` limits each client (20 a second, bursts of 100)."""
    app = web.Application(
        client_max_size=MAX_BODY_BYTES,
        middlewares=[
            log_requests,
            shape_errors,
            limit_pace(pace or Pace(REQUESTS_PER_S, BURST, time.monotonic)),
            limit_body(),
            require_token(token),
        ],
    )
    app.add_routes([web.get("/healthz", _alive), web.get("/readyz", _ready(readiness, notes))])
    app.add_routes([web.get("/metrics", _measured(metrics)), *routes])
    return app


async def _alive(_request: web.Request) -> web.Response:
    return web.json_response({"alive": True})


def _ready(readiness: Readiness, notes: Notes) -> Callable[[web.Request], Any]:
    async def answer(_request: web.Request) -> web.Response:
        checks = list(readiness())
        ready = all(check["ok"] for check in checks)
        body = {"ready": ready, "checks": checks, "notes": list(notes())}
        return web.json_response(body, status=200 if ready else 503)

    return answer


def _measured(metrics: Metrics) -> Callable[[web.Request], Any]:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=metrics.render(), headers={"Content-Type": CONTENT_TYPE})

    return answer


class ApiServer:
    """Listens for one application. `start` once, `stop` once (safe before and after)."""

    def __init__(self, app: web.Application, *, host: str, port: int) -> None:
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=2.0)
        self._host = host
        self.port = port
        """The port listened on; with 0 the real one is known after `start`."""

    @property
    def url(self) -> str:
        """Give the address without a slash at its end."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            StartupFailed: the address cannot be taken.
        """
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            hint = "Stop the program that uses it, or choose another with [server] port or --port."
            raise StartupFailed(f"cannot listen on {self.url}: {error.strerror}", component="api", hint=hint) from error
        self.port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening; requests under way get 2 seconds to end."""
        await self._runner.cleanup()
