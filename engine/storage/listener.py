"""What other processes call out through the database (Postgres `NOTIFY`): heard at once, and never to be relied on."""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import exc

if TYPE_CHECKING:
    import psycopg

log = logging.getLogger(__name__)

PROBE_S = 15.0
"""How long the connection may be silent before it is asked whether it still is one."""
FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0

Heard = Callable[[str, str], None]
"""Called in the listener's thread with channel and payload."""


class Listener:
    """Listens in a thread of its own on a connection of its own, and comes back by itself when that is gone.

    `missed` is called after each beginning: what was called out before may have been missed.
    """

    def __init__(self, engine: sa.Engine, channels: Sequence[str], heard: Heard, missed: Callable[[], None]) -> None:
        self._engine = engine
        self._channels = channels
        self._heard = heard
        self._missed = missed
        self._ends = threading.Event()
        self._bell, self._sleeper = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="nm-listen", daemon=True)
        self.listens = False
        """Whether the connection stands."""

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Listen no more; returns when the thread has ended. Blocks for a moment."""
        self._ends.set()
        self._bell.send(b".")
        self._thread.join(timeout=LONGEST_WAIT_S)
        self._bell.close()
        self._sleeper.close()

    def _run(self) -> None:
        import psycopg

        wait_s = FIRST_WAIT_S
        while not self._ends.is_set():
            try:
                with closing(self._connect()) as connection:
                    self.listens, wait_s = True, FIRST_WAIT_S
                    self._missed()
                    self._listen(connection)
            except (psycopg.Error, exc.SQLAlchemyError, OSError) as error:
                # Nothing is lost: who calls out has written a row, and whoever is called looks at rows with each beat.
                log.warning("listener_lost", extra={"reason": type(error).__name__, "wait_s": wait_s})
            self.listens = False
            self._ends.wait(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    def _connect(self) -> psycopg.Connection[Any]:
        pooled = self._engine.raw_connection()
        connection: Any = pooled.driver_connection
        pooled.detach()
        connection.autocommit = True
        for channel in self._channels:
            connection.execute(f"LISTEN {channel}")
        return connection

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._sleeper, selectors.EVENT_READ)
            while not self._ends.is_set():
                if not selector.select(PROBE_S):
                    connection.execute("SELECT 1")
                for note in connection.notifies(timeout=0):
                    self._heard(note.channel, note.payload)
