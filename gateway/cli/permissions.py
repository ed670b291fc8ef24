"""`niuma permissions`: what people allowed for longer than once, what was decided, whether the rules can be read."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import AuditEntry, Database, Grant
    from gateway.settings import Settings

_MOST = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    shared = [shared_options()]
    actions.add_parser("list", help="what people allowed for longer than once (also without an action)", parents=shared)
    taking = actions.add_parser("revoke", help="take one back: the next such call asks again", parents=shared)
    taking.add_argument("code", help="its code, as in the list; or: all")
    audit = actions.add_parser("audit", help="what was decided about calls, the newest first", parents=shared)
    audit.add_argument("--run", default="", metavar="RUN", help="only of this run: its id, or its code of 8 characters")
    audit.add_argument("--limit", type=int, default=_MOST, metavar="N", help=f"at most so many ({_MOST})")
    actions.add_parser("check", help="read permissions.toml and roles.toml, and say what is wrong", parents=shared)


def run(args: argparse.Namespace) -> int:
    """Do one of them; 1 when there is no such permission, 2 when the rules cannot be read."""
    from gateway.cli.existing import current_database
    from gateway.cli.options import level_of, settings_of
    from gateway.logs import start_logging

    settings = settings_of(args)
    if args.action == "check":
        return _check(settings)
    database = current_database(settings)
    if database is None:
        print(f"niuma: {_text('pair.no_database')}", file=sys.stderr)
        return FAILED
    logging = start_logging(None, level=level_of(args, "error"), secrets=settings.secrets())
    try:
        match args.action:
            case "revoke":
                return _revoke(database, args.code)
            case "audit":
                return _audit(database, args.run, args.limit)
            case _:
                return _list(database)
    finally:
        database.close()
        logging.close()


def _check(settings: Settings) -> int:
    from engine.runtime import LivePolicy

    LivePolicy(settings.rule_folders)
    print(_text("permissions.rules_ok"))
    return DONE


def _list(database: Database) -> int:
    from engine.runtime import grants_given

    grants = database.read_now(grants_given)
    for grant in grants:
        print(_line(grant))
    if not grants:
        print(_text("permissions.none"))
    return DONE


def _revoke(database: Database, code: str) -> int:
    from engine.messages import code_of
    from engine.runtime import grants_given

    every = database.read_now(grants_given)
    chosen = every if code == "all" else [each for each in every if code.upper() in (each.id, code_of(each.id))]
    if not chosen:
        print(f"niuma: {_text('permissions.unknown', code=code)}", file=sys.stderr)
        return FAILED
    for grant in chosen:
        _take_back(database, grant)
        print(_text("permissions.revoked", code=code_of(grant.id)))
    return DONE


def _take_back(database: Database, grant: Grant) -> None:
    from engine.runtime import take_back
    from gateway.clock import SystemClock

    at_ms = SystemClock().now_ms()
    database.run_now(lambda session: take_back(session, grant.id, by="operator", at_ms=at_ms))


def _audit(database: Database, run: str, most: int) -> int:
    from engine.runtime import decisions

    entries = database.read_now(lambda session: decisions(session, run=run, most=most))
    print("\n".join(map(_row, entries)) if entries else _text("permissions.nothing_decided"))
    return DONE


def _line(grant: Grant) -> str:
    import json

    from engine.messages import code_of

    covers = json.loads(grant.covers)
    return _text(
        f"permissions.{grant.lifetime}",
        code=code_of(grant.id),
        tool=grant.tool,
        covers=_text(f"permissions.covers_{covers['kind']}", what=_one_line(", ".join(covers["what"]))),
        who=_one_line(f"{grant.name} ({grant.holder})"),
        conversation=grant.conversation,
        since=_time(grant.at_ms),
    )


def _row(entry: AuditEntry) -> str:
    words = (
        _time(entry.at_ms),
        entry.run[-8:],
        entry.decided,
        entry.tool,
        entry.args,
        entry.basis,
        f"{entry.name} ({entry.person})" if entry.name else entry.person,
    )
    return "\t".join(_one_line(each) for each in words)


def _one_line(words: str) -> str:
    """What people and models wrote stands on one line, without characters that move the terminal's cursor."""
    return " ".join("".join(char if char.isprintable() else " " for char in words).split())


def _time(at_ms: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _text(key: str, **params: object) -> str:
    import os

    from gateway.texts import language_of_system, text

    return text(language_of_system(os.environ), key, **params)
