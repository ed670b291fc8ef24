"""What the operating system says about a terminal, as `channels.errors`.

Terminals answer nothing: a write was taken or it was not. What was not taken is kept and written first the next time,
so a repeat is always harmless.
"""

from __future__ import annotations

import errno

from channels.errors import ChannelError, ConnectionLost, DeliveryUnknown, RateLimited

BUSY_S = 0.1
"""How soon to try again when the terminal takes no more for now (a slow line, a paused window)."""

_GONE = frozenset({errno.EIO, errno.EPIPE, errno.EBADF, errno.ENXIO, errno.ENOTCONN})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Of a file that the answers go to: nobody makes room while a command runs."""


def parse_error(error: OSError) -> ChannelError:
    """Give the channel error for a refused write."""
    name = errno.errorcode.get(error.errno or 0, "unknown")
    if isinstance(error, BlockingIOError):
        return RateLimited("the terminal takes no more for now", retry_after_s=BUSY_S, scope="app", code=name)
    if error.errno in _GONE:
        return ConnectionLost("the terminal is closed", code=name)
    if error.errno in _FULL:
        return ConnectionLost("there is no room where the output goes", code=name)
    return DeliveryUnknown(f"the terminal did not take it: {error.strerror}", code=name)
