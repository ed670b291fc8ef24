"""A Feishu tenant with many group chats, as a process of its own; prints `listening URL`."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys

from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.feishu.world import Chat

CHATS = 200
PERSON = "ou_lin"


def chat_id(number: int) -> str:
    """Give the id of a group chat."""
    return f"oc_bench_{number:03}"


async def _run() -> None:
    simulator = FeishuSimulator()
    for number in range(CHATS):
        simulator.world.chats[chat_id(number)] = Chat(chat_id(number), f"Chat {number}", "group", [PERSON])
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await simulator.start()
    sys.stdout.write(f"listening {simulator.url}\n")
    sys.stdout.flush()
    # Every state of every card is kept; walking them again and again would stall the clock we measure with.
    gc.freeze()
    gc.disable()
    await ended.wait()
    await simulator.stop()


if __name__ == "__main__":
    asyncio.run(_run())
