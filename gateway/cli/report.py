"""An error as the person at the terminal reads it."""

from __future__ import annotations

import logging
import sys

from engine.errors import AlreadyRunning, EngineError, SettingsInvalid
from gateway.cli.exit_code import FAILED, LOCKED, USAGE
from gateway.errors import ConfigInvalid, GatewayError

logger = logging.getLogger(__name__)


def report(error: Exception) -> int:
    """Say what went wrong on stderr, with the way out if there is one, and give the exit code."""
    if not isinstance(error, GatewayError | EngineError):
        # The one place where nobody is left to handle it: the traceback helps whoever mends it.
        logging.basicConfig()
        logger.error("unexpected_error", exc_info=error)
        print(f"niuma: internal error: {type(error).__name__}", file=sys.stderr)
        return FAILED
    print(f"niuma: {error}", file=sys.stderr)
    if error.hint and error.hint not in str(error):
        print(f"       {error.hint}", file=sys.stderr)
    if isinstance(error, AlreadyRunning):
        return LOCKED
    return USAGE if isinstance(error, ConfigInvalid | SettingsInvalid) else FAILED
