"""`niuma runs`: what was asked and what became of it; retry a delivery, stop a run. Works beside a running gateway."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED, USAGE
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import Archive, RunView

_STATES = ("queued", "running", "done", "stopped", "failed", "interrupted")
_MOST = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    _declare_list(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser(
        "list", help="the newest runs, the newest first (also without an action)", parents=[shared_options()]
    )
    _declare_list(listing)
    show = actions.add_parser("show", help="all that is stored of one run", parents=[shared_options()])
    retry = actions.add_parser(
        "retry-delivery", help="try once more what was given up of a run", parents=[shared_options()]
    )
    stop = actions.add_parser("stop", help="end a run, as its button does", parents=[shared_options()])
    for each in (show, retry, stop):
        each.add_argument("run", metavar="RUN", help="its id, or its code of 8 characters")
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="for programs")
    show.add_argument(
        "--text", action="store_true", default=argparse.SUPPRESS, help="also what people and models wrote"
    )


def _declare_list(parser: argparse.ArgumentParser) -> None:
    """Declare what chooses runs; the same before and after `list`, so nothing has a default that overrides."""
    unset = argparse.SUPPRESS
    parser.add_argument("--state", choices=_STATES, default=unset, help="only those that stand so")
    parser.add_argument("--conversation", metavar="ADDRESS", default=unset, help="only there, and in its threads")
    parser.add_argument("--since", metavar="WHEN", default=unset, help="30m, 12h, 7d, or a day or time (UTC)")
    parser.add_argument("--dead", action="store_true", default=unset, help="only those whose answer was given up")
    parser.add_argument("--open", action="store_true", default=unset, help="only what works, waits or is owed")
    parser.add_argument("--limit", metavar="N", type=_count, default=unset, help=f"at most so many ({_MOST})")
    parser.add_argument("--text", action="store_true", default=unset, help="also what was asked")
    parser.add_argument("--json", action="store_true", default=unset, help="for programs")


def run(args: argparse.Namespace) -> int:
    """Do one of them; 1 when there is no such run, or nothing to do with it."""
    from gateway.cli.existing import current_database
    from gateway.cli.options import level_of, settings_of
    from gateway.clock import SystemClock
    from gateway.logs import start_logging

    settings = settings_of(args)
    database = current_database(settings)
    if database is None:
        print(f"niuma: {_text('pair.no_database')}", file=sys.stderr)
        return FAILED
    from engine.runtime import Archive

    logging = start_logging(None, level=level_of(args, "error"), secrets=settings.secrets())
    try:
        return asyncio.run(_act(args, Archive(database, SystemClock().now_ms)))
    finally:
        database.close()
        logging.close()


async def _act(args: argparse.Namespace, archive: Archive) -> int:
    if args.action in (None, "list"):
        return await _list(args, archive)
    found = await archive.find(args.run)
    if found is None:
        return _unknown(args)
    match args.action:
        case "show":
            return await _show(args, archive, found)
        case "stop":
            heard = await archive.stop(found.id)
            return _said(args, found, f"runs.stop_{heard}", is_done=heard == "accepted")
        case _:
            retried = await archive.retry_delivery(found.id)
            return _said(args, found, f"runs.retry_{retried}", is_done=retried == "owed")


async def _list(args: argparse.Namespace, archive: Archive) -> int:
    from engine.runtime import RunFilter
    from gateway.cli.runs_data import listed
    from gateway.cli.runs_shown import table
    from gateway.cli.runs_story import Words
    from gateway.clock import SystemClock

    now_ms = SystemClock().now_ms()
    try:
        since_ms = _since_ms(getattr(args, "since", ""), now_ms)
    except ValueError:
        print(f"niuma: {_text('runs.bad_since')}", file=sys.stderr)
        return USAGE
    given = vars(args)
    which = RunFilter(
        state=given.get("state"),
        conversation=given.get("conversation", ""),
        since_ms=since_ms,
        dead=given.get("dead", False),
        open=given.get("open", False),
        most=given.get("limit", _MOST),
    )
    found = await archive.list(which)
    with_text = given.get("text", False)
    if given.get("json", False):
        _print_json(listed(found, with_text=with_text))
        return DONE
    lines = table(found, Words(_language()), now_ms, with_text=with_text)
    print("\n".join(lines) if found else _text("runs.empty"))
    return DONE


def _unknown(args: argparse.Namespace) -> int:
    print(f"niuma: {_text('runs.unknown', run=args.run[:40])}", file=sys.stderr)
    return FAILED


async def _show(args: argparse.Namespace, archive: Archive, found: RunView) -> int:
    from gateway.cli.runs_data import shown
    from gateway.cli.runs_shown import page
    from gateway.cli.runs_story import Words

    dossier = await archive.show(found.id)
    if dossier is None:
        return _unknown(args)
    with_text = getattr(args, "text", False)
    if getattr(args, "json", False):
        _print_json(shown(dossier, with_text=with_text))
    else:
        print("\n".join(page(dossier, Words(_language()), with_text=with_text)))
    return DONE


def _said(args: argparse.Namespace, found: RunView, key: str, *, is_done: bool) -> int:
    if getattr(args, "json", False):
        _print_json({"v": 1, "run": found.id, "done": is_done, "code": key.partition("_")[2]})
    elif is_done:
        print(_text(key, code=found.code))
    else:
        print(f"niuma: {_text(key, code=found.code)}", file=sys.stderr)
    return DONE if is_done else FAILED


def _since_ms(written: str, now_ms: int) -> int | None:
    """Read `30m`, `12h`, `7d`, or a day or time, which is UTC unless it says otherwise.

    Raises:
        ValueError: it is none of these.
    """
    from datetime import UTC, datetime

    if not written:
        return None
    seconds = {"m": 60, "h": 3600, "d": 86_400}.get(written[-1:])
    if seconds is not None and written[:-1].isascii() and written[:-1].isdigit():
        return now_ms - int(written[:-1]) * seconds * 1000
    at = datetime.fromisoformat(written)
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def _count(written: str) -> int:
    count = int(written)
    if not 1 <= count <= 10_000:
        raise ValueError(written)
    return count


def _print_json(value: object) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False))


def _language() -> str:
    import os

    from gateway.texts import language_of_system

    return language_of_system(os.environ)


def _text(key: str, **params: object) -> str:
    from gateway.cli.runs_story import Words

    return Words(_language()).of(key, **params)
