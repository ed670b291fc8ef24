"""The HTTP api over a real socket: who gets in, and how it says no."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from gateway.api import ApiServer, build_api
from gateway.api.guard import OPEN_PATHS, Pace
from gateway.errors import StartupFailed
from gateway.metrics import Metrics

TOKEN = "marked-token-value"
AUTH = {"Authorization": f"Bearer {TOKEN}"}
OK = {"name": "database", "ok": True, "code": "ok", "reason": ""}
DEAD = {"name": "channel:feishu:main", "ok": False, "code": "auth_failed", "reason": "wrong secret"}


async def _echo(request: web.Request) -> web.Response:
    return web.Response(text=str(len(await request.read())))


async def _broken(_request: web.Request) -> web.Response:
    raise RuntimeError("inner words")


class Api:
    def __init__(self) -> None:
        self.checks: list[dict[str, Any]] = [OK]
        self.metrics = Metrics()
        self.now_s = 0.0
        app = build_api(
            readiness=lambda: self.checks,
            metrics=self.metrics,
            token=TOKEN,
            routes=[web.post("/api/echo", _echo), web.get("/api/broken", _broken)],
            pace=Pace(1.0, 50, lambda: self.now_s),
        )
        self.server = ApiServer(app, host="127.0.0.1", port=0)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    api = Api()
    await api.server.start()
    yield api
    await api.server.stop()


@pytest.fixture
async def http(api: Api) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(api.server.url) as session:
        yield session


async def _error(response: aiohttp.ClientResponse) -> tuple[int, str]:
    body = await response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint"}
    return response.status, body["error"]["code"]


async def test_alive_and_ready(api: Api, http: aiohttp.ClientSession) -> None:
    assert (await http.get("/healthz")).status == 200
    ready = await http.get("/readyz")
    assert ready.status == 200
    assert await ready.json() == {"ready": True, "checks": [OK], "notes": []}
    api.checks = [OK, DEAD]
    red = await http.get("/readyz")
    assert red.status == 503
    assert await red.json() == {"ready": False, "checks": [OK, DEAD], "notes": []}
    assert (await http.get("/healthz")).status == 200


async def test_metrics_are_open(api: Api, http: aiohttp.ClientSession) -> None:
    api.metrics.run_ended("done")
    response = await http.get("/metrics")
    assert response.status == 200
    assert 'niuma_runs_total{status="done"} 1.0' in await response.text()


@pytest.mark.parametrize("path", ["/api/echo", "/api/broken", "/", "/nowhere", "/healthz/", "/METRICS"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}])
async def test_everything_else_needs_the_token(http: aiohttp.ClientSession, path: str, headers: dict[str, str]) -> None:
    for method in ("GET", "POST", "DELETE"):
        response = await http.request(method, path, headers=headers)
        assert await _error(response) == (401, "unauthorized")
        assert TOKEN not in await response.text()


async def test_an_empty_token_opens_nothing() -> None:
    server = ApiServer(build_api(readiness=list, metrics=Metrics(), token=""), host="127.0.0.1", port=0)
    await server.start()
    try:
        async with aiohttp.ClientSession(server.url) as session:
            response = await session.get("/x", headers={"Authorization": "Bearer "})
            assert response.status == 401
    finally:
        await server.stop()


async def test_errors_have_one_shape(http: aiohttp.ClientSession, caplog: pytest.LogCaptureFixture) -> None:
    assert await _error(await http.get("/nowhere", headers=AUTH)) == (404, "not_found")
    wrong = await http.get("/api/echo", headers=AUTH)
    assert await _error(wrong) == (405, "method_not_allowed")
    assert wrong.headers["Allow"] == "POST"
    broken = await http.get("/api/broken", headers=AUTH)
    assert "inner words" not in await broken.text()
    assert await _error(broken) == (500, "internal")
    assert "inner words" in caplog.text


async def test_a_body_has_a_limit(http: aiohttp.ClientSession) -> None:
    fits = await http.post("/api/echo", data=io.BytesIO(b"x" * 1_000_000), headers=AUTH)
    assert await fits.text() == "1000000"
    declared = await http.post("/api/echo", data=io.BytesIO(b"x" * 1_100_000), headers=AUTH)
    assert await _error(declared) == (413, "body_too_large")

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * 100_000

    assert await _error(await http.post("/api/echo", data=endless(), headers=AUTH)) == (413, "body_too_large")


async def test_a_client_has_a_pace(api: Api, http: aiohttp.ClientSession) -> None:
    statuses = [(await http.get("/metrics")).status for _ in range(50)]
    assert statuses == [200] * 50
    refused = await http.get("/metrics")
    assert await _error(refused) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "2"
    assert [(await http.get(probe)).status for probe in ("/healthz", "/readyz")] == [200, 200]
    api.now_s = 1.0
    assert (await http.get("/metrics")).status == 200


async def test_requests_are_logged_without_query(http: aiohttp.ClientSession, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await http.get("/nowhere?token=hidden-words", headers=AUTH)
    line = next(record for record in caplog.records if record.message == "request")
    assert (vars(line)["path"], vars(line)["status"]) == ("/nowhere", 404)
    assert "hidden-words" not in str([vars(record) for record in caplog.records])


async def test_a_taken_port_is_told(api: Api) -> None:
    second = ApiServer(build_api(readiness=list, metrics=Metrics(), token="t"), host="127.0.0.1", port=api.server.port)
    with pytest.raises(StartupFailed, match=f"cannot listen on http://127.0.0.1:{api.server.port}") as raised:
        await second.start()
    assert raised.value.component == "api"
    await second.stop()


def test_pace_forgets_the_longest_unseen_client() -> None:
    pace = Pace(1.0, 1, lambda: 0.0)
    assert pace.wait_s("first") == 0
    assert pace.wait_s("first") == 1
    for number in range(10_000):
        pace.wait_s(str(number))
    assert pace.wait_s("first") == 0


def test_names_with_colons_are_addresses() -> None:
    build: Callable[[str], ApiServer] = lambda host: ApiServer(web.Application(), host=host, port=80)  # noqa: E731
    assert build("::1").url == "http://[::1]:80"


async def test_a_token_of_broken_bytes_is_a_wrong_token(api: Api) -> None:
    host, port = api.server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /api/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\r\nContent-Length: 0\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 401")
    writer.close()
    await writer.wait_closed()


async def test_f67_no_route_of_the_gateway_works_without_a_credential(api: Api, http: aiohttp.ClientSession) -> None:
    """Every route there is, not only those that somebody thought of; and none hands a credential out."""
    resources = api.server._runner.app.router.resources()
    paths = {each.canonical for each in resources if each.canonical not in OPEN_PATHS}
    assert paths == {"/api/echo", "/api/broken"}, "what is added here is behind the token"
    for path in (*paths, *(f"{each}/" for each in OPEN_PATHS), f"/api/echo?token={TOKEN}"):
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            response = await http.request(method, path, headers={"X-Token": TOKEN, "Cookie": f"token={TOKEN}"})
            assert response.status == 401, (method, path)
    for path in OPEN_PATHS:
        response = await http.get(path)
        assert TOKEN not in await response.text() + str(response.headers)
        assert (await http.post(path)).status == 405, "nothing is changed there"
