"""A platform's page: its own files, then those that every platform's page shares."""

from __future__ import annotations

from importlib import resources

from aiohttp import web

SHARED = "channels.simulators"
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png"}


def page_file(package: str, name: str) -> web.Response:
    """Answer with a file of `<package>/page`, else with the shared one of that name.

    Raises:
        web.HTTPNotFound: neither folder has it, or the name leaves them.
    """
    if "/" in name or name.startswith("."):
        raise web.HTTPNotFound
    for owner in (package, SHARED):
        file = resources.files(owner) / "page" / name
        if file.is_file():
            return _answer(name, file.read_bytes())
    raise web.HTTPNotFound


def _answer(name: str, body: bytes) -> web.Response:
    kind = TYPES.get(name.rpartition(".")[2], "application/octet-stream")
    return web.Response(body=body, content_type=kind, charset="utf-8" if kind.startswith("text/") else None)
