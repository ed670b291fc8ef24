"""The chats of all platforms on one page: side by side where there is room, else each behind a tab."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from html import escape
from importlib import resources

from aiohttp import web

HOST = "127.0.0.1"
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_FILES = ("showroom.css", "showroom.js")


class Showroom:
    """Serves the page; `chats` gives the address of each platform's own page by the name a person reads.

    Example:
        ```python
        showroom = Showroom({"Feishu": feishu.url, "Slack": slack.url})
        await showroom.start()
        print(showroom.url)
        await showroom.stop()
        ```
    """

    def __init__(self, chats: Mapping[str, str], *, port: int = 0) -> None:
        self._chats = dict(chats)
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address without a slash at its end, known after `start`."""
        return f"http://{HOST}:{self._port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the port is taken.
        """
        app = web.Application()
        app.add_routes([web.get("/", self._page), *(web.get(f"/{name}", _static(name)) for name in _FILES)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, self._port).start()
        self._port = int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _page(self, _request: web.Request) -> web.Response:
        tabs = "".join(_tab(name, number == 0) for number, name in enumerate(self._chats))
        panes = "".join(_pane(name, url, number == 0) for number, (name, url) in enumerate(self._chats.items()))
        text = _read("index.html").decode().replace("<!-- tabs -->", tabs).replace("<!-- panes -->", panes)
        return web.Response(text=text, content_type="text/html", headers={"Content-Security-Policy": self._policy()})

    def _policy(self) -> str:
        return f"default-src 'self'; img-src data:; frame-src {' '.join(self._chats.values())}"


def _tab(name: str, is_first: bool) -> str:
    shown, key = escape(name), _key(name)
    chosen, stop = ("true", "0") if is_first else ("false", "-1")
    return (
        f'<button role="tab" id="tab-{key}" aria-controls="pane-{key}" aria-selected="{chosen}" tabindex="{stop}">'
        f"{shown}</button>"
    )


def _pane(name: str, url: str, is_first: bool) -> str:
    shown, key, first = escape(name), _key(name), " pane-chosen" if is_first else ""
    return (
        f'<section role="tabpanel" class="pane{first}" id="pane-{key}" aria-labelledby="tab-{key}">'
        f'<h2>{shown}</h2><iframe src="{escape(url)}/" title="{shown}"></iframe></section>'
    )


def _key(name: str) -> str:
    return escape(name.lower())


def _static(name: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def give(_request: web.Request) -> web.Response:
        return web.Response(body=_read(name), content_type=_TYPES[name.rpartition(".")[2]], charset="utf-8")

    return give


def _read(name: str) -> bytes:
    return resources.files("channels.simulators.showroom").joinpath("page", name).read_bytes()
