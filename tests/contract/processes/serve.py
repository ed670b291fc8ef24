"""A process that owns a runtime: takes commands as JSON lines on stdin, answers on stdout, drains at SIGTERM."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from pathlib import Path
from typing import Any

from engine.messages import RunId
from engine.ports import Control
from tests.contract.processes import works
from tests.contract.processes.house import FAST, House, build
from tests.contract.processes.recording import RecordingSurface


async def obey(house: House, command: dict[str, Any]) -> dict[str, Any]:
    match command["do"]:
        case "say":
            submitted = await house.say(command["text"], to=command.get("to", "chat"), key=command.get("key"))
            return {"run": submitted.run, "duplicate": submitted.duplicate}
        case "control":
            control = Control.model_validate(command["control"])
            return {"said": await house.runtime.control(RunId(command["run"]), control)}
        case "press":
            pressed = await house.press(RunId(command["run"]), command["action"], key=command["key"])
            return {"code": pressed.code}
        case _:
            raise ValueError(command)


async def commands(house: House) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        answer(await obey(house, json.loads(line)))


def answer(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main() -> None:
    told = json.loads(sys.argv[1])
    home = Path(told["home"])
    surface = RecordingSurface(home / "surface.jsonl", open_s=told.get("open_s", 0), close_s=told.get("close_s", 0))
    work = works.Works(home / "work.jsonl", surface).named(told["work"])
    settings = FAST.model_copy(update=told.get("settings", {}))
    house = build(told["url"], home, work, settings=settings, surface=surface)
    await house.runtime.start()
    done = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, done.set)
    answer({"ready": True, "alembic": "alembic" in sys.modules})
    listener = asyncio.create_task(commands(house))
    await done.wait()
    listener.cancel()
    await house.runtime.drain()
    await house.runtime.stop()


if __name__ == "__main__":
    logging.basicConfig(level="INFO", stream=sys.stderr)
    asyncio.run(main())
