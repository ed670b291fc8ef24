"""The whole product on simulators: one page to open, no account, no key."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from gateway.app.running import Tell, serve
from gateway.app.simulated import simulated
from gateway.paths import config_folder
from gateway.settings import Settings


async def demo(load: Callable[[Mapping[str, str]], Settings], *, folder: Path, ready: Tell) -> None:
    """Run the gateway on simulators, with one page to open; needs no account and no key. Raises like `serve`.

    `load` gives the settings with the simulators' accounts laid over; the simulators keep their chats in `folder`.
    """
    async with simulated(folder) as town:
        settings = load(town.accounts)
        workspace = _sample_workspace(folder)

        def tell(_line: str) -> None:
            ready(f"Open {town.page} and write: @niuma hello")
            ready("One chat alone: " + ", ".join(f"{name} {url}" for name, url in town.chats.items()))

        await serve(settings, ready=tell, workspace=workspace)


def _sample_workspace(folder: Path) -> Path:
    """Give the demo's tools a small project to look at; what a person changed there stays."""
    workspace = folder / "workspace"
    if not workspace.exists():
        shutil.copytree(config_folder() / "examples" / "workspace", workspace)
    return workspace
