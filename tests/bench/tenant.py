"""`python -m tests.bench.tenant feishu|slack|dingtalk`: a platform with many chats, as a process of its own.

It prints `listening URL` and runs until SIGTERM.
"""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
from pathlib import Path
from typing import Protocol

from channels.simulators.dingtalk import world as dingtalk
from channels.simulators.dingtalk.cards import INPUTING, PROCESSING
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.feishu.world import Chat
from channels.simulators.slack import world as slack
from channels.simulators.slack.simulator import SlackSimulator

__all__ = ["INPUTING", "PROCESSING", "channel_id", "chat_id", "direct_id", "group_id", "member_id"]
CHATS = 200
PERSON, STAFF = "ou_lin", "0147lin"
TEMPLATE = "example.schema"
_TEMPLATE_FILE = Path(__file__).parents[2] / "config/examples/dingtalk-card.json"
_SLACK_APP = "A0NIUMA"


class Simulator(Protocol):
    """What runs here."""

    @property
    def url(self) -> str:
        """Its address."""
        ...

    async def start(self) -> None:
        """Listen."""
        ...

    async def stop(self) -> None:
        """End."""
        ...


def chat_id(number: int) -> str:
    """Give the id of a Feishu group chat."""
    return f"oc_bench_{number:03}"


def channel_id(number: int) -> str:
    """Give the id of a Slack channel."""
    return f"C0BENCH{number:03}"


def direct_id(number: int) -> str:
    """Give the id of a member's direct chat with the bot."""
    return f"D0BENCH{number:03}"


def member_id(number: int) -> str:
    """Give the id of a member of the Slack workspace: each has a channel and a direct chat."""
    return f"U0BENCH{number:03}"


def group_id(number: int) -> str:
    """Give the id of a DingTalk group."""
    return f"cidbench{number:03}=="


def _feishu() -> FeishuSimulator:
    simulator = FeishuSimulator()
    for number in range(CHATS):
        simulator.world.chats[chat_id(number)] = Chat(chat_id(number), f"Chat {number}", "group", [PERSON])
    return simulator


def _slack() -> SlackSimulator:
    simulator = SlackSimulator()
    chats = simulator.world.chats
    for number in range(CHATS):
        member, channel, direct = member_id(number), channel_id(number), direct_id(number)
        simulator.add_person(member, f"Member {number}")
        chats[channel] = slack.Chat(channel, f"channel-{number}", "channel", [member])
        chats[direct] = slack.Chat(direct, "niuma", "im", [member], [_SLACK_APP])
    return simulator


def _dingtalk() -> DingTalkSimulator:
    simulator = DingTalkSimulator(api_per_second=60, monthly_calls=1_000_000)
    simulator.add_template(TEMPLATE, **json.loads(_TEMPLATE_FILE.read_text("utf-8")))
    for number in range(CHATS):
        group = group_id(number)
        simulator.world.chats[group] = dingtalk.Chat(group, f"Group {number}", "group", [STAFF])
    return simulator


_BUILDERS = {"feishu": _feishu, "slack": _slack, "dingtalk": _dingtalk}


async def _run(simulator: Simulator) -> None:
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
    asyncio.run(_run(_BUILDERS[sys.argv[1]]()))
