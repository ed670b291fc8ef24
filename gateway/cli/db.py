"""`niuma db`: where the database is, whether it is sound, and which revision it has."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import Database
    from gateway.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    helps = {
        "path": "where it is, without the password",
        "check": "is it sound, is the revision right",
        "migrate": "bring it to the newest revision; a running gateway has done so already",
        "version": "its revision and the newest one",
    }
    for name, help_text in helps.items():
        actions.add_parser(name, help=help_text, parents=[shared_options()])


def run(args: argparse.Namespace) -> int:
    """Do one of them; 0 when all is well, 1 when not."""
    from gateway.cli.options import level_of, settings_of
    from gateway.logs import start_logging
    from gateway.paths import create_private_folder

    settings = settings_of(args)
    create_private_folder(settings.home)
    logging = start_logging(None, level=level_of(args, "error"), secrets=settings.secrets())
    try:
        return {"path": path, "check": check, "migrate": migrate, "version": version}[args.action](settings)
    finally:
        logging.close()


def path(settings: Settings) -> int:
    """Print the place."""
    print(place(settings))
    return DONE


def place(settings: Settings) -> str:
    """Give the file, or the server's address without the password."""
    from engine.runtime import Database

    database = Database(settings.database.url, settings.home)
    try:
        url = database.engine.url
        return str(url.database) if database.dialect.is_sqlite else url.render_as_string(hide_password=True)
    finally:
        database.close()


def check(settings: Settings) -> int:
    """Read the whole of an embedded database, or reach a server; then compare the revision. Takes no lock."""
    database = _existing(settings)
    if database is None:
        return FAILED
    from sqlalchemy.exc import DatabaseError

    from gateway.migrations import HEAD, revision, serves

    try:
        problems = _problems(database)
        found = revision(database)
    except DatabaseError as error:
        print(f"niuma: {place(settings)} cannot be read: {error.orig}", file=sys.stderr)
        return FAILED
    finally:
        database.close()
    if not serves(found):
        problems.append(f"revision is {found or 'none'}, this version needs {HEAD}; run: niuma db migrate")
    for problem in problems:
        print(f"niuma: {problem}", file=sys.stderr)
    if not problems:
        print(f"ok: {place(settings)}, revision {found}")
    return FAILED if problems else DONE


def _problems(database: Database) -> list[str]:
    import sqlalchemy as sa

    if not database.dialect.is_sqlite:
        return []
    rows = database.read_now(lambda session: session.connection().execute(sa.text("PRAGMA integrity_check")).all())
    return [str(row[0]) for row in rows if row[0] != "ok"]


def migrate(settings: Settings) -> int:
    """Bring the database to the newest revision; creates an embedded one that does not exist."""
    from engine.runtime import Database
    from gateway import migrations

    database = Database(settings.database.url, settings.home)
    try:
        before = migrations.revision(database)
        migrations.migrate(database)
        after = migrations.revision(database)
    finally:
        database.close()
    print(f"{before or 'empty'} -> {after}: {place(settings)}")
    return DONE


def version(settings: Settings) -> int:
    """Print the database's revision and the newest one."""
    from gateway.migrations import HEAD, revision

    database = _existing(settings)
    if database is None:
        return FAILED
    try:
        print(f"{revision(database) or 'none'} (newest: {HEAD})")
    finally:
        database.close()
    return DONE


def _existing(settings: Settings) -> Database | None:
    from gateway.cli.existing import existing_database

    database = existing_database(settings)
    if database is None:
        print(f"niuma: there is no database yet at {place(settings)}", file=sys.stderr)
    return database
