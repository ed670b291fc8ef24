"""`niuma chat`: the chat in this terminal, or questions from a pipe."""

from __future__ import annotations

import argparse

MAIN_AGENT = "main"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare whom to talk to, and how."""
    parser.add_argument("--agent", metavar="NAME", default=MAIN_AGENT, help="whom to talk to (default: main)")
    parser.add_argument("--session", metavar="NAME", help="go on with (or begin) the conversation of this name")
    parser.add_argument("--model", metavar="NAME", help="model of this chat, by its name in the settings")
    parser.add_argument("--once", action="store_true", help="all of standard input is one question")


def run(args: argparse.Namespace) -> int:
    """Chat until the person leaves; from a pipe 0 when every question was answered, else 1."""
    import asyncio
    from pathlib import Path

    from gateway.cli.chatting import Chat, chat
    from gateway.cli.exit_code import DONE, FAILED
    from gateway.cli.options import level_of, settings_of
    from gateway.errors import ConfigInvalid
    from gateway.logs import start_logging

    if args.agent != MAIN_AGENT:
        fix = f"there is only {MAIN_AGENT!r} for now"
        raise ConfigInvalid(f"there is no agent {args.agent!r}; {fix}", path="--agent", fix=fix)
    settings = settings_of(args)
    engine = settings.engine(workspace=Path.cwd(), model=args.model)
    own = Chat(args.session, once=args.once)
    with own.log(settings.home) as stream:
        logging = start_logging(None, level=level_of(args, "warning"), secrets=settings.secrets(), stream=stream)
        try:
            answered = asyncio.run(chat(settings, engine, own))
        finally:
            logging.close()
    return DONE if answered or (own.is_watched and not own.once) else FAILED
