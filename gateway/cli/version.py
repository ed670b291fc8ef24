"""`niuma version`."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take no options."""
    del parser


def run(args: argparse.Namespace) -> int:
    """Print the version."""
    from gateway import __version__

    del args
    print(__version__)
    return 0
