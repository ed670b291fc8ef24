"""What every request passes: log, one error shape, size, pace, token."""

from __future__ import annotations

import hmac
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from gateway.errors import AccessDenied

PROBES = frozenset({"/healthz", "/readyz"})
OPEN_PATHS = PROBES | {"/metrics"}
"""What may be asked without the token: none of it reads or changes anybody's data."""
MAX_BODY_BYTES = 1_048_576
_MAX_CLIENTS = 10_000

logger = logging.getLogger(__name__)

_MESSAGES = {
    400: ("bad_request", "The request could not be read."),
    404: ("not_found", "There is nothing here."),
    405: ("method_not_allowed", "This path does not take this method."),
    413: ("body_too_large", "The request is too large."),
}


def error_response(status: int, code: str, message: str, hint: str = "") -> web.Response:
    """Give an error the one way this api gives errors."""
    body = {"error": {"code": code, "message": message, "hint": hint}}
    return web.json_response(body, status=status, dumps=_compact)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@web.middleware
async def log_requests(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log one line a request; the query is left out, it may hold anything."""
    started = time.perf_counter()
    response = await handler(request)
    level = logging.DEBUG if request.path in OPEN_PATHS else logging.INFO
    fields = {
        "method": request.method,
        "path": request.path,
        "status": response.status,
        "elapsed_ms": round((time.perf_counter() - started) * 1000, 1),
        "client": request.remote,
    }
    logger.log(level, "request", extra=fields)
    return response


@web.middleware
async def shape_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn everything that goes wrong into the one error shape; the unforeseen is logged and told to nobody."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        code, message = _MESSAGES.get(error.status, ("http_error", error.reason))
        response = error_response(error.status, code, message)
        if "Allow" in error.headers:
            response.headers["Allow"] = error.headers["Allow"]
        return response
    except AccessDenied as error:
        return error_response(403, error.code, str(error), error.hint)
    except Exception:
        logger.exception("request_failed", extra={"method": request.method, "path": request.path})
        return error_response(500, "internal", "Something went wrong here.", "The gateway's log has the details.")


def limit_body(max_bytes: int = MAX_BODY_BYTES) -> Middleware:
    """Refuse a body that says it is larger; one that does not say is cut off while it is read (`client_max_size`)."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if (request.content_length or 0) > max_bytes:
            return error_response(413, *_MESSAGES[413], f"At most {max_bytes} bytes.")
        return await handler(request)

    return check


class Pace:
    """A bucket per client that refills evenly; at most 10,000 clients are remembered."""

    def __init__(self, per_s: float, burst: int, now_s: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now_s = now_s
        self._clients: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, client: str) -> float:
        """Take one request of `client`; 0 when it may pass, else the seconds until the next may."""
        now = self._now_s()
        left, at = self._clients.pop(client, (float(self._burst), now))
        left = min(float(self._burst), left + (now - at) * self._per_s)
        passes = left >= 1
        self._clients[client] = (left - 1 if passes else left, now)
        if len(self._clients) > _MAX_CLIENTS:
            self._clients.popitem(last=False)
        return 0.0 if passes else (1 - left) / self._per_s


def limit_pace(pace: Pace) -> Middleware:
    """Refuse a client that asks faster than `pace`, and say when to come back.

    Probes are free: a supervisor behind a busy client's address would take a refusal for a dead process.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in PROBES:
            return await handler(request)
        wait_s = pace.wait_s(request.remote or "")
        if wait_s <= 0:
            return await handler(request)
        response = error_response(429, "rate_limited", "Too many requests.", f"Try again in {wait_s:.1f} s.")
        response.headers["Retry-After"] = str(int(wait_s) + 1)
        return response

    return check


def require_token(token: str) -> Middleware:
    """Let only the open paths through without `Authorization: Bearer <token>`, existing or not."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in OPEN_PATHS or _has_token(request, token):
            return await handler(request)
        hint = "Send 'Authorization: Bearer' with NIUMA_TOKEN, or with the token in the data folder."
        response = error_response(401, "unauthorized", "This path needs the token.", hint)
        response.headers["WWW-Authenticate"] = "Bearer"
        return response

    return check


def _has_token(request: web.Request, token: str) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    return (
        bool(token)
        and scheme.lower() == "bearer"
        and hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), token.encode())
    )
