"""The operator's tool files: whether each can be used."""

from __future__ import annotations

import asyncio

from channels.base import Finding
from engine.errors import EngineError
from engine.runtime import ToolBench, mistakes_of, watched_folder
from gateway.errors import ConfigInvalid
from gateway.settings import Settings


async def tools(settings: Settings) -> Finding:
    """Read the folder of tool files; a wrong one keeps no other one from working."""
    try:
        engine = settings.engine()
        wrong = await asyncio.to_thread(lambda: mistakes_of(watched_folder(engine)))
        lines = await asyncio.to_thread(ToolBench(engine).lines)
    except (ConfigInvalid, EngineError):
        return Finding("skipped", "tools_unread")
    own = [each for each in lines if each.file]
    if wrong:
        return Finding("warn", "tools_wrong", {"reason": wrong}, "tools_wrong")
    if not own:
        return Finding("ok", "tools_none")
    return Finding("ok", "tools_right", {"count": len(own), "on": sum(each.state == "on" for each in own)})
