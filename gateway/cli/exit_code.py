"""What the program's exit codes mean."""

from __future__ import annotations

DONE = 0
FAILED = 1
"""The run failed, or something unexpected happened."""
USAGE = 2
"""The command line or a setting is wrong."""
LOCKED = 3
"""Another process holds the data folder."""
INTERRUPTED = 130
