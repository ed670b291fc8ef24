"""`niuma`: finds the command, loads only that one, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast

from gateway.cli.exit_code import FAILED, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "demo": "try it: simulated chat platforms, an offline model, a page to chat on",
    "serve": "run the gateway",
    "agent": "ask one question here, see the trace, the answer and the data",
    "chat": "chat in this terminal, or answer questions from a pipe",
    "models": "list the models, test one",
    "agents": "list the agents there are, show one: who answers what, with which tools",
    "tools": "what an agent can call: list, show, add, enable, disable, test",
    "doctor": "examine settings, data folder, database, models and accounts; say what to do",
    "runs": "what was asked and what became of it: list, show, retry-delivery, stop",
    "pair": "who waits to be let in, who was; let in, refuse, take back",
    "permissions": "what people allowed for longer than once: list, revoke; what was decided; check the rules",
    "channels": "print what an app is made from on its platform: channels NAME manifest",
    "db": "path, check, migrate, version of the database",
    "version": "print the version",
}
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NOT_BUILT = ("init", "send", "schedules", "sessions", "skills", "mcp")


class Command(Protocol):
    """What a module of a command offers. It imports what it needs inside `run`."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own options."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it and give the exit code."""
        ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 (failed), 2 (usage or settings) or 3 (data folder in use)."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        # Closed by whoever called us (`>&-`): they want nothing of it.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = _chosen(words)
    if chosen in NOT_BUILT:
        print(f"niuma {chosen} is not built yet.", file=sys.stderr)
        return USAGE
    args = _parser(chosen).parse_args(words)
    if chosen is None:
        _parser(None).print_help(sys.stderr)
        return USAGE
    try:
        return _load(chosen).run(args)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`niuma ... | head`); say nothing more, also not while Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL and error.filename is None:
            print(f"niuma: the output could not be written: {error.strerror}", file=sys.stderr)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return FAILED
        from gateway.cli.report import report

        return report(error)


def _chosen(words: Sequence[str]) -> str | None:
    """Find the command without parsing: the first word that is one and not the value of a global option."""
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("--home", "--config", "--set", "--log-level"):
            skip = True
        elif not word.startswith("-"):
            return word if word in COMMANDS or word in NOT_BUILT else None
    return None


def _load(name: str) -> Command:
    return cast("Command", importlib.import_module(f"gateway.cli.{name}"))


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    shared = shared_options()
    parser = argparse.ArgumentParser(
        prog="niuma",
        description="Talk to an agent where you chat: one answer, one live card.",
        parents=[shared],
        epilog=f"Not built yet: {', '.join(NOT_BUILT)}. Exit codes: 0 done, 1 failed, 2 usage or settings, 3 locked.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, help_text in COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=help_text, parents=[shared])
        if name == chosen:
            _load(name).add_arguments(command)
    for name in NOT_BUILT:
        commands.add_parser(name)
    return parser


def shared_options() -> argparse.ArgumentParser:
    """Give a parser of the options that may stand before or after the command and its action."""
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--home", metavar="FOLDER", help="data folder (default: NIUMA_HOME, else ~/.niuma)")
    shared.add_argument("--config", metavar="FILE", help="settings file instead of niuma.toml in the data folder")
    shared.add_argument("--set", metavar="KEY=VALUE", action="append", help="one setting, like cards.refresh_ms=300")
    shared.add_argument("--log-level", choices=["debug", "info", "warning", "error"], help="least level on stderr")
    return shared
