"""`niuma tools`: which tools an agent has; adding one from a file, switching it on and off, trying it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from gateway.cli.exit_code import DONE, FAILED
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import ToolBench, ToolLine

_ABOUT_CHARS = 90


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list` (the default), `show`, `add`, `enable`, `disable` and `test`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listed = actions.add_parser("list", help="name, kind, state, what it is for", parents=[shared_options()])
    listed.add_argument("--json", action="store_true", help="one JSON list")
    for name, told in (
        ("show", "what a model is told of it, and what its file says"),
        ("enable", "switch it on; a running gateway has it with the next question"),
        ("disable", "switch it off, its file stays"),
    ):
        action = actions.add_parser(name, help=told, parents=[shared_options()])
        action.add_argument("name", metavar="NAME")
    add = actions.add_parser("add", help="check a tool file and put it into the folder", parents=[shared_options()])
    add.add_argument("file", metavar="FILE.json", help="a script that it names lies beside it")
    add.add_argument("--replace", action="store_true", help="in the place of the one with this name")
    test = actions.add_parser("test", help="call it here and now, as a run would", parents=[shared_options()])
    test.add_argument("name", metavar="NAME")
    test.add_argument("--args", metavar="JSON", default="{}", help="its arguments, one JSON object")
    test.add_argument("--json", action="store_true", help="the whole result as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Do it; 0 when it is done, 1 when a tried tool failed."""
    from engine.runtime import ToolBench
    from gateway.cli.options import level_of, settings_of
    from gateway.logs import start_logging

    settings = settings_of(args)
    logging = start_logging(None, level=level_of(args, "error"), secrets=settings.secrets())
    try:
        return _done(ToolBench(settings.engine()), args)
    finally:
        logging.close()


def _done(bench: ToolBench, args: argparse.Namespace) -> int:
    match args.action:
        case "add":
            return _add(bench, args)
        case "enable" | "disable":
            line = bench.switch(args.name, on=args.action == "enable")
            print(f"{line.name} is {line.state}")
            return DONE
        case "show":
            print(json.dumps(bench.show(args.name), ensure_ascii=False, indent=2))
            return DONE
        case "test":
            return _test(bench, args)
        case _:
            return _list(bench.lines(), as_json=bool(getattr(args, "json", False)))


def _add(bench: ToolBench, args: argparse.Namespace) -> int:
    from pathlib import Path

    name = bench.add(Path(args.file), replace=args.replace)
    print(f"{name} is added; try it: niuma tools test {name}")
    return DONE


def _list(lines: list[ToolLine], *, as_json: bool) -> int:
    if as_json:
        facts = [{"name": each.name, "kind": each.kind, "state": each.state, "about": each.about} for each in lines]
        print(json.dumps(facts, ensure_ascii=False, indent=2))
        return DONE
    for each in lines:
        about = " ".join(each.about.split())
        shown = about if each.state == "broken" or len(about) <= _ABOUT_CHARS else f"{about[: _ABOUT_CHARS - 1]}…"
        print(f"{each.name}\t{each.kind}\t{each.state}\t{shown}")
    return DONE


def _test(bench: ToolBench, args: argparse.Namespace) -> int:
    import asyncio
    import sys
    from pathlib import Path

    result = asyncio.run(bench.trial(args.name, args.args, Path.cwd()))
    if args.json:
        told = {
            "success": result.success,
            "summary": result.summary,
            "parsed": result.parsed,
            "text": result.text,
            "artifacts": list(result.artifacts),
            "error": result.error,
        }
        print(json.dumps(told, ensure_ascii=False, default=str))
    else:
        if result.summary != result.text:
            print(result.summary, file=sys.stderr)
        print(result.text)
    return DONE if result.success else FAILED
