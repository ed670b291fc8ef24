"""The platforms of the demo: where each listens, and the settings of the bot's account on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from channels.simulators.dingtalk import DingTalkSimulator
from channels.simulators.feishu import FeishuSimulator
from channels.simulators.showroom import Showroom
from channels.simulators.slack import SlackSimulator
from gateway.paths import config_folder

FIRST_PORT = 8788
SAVE_EVERY_S = 1.0
MONTHLY_CALLS = 1_000_000
"""The standard edition's 5,000 calls a month would end the demo after some hours of play."""


class Listener(Protocol):
    """Something that listens on a port."""

    @property
    def url(self) -> str:
        """Give its address, known after `start`."""
        ...

    async def start(self) -> None:
        """Listen. Raises OSError where the port is taken."""
        ...

    async def stop(self) -> None:
        """Listen no more."""
        ...


class Simulator(Listener, Protocol):
    """A simulated platform."""

    def save(self) -> None:
        """Keep its chats in a file."""
        ...


L = TypeVar("L", bound=Listener)
Made = TypeVar("Made")


def _feishu(port: int, folder: Path) -> tuple[Simulator, Callable[[], Mapping[str, str]]]:
    sim = FeishuSimulator(port=port, state_file=folder / "feishu.json")
    return sim, lambda: {"app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url}


def _slack(port: int, folder: Path) -> tuple[Simulator, Callable[[], Mapping[str, str]]]:
    sim = SlackSimulator(port=port, state_file=folder / "slack.json")
    return sim, lambda: {"bot_token": sim.bot_token, "app_token": sim.app_token, "base_url": sim.api_url}


def _dingtalk(port: int, folder: Path) -> tuple[Simulator, Callable[[], Mapping[str, str]]]:
    sim = DingTalkSimulator(port=port, state_file=folder / "dingtalk.json", monthly_calls=MONTHLY_CALLS)
    shipped = config_folder() / "examples" / "dingtalk-card.json"
    template = sim.add_template("niuma.schema", **json.loads(shipped.read_text(encoding="utf-8"))).id
    return sim, lambda: {
        "client_id": sim.app_id,
        "client_secret": sim.app_secret,
        "card_template_id": template,
        "api_base": sim.url,
        "oapi_base": sim.url,
    }


_PLATFORMS = {"Feishu": _feishu, "Slack": _slack, "DingTalk": _dingtalk}


@dataclass(frozen=True, slots=True)
class Town:
    """The simulated platforms that run, and the one page that shows all of them."""

    page: str
    """Address of the page with all chats side by side."""
    chats: Mapping[str, str]
    """Address of each platform's own page, by its name."""
    accounts: Mapping[str, str]
    """Settings of the bot's accounts, as dotted keys."""


@asynccontextmanager
async def simulated(folder: Path) -> AsyncGenerator[Town]:
    """Run all platforms inside the block, on their usual ports or, where those are taken, on free ones."""
    async with AsyncExitStack() as stack:
        chats: dict[str, str] = {}
        accounts: dict[str, str] = {}
        for number, (name, make) in enumerate(_PLATFORMS.items(), start=FIRST_PORT + 1):
            simulator, settings = await _listening(stack, number, lambda port, make=make: make(port, folder))
            chats[name] = simulator.url
            accounts |= {f"channels.{name.lower()}.main.{key}": value for key, value in settings().items()}
            keeping = asyncio.create_task(_keep(simulator))
            stack.callback(keeping.cancel)
        showroom, _ = await _listening(stack, FIRST_PORT, lambda port: (Showroom(chats, port=port), None))
        yield Town(showroom.url, chats, accounts)


async def _listening(stack: AsyncExitStack, usual: int, make: Callable[[int], tuple[L, Made]]) -> tuple[L, Made]:
    """Start what `make` makes for a port: the usual one, else a free one. Gives what `make` gave."""
    for port in (usual, 0):
        listener, made = make(port)
        try:
            await listener.start()
        except OSError:
            if port == 0:
                raise
            continue
        stack.push_async_callback(listener.stop)
        return listener, made
    raise AssertionError("a free port is always there")


async def _keep(simulator: Simulator) -> None:
    """Save the chats again and again, so that the demo goes on where it was also after `kill -9`."""
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        simulator.save()
