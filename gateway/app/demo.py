"""The whole product on simulators: one page to open, no account, no key."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from channels.simulators.feishu.simulator import FeishuSimulator
from gateway.app.running import Tell, running, until_asked_to_end
from gateway.paths import config_folder
from gateway.settings import Settings

DEMO_PORT = 8788
SAVE_EVERY_S = 1.0


async def demo(load: Callable[[Mapping[str, str]], Settings], *, folder: Path, ready: Tell) -> bool:
    """Run the gateway on simulators, with one page to open; needs no account and no key. Gives and raises like `serve`.

    `load` gives the settings with the simulators' accounts laid over; the simulators keep their chats in `folder`.
    """
    async with simulated_feishu(folder) as simulator:
        account = {"app_id": simulator.app_id, "app_secret": simulator.app_secret, "domain": simulator.url}
        settings = load({f"channels.feishu.main.{key}": value for key, value in account.items()})
        workspace = _sample_workspace(folder)
        async with running(settings, ready=lambda _line: None, workspace=workspace) as runtime:
            ready(f"Open {simulator.url} and write: @niuma hello")
            return await until_asked_to_end(runtime)


@asynccontextmanager
async def simulated_feishu(folder: Path) -> AsyncGenerator[FeishuSimulator]:
    """Run a Feishu simulator inside the block, on its usual port or, when that is taken, on a free one."""
    for port in (DEMO_PORT, 0):
        simulator = FeishuSimulator(port=port, state_file=folder / "feishu.json")
        try:
            await simulator.start()
        except OSError:
            if port == 0:
                raise
            continue
        keeping = asyncio.create_task(_keep(simulator))
        try:
            yield simulator
        finally:
            keeping.cancel()
            await simulator.stop()
        return


async def _keep(simulator: FeishuSimulator) -> None:
    """Save the chats again and again, so that the demo goes on where it was also after `kill -9`."""
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        simulator.save()


def _sample_workspace(folder: Path) -> Path:
    """Give the demo's tools a small project to look at; what a person changed there stays."""
    workspace = folder / "workspace"
    if not workspace.exists():
        shutil.copytree(config_folder() / "examples" / "workspace", workspace)
    return workspace
