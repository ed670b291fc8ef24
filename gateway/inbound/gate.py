"""How many deliveries are in hand at once. What comes beyond is not acked: the platform keeps it and sends it again."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from gateway.errors import Overloaded

logger = logging.getLogger(__name__)

MOST: Final = 1_000
"""Two seconds of a database that stores 500 a second: platforms wait three for the ack."""


class Gate:
    """Counts what is in hand; the one bound on everything that waits in memory to be stored."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._in_hand = 0
        self._is_full = False

    @contextmanager
    def pass_one(self) -> Generator[None]:
        """Hold a place while a delivery is stored.

        Raises:
            Overloaded: there is none; the delivery must not be acked.
        """
        if self._in_hand >= self._most:
            self._say_full(True)
            raise Overloaded(f"{self._in_hand} deliveries wait to be stored")
        self._in_hand += 1
        try:
            yield
        finally:
            self._in_hand -= 1
            if self._in_hand < self._most // 2:
                self._say_full(False)

    def _say_full(self, is_full: bool) -> None:
        if is_full is not self._is_full:
            self._is_full = is_full
            logger.warning("inbound_full" if is_full else "inbound_flows", extra={"in_hand": self._in_hand})
