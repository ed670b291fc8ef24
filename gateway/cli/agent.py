"""`niuma agent "question"`: one run here and now, with its trace, its answer and its data."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.cli.question import Finished


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the question and how to answer it."""
    parser.add_argument("question", help="what to ask; '-' reads it from standard input")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, nothing else")
    parser.add_argument("--session", metavar="NAME", help="go on with (or begin) the conversation of this name")
    parser.add_argument("--model", metavar="NAME", help="model of this run, by its name in the settings")


def run(args: argparse.Namespace) -> int:
    """Ask, print, and give 0 when the run was done, else 1."""
    import asyncio
    import sys
    from pathlib import Path

    from gateway.cli.exit_code import DONE, FAILED
    from gateway.cli.options import level_of, settings_of
    from gateway.cli.question import Question, ask
    from gateway.cli.serve import tell
    from gateway.logs import start_logging

    words = _readable(sys.stdin.read() if args.question == "-" else args.question)
    settings = settings_of(args)
    engine = settings.engine(workspace=Path.cwd(), model=args.model)
    question = Question(words, args.session, None if args.json else tell)
    logging = start_logging(None, level=level_of(args, "warning"), secrets=settings.secrets())
    try:
        if not args.json:
            tell("Thinking Trace")
        finished = asyncio.run(ask(engine, question))
    finally:
        logging.close()
    (print_json if args.json else print_sections)(finished)
    return DONE if finished.status == "done" else FAILED


def _readable(words: str) -> str:
    """Replace bytes that are no text, which Python hands on as halves of characters that nothing can store."""
    return words.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def print_sections(finished: Finished) -> None:
    """Print what follows the trace."""
    import json

    print(f"\nFinal Answer\n{finished.answer or finished.reason}\n")
    print(f"Result Data\n{json.dumps(finished.data, ensure_ascii=False, indent=2)}")


def print_json(finished: Finished) -> None:
    """Print the whole run as one object."""
    import json

    body = {
        "v": 1,
        "run": finished.run,
        "status": finished.status,
        "trace": [event.model_dump(mode="json") for event in finished.trace],
        "answer": finished.answer,
        "data": finished.data,
    }
    print(json.dumps(body, ensure_ascii=False))
