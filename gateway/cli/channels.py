"""`niuma channels NAME manifest`: what an app of ours is made from on its platform."""

from __future__ import annotations

import argparse
import sys

from channels.registry import manifest_of, platforms_with_manifest
from gateway.cli.exit_code import DONE, USAGE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this command."""
    parser.add_argument("platform", choices=platforms_with_manifest(), help="the platform")
    parser.add_argument("action", choices=["manifest"], help="manifest: print what to make the app from, as JSON")
    parser.add_argument("--name", default="niuma", help="how the bot is called (default: niuma)")
    parser.add_argument("--command", dest="slash", default="/niuma", help="its slash command (default: /niuma)")


def run(args: argparse.Namespace) -> int:
    """Print the manifest; nothing is read or changed."""
    try:
        print(manifest_of(args.platform, name=args.name, command=args.slash))
    except ValueError as error:
        print(f"niuma: {error}", file=sys.stderr)
        return USAGE
    return DONE
