"""`niuma demo`: the whole product on simulators, in a folder of its own, without account or key."""

from __future__ import annotations

import argparse
from collections.abc import Mapping


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the api listens."""
    parser.add_argument("--port", help="port of the api; 0 takes a free one")


def run(args: argparse.Namespace) -> int:
    """Run the demo. The user's `niuma.toml` is not read; thinking is shown, folded."""
    import asyncio

    from gateway.app.demo import demo
    from gateway.cli.exit_code import DONE
    from gateway.cli.options import given, home_of, level_of, overrides_of
    from gateway.cli.serve import tell
    from gateway.logs import start_logging
    from gateway.paths import demo_folder
    from gateway.settings import Settings, load_settings

    overrides = {"cards.thinking": "folded"} | overrides_of(args) | given(server__port=args.port)
    folder = demo_folder(home_of(args))

    def load(accounts: Mapping[str, str]) -> Settings:
        return load_settings(folder, overrides={**overrides, **accounts}, user_file=False)

    settings = load({})
    logging = start_logging(settings.home, level=level_of(args, "warning"), secrets=settings.secrets())
    try:
        asyncio.run(demo(load, folder=folder, ready=tell))
        return DONE
    finally:
        logging.close()
