"""`niuma serve`: the gateway, until it is told to stop."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the api listens."""
    parser.add_argument("--host", help="address of the api instead of [server] host")
    parser.add_argument("--port", help="port of the api instead of [server] port; 0 takes a free one")


def run(args: argparse.Namespace) -> int:
    """Serve; every line the gateway wants to tell goes to stdout."""
    import asyncio

    from gateway import app
    from gateway.cli.exit_code import DONE
    from gateway.cli.options import given, level_of, settings_of
    from gateway.logs import start_logging
    from gateway.paths import USER_FILE
    from gateway.settings import refuse_root

    settings = settings_of(args, given(server__host=args.host, server__port=args.port))
    refuse_root(settings)
    logging = start_logging(settings.home, level=level_of(args, "info"), secrets=settings.secrets())
    warn_of_plain_secrets(settings.plain_secrets())
    if not settings.accounts():
        tell_how_to_add_a_channel(settings.config or settings.home / USER_FILE)
    try:
        asyncio.run(app.serve(settings, ready=tell))
        return DONE
    finally:
        logging.close()


def tell(line: str) -> None:
    """Print one line of result at once."""
    print(line, flush=True)


def warn_of_plain_secrets(paths: tuple[str, ...]) -> None:
    """Say which secrets stand in the file as they are."""
    for path in paths:
        print(f'niuma: {path} holds a secret in plain text; write "${{VARIABLE}}" or "file:..."', file=sys.stderr)


def tell_how_to_add_a_channel(file: Path) -> None:
    """Say that nobody can talk to this gateway yet."""
    from channels.registry import channel_names

    tables = " or ".join(f"[[channels.{name}]]" for name in channel_names())
    print(f"niuma: no channel is set up, nobody can talk to it yet; add {tables} to {file}", file=sys.stderr)
