"""`niuma pair`: who waits to be let in, who was; works beside a running gateway, which sees it at once."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED, USAGE
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import Database
    from gateway.settings import Settings
    from gateway.stores.people import People


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser(
        "list", help="who waits, with the code, and who was let in (also without an action)", parents=[shared_options()]
    )
    approve = actions.add_parser("approve", help="let somebody in", parents=[shared_options()])
    approve.add_argument("code", help="the code the bot told them")
    approve.add_argument("--rank", choices=["member", "guest"], default="member", help="their standing")
    deny = actions.add_parser("deny", help="refuse somebody", parents=[shared_options()])
    deny.add_argument("code", help="the code the bot told them")
    revoke = actions.add_parser("revoke", help="take back that somebody was let in", parents=[shared_options()])
    revoke.add_argument("person", help="channel:account:person, as in the list")


def run(args: argparse.Namespace) -> int:
    """Do one of them; 1 when there is no such code or person."""
    from gateway.cli.options import level_of, settings_of
    from gateway.logs import start_logging
    from gateway.stores.people import People

    settings = settings_of(args)
    database = _existing(settings)
    if database is None:
        return FAILED
    logging = start_logging(None, level=level_of(args, "error"), secrets=settings.secrets())
    try:
        return asyncio.run(_act(args, People(database)))
    finally:
        database.close()
        logging.close()


async def _act(args: argparse.Namespace, people: People) -> int:
    from gateway.clock import SystemClock

    now_ms = SystemClock().now_ms()
    match args.action:
        case "list" | None:
            return await _list(people, now_ms)
        case "approve":
            found = await people.approve(args.code, args.rank, by="", now_ms=now_ms)
            return _said("reply.paired", found.person if found else "")
        case "deny":
            found = await people.deny(args.code, now_ms=now_ms)
            return _said("reply.pair_denied", found.person if found else "")
        case _:
            return await _revoke(people, args.person)


async def _list(people: People, now_ms: int) -> int:
    from gateway.settings.names import shown

    waiting, inside = await people.pending(now_ms=now_ms), await people.let_in()
    for each in waiting:
        minutes = -(-(each.until_ms - now_ms) // 60_000)
        _print("pair.waiting", who=shown(each.name, each.person), code=each.code, minutes=minutes)
    for row in inside:
        _print("pair.in", who=shown(row.name, row.person), rank=row.rank, since=_day(row.at))
    if not waiting and not inside:
        _print("pair.none")
    return DONE


async def _revoke(people: People, written: str) -> int:
    from gateway.settings.names import parse_person

    try:
        person = parse_person(written)
    except ValueError as error:
        print(f"niuma: {error}", file=sys.stderr)
        return USAGE
    if await people.revoke(person):
        return _said("reply.pair_revoked", person)
    return _said("reply.pair_not_in", person, ok=False)


def _said(key: str, who: str, *, ok: bool = True) -> int:
    if not who:
        print(f"niuma: {_text('reply.pair_unknown')}", file=sys.stderr)
        return FAILED
    print(_text(key, who=who), file=sys.stdout if ok else sys.stderr)
    return DONE if ok else FAILED


def _print(key: str, **params: object) -> None:
    print(_text(key, **params))


def _text(key: str, **params: object) -> str:
    import os

    from gateway.texts import language_of_system, text

    return text(language_of_system(os.environ), key, **params)


def _day(at_ms: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d")


def _existing(settings: Settings) -> Database | None:
    """Open the database where it has the revision of this version; says so where it has not."""
    from gateway.cli.existing import existing_database
    from gateway.migrations import revision, serves

    database = existing_database(settings)
    if database is not None and serves(revision(database)):
        return database
    if database is not None:
        database.close()
    print(f"niuma: {_text('pair.no_database')}", file=sys.stderr)
    return None
