"""The whole product on simulators: one page to open, no account, no key."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from gateway.app.running import Tell, running, until_asked_to_end
from gateway.app.simulated import simulated
from gateway.paths import config_folder
from gateway.settings import Settings


async def demo(load: Callable[[Mapping[str, str]], Settings], *, folder: Path, ready: Tell) -> bool:
    """Run the gateway on simulators, with one page to open; needs no account and no key. Gives and raises like `serve`.

    `load` gives the settings with the simulators' accounts laid over; the simulators keep their chats in `folder`.
    """
    async with simulated(folder) as town:
        settings = load(town.accounts)
        workspace = _sample_workspace(folder)
        async with running(settings, ready=lambda _line: None, workspace=workspace) as runtime:
            ready(f"Open {town.page} and write: @niuma hello")
            ready("One chat alone: " + ", ".join(f"{name} {url}" for name, url in town.chats.items()))
            return await until_asked_to_end(runtime)


def _sample_workspace(folder: Path) -> Path:
    """Give the demo's tools a small project to look at; what a person changed there stays."""
    workspace = folder / "workspace"
    if not workspace.exists():
        shutil.copytree(config_folder() / "examples" / "workspace", workspace)
    return workspace
