"""`niuma models`: what there is, and whether it answers."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from gateway.settings import Settings

_QUESTION = "Reply with the one word: pong"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list` (the default) and `test NAME`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", help="name, model, and what it lacks", parents=[shared_options()])
    test = actions.add_parser("test", help="ask it a short question and time the answer", parents=[shared_options()])
    test.add_argument("name", metavar="NAME")


def run(args: argparse.Namespace) -> int:
    """List, or test one; 0 when it answered, 1 when not."""
    from gateway.cli.options import level_of, settings_of
    from gateway.logs import start_logging

    settings = settings_of(args)
    if args.action != "test":
        return print_models(settings)
    logging = start_logging(None, level=level_of(args, "warning"), secrets=settings.secrets())
    try:
        return test_model(settings, args.name)
    finally:
        logging.close()


def print_models(settings: Settings) -> int:
    """Print one line a model: `*` marks the default; the last column says what keeps it from being used."""
    missing = settings.missing_models()
    for name, model in settings.model_names().items():
        mark = "*" if name == settings.default_model else " "
        print(f"{mark} {name}\t{model}\t{missing.get(name, 'ok')}")
    return DONE


def test_model(settings: Settings, name: str) -> int:
    """Ask the model itself, without those it falls back to, on a store that is thrown away."""
    import asyncio
    import tempfile
    from pathlib import Path

    from gateway.cli.own_store import stored_in
    from gateway.cli.question import Question, ask

    engine = settings.engine(model=name)
    alone = engine.models[name].model_copy(update={"fallbacks": ()})
    with tempfile.TemporaryDirectory(prefix="niuma-") as folder:
        engine = stored_in(engine, Path(folder)).model_copy(update={"models": {name: alone}})
        finished = asyncio.run(ask(engine, Question(_QUESTION)))
    if finished.status != "done":
        print(f"{name}: {finished.reason or finished.status}", file=sys.stderr)
        return FAILED
    print(f"{name}: answered in {finished.elapsed_s:.2f} s: {finished.answer[:80]!r}")
    return DONE
