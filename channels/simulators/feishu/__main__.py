"""The simulator as its own process."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from channels.simulators.feishu.simulator import FeishuSimulator


def main() -> None:
    """Run until SIGTERM or SIGINT; the only line on stdout is `listening http://127.0.0.1:PORT`."""
    parser = argparse.ArgumentParser(prog="python -m channels.simulators.feishu")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "--app", action="append", default=[], metavar="ID:SECRET:NAME", help="may be given several times"
    )
    asyncio.run(_run(parser.parse_args()))


async def _run(arguments: argparse.Namespace) -> None:
    simulator = FeishuSimulator(port=arguments.port)
    for given in arguments.app:
        app_id, app_secret, name = str(given).split(":")
        simulator.add_app(app_id, app_secret, name)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await simulator.start()
    sys.stdout.write(f"listening {simulator.url}\n")
    sys.stdout.flush()
    await ended.wait()
    await simulator.stop()


if __name__ == "__main__":
    main()
