"""The simulator as its own process."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.simulators.process import run_until_told


def main() -> None:
    """Run until SIGTERM or SIGINT; the only line on stdout is `listening http://127.0.0.1:PORT`."""
    parser = argparse.ArgumentParser(prog="python -m channels.simulators.dingtalk")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument(
        "--app", action="append", default=[], metavar="ID:SECRET:NAME", help="may be given several times"
    )
    parser.add_argument("--state", type=Path, default=None, metavar="FILE", help="read at start, written every 2 s")
    parser.add_argument("--template", action="append", default=[], type=Path, metavar="FILE", help="a card template")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=JSON", help="a field of Options")
    asyncio.run(_run(parser.parse_args()))


async def _run(arguments: argparse.Namespace) -> None:
    simulator = DingTalkSimulator(port=arguments.port, state_file=arguments.state)
    for given in arguments.app:
        app_id, app_secret, name = str(given).split(":")
        simulator.add_app(app_id, app_secret, name)
    for file in arguments.template:
        simulator.load_template(file)
    simulator.options.change(
        {name: json.loads(value) for name, _, value in (o.partition("=") for o in arguments.option)}
    )
    await run_until_told(simulator)


if __name__ == "__main__":
    main()
