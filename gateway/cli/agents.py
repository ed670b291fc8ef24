"""`niuma agents`: which agents there are, and what one of them is told and may use."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from gateway.cli.exit_code import DONE, FAILED
from gateway.cli.main import shared_options

if TYPE_CHECKING:
    from engine.runtime import Agents, AgentView


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `list` (the default) and `show ID`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listed = actions.add_parser("list", help="id, whether it is on, names, what it is for", parents=[shared_options()])
    show = actions.add_parser("show", help="everything about one", parents=[shared_options()])
    show.add_argument("id", metavar="ID")
    for each in (parser, listed, show):
        # Without a default, so that `niuma agents --json list` keeps what stands before the action.
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON value on stdout")


def run(args: argparse.Namespace) -> int:
    """List, or show one; 1 when there is no such agent or a file makes no sense."""
    from engine.runtime import agents_of
    from gateway.cli.options import home_of
    from gateway.paths import agents_folder, own_agents_folder

    found = agents_of((agents_folder(), own_agents_folder(home_of(args))))
    for problem in found.problems:
        print(f"niuma: {problem}", file=sys.stderr)
    as_json = bool(getattr(args, "json", False))
    if args.action == "show":
        return show_agent(found, args.id, as_json=as_json)
    if as_json:
        _print_json([each.model_dump(mode="json") for each in found.agents])
    else:
        print_agents(found)
    return FAILED if found.problems else DONE


def print_agents(found: Agents) -> None:
    """Print one line an agent: `*` marks the one people talk to, `+` the others that are on."""
    for each in found.agents:
        mark = "*" if each.is_main else "+" if each.enabled else "-"
        name = f"{each.name_en} / {each.name_zh}"
        print(f"{mark} {each.id}\t{'on' if each.enabled else 'off'}\t{name}\t{each.description}")


def show_agent(found: Agents, name: str, *, as_json: bool) -> int:
    """Print one agent, key by key."""
    one = next((each for each in found.agents if each.id == name), None)
    if one is None:
        known = ", ".join(each.id for each in found.agents)
        print(f"niuma: there is no agent {name!r}; there are {known}", file=sys.stderr)
        return FAILED
    if as_json:
        _print_json(one.model_dump(mode="json"))
        return DONE
    for key, value in _lines(one):
        print(f"{key}: {value}")
    return DONE


def _lines(one: AgentView) -> list[tuple[str, str]]:
    told = one.model_dump(mode="json")
    everything = "those of the main agent"
    tools = everything if one.tools is None else ", ".join(one.tools) or "none"
    told |= {"tools": tools, "keywords": ", ".join(one.keywords), "enabled": "yes" if one.enabled else "no"}
    return [(key, str(value)) for key, value in told.items() if value not in ("", None) and key != "is_main"]


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))
