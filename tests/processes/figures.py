"""What long tests measured, for whoever started them: a line each, in the file `NIUMA_TEST_FIGURES` if that is set."""

from __future__ import annotations

import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)


def note(line: str) -> None:
    """Keep a line; it stands in the log of a failed test in any case."""
    log.warning("figures: %s", line)
    if file := os.environ.get("NIUMA_TEST_FIGURES"):
        with Path(file).open("a", encoding="utf-8") as figures:
            figures.write(line + "\n")
