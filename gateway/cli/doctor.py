"""`niuma doctor`: what is well, what is not, and what to do about it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.doctor import Subject


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how to look and how to tell."""
    parser.add_argument("--fix", action="store_true", help="mend what is safe to mend: folder, rights, schema")
    parser.add_argument("--offline", action="store_true", help="ask nobody outside this machine")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, nothing else")
    parser.add_argument("--all", action="store_true", help="also settings that are defaults, and package versions")


def run(args: argparse.Namespace) -> int:
    """Examine, tell, and give 0 when nothing failed, else 1. Runs beside a gateway: takes no lock, changes nothing."""
    import asyncio
    import json
    import os
    import sys

    from gateway.cli.exit_code import DONE, FAILED
    from gateway.cli.options import level_of
    from gateway.doctor import as_data, as_lines, examine, has_failed
    from gateway.logs import Redactor, start_logging
    from gateway.texts import language_of_system, text

    subject = subject_of(args)
    secrets = subject.settings.secrets() if subject.settings else frozenset[str]()
    redactor, lang = Redactor(), language_of_system(os.environ)
    redactor.protect(secrets)
    logging = start_logging(None, level=level_of(args, "critical"), secrets=secrets)
    try:
        found = asyncio.run(examine(subject, fix=args.fix))
    finally:
        logging.close()
    if args.json:
        print(json.dumps(as_data(found, lang, redactor.clean), ensure_ascii=False))
    else:
        forgive = getattr(sys.stdout, "reconfigure", None)
        if forgive is not None:
            forgive(errors="replace")  # a terminal without these characters shows "?", and the rest
        print(text(lang, "doctor.heading", folder=subject.home), end="\n\n")
        colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        print("\n".join(as_lines(found, lang, redactor.clean, colour=colour, every=args.all)))
    return FAILED if has_failed(found) else DONE


def subject_of(args: argparse.Namespace) -> Subject:
    """Give what is to be examined. Settings that cannot be used are a finding; a wrong command line is not.

    Raises:
        ConfigInvalid: the command line names a setting that does not exist, or gives it no fitting value.
    """
    from gateway.cli.options import home_of, overrides_of, settings_of
    from gateway.doctor import Subject
    from gateway.errors import ConfigInvalid
    from gateway.settings.environment import read_overrides

    read_overrides(overrides_of(args))
    try:
        return Subject(home_of(args), settings_of(args), offline=args.offline)
    except ConfigInvalid as problem:
        return Subject(home_of(args), problem=problem, offline=args.offline)
