"""Names to addresses, on threads of our own: a name server that never answers must not use up everybody's."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

Lookup = Callable[[str, int], Awaitable[list[str]]]
"""Gives the addresses of a host, at least one. Raises: OSError: there is none."""

_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="lookup")


async def look_up(host: str, port: int) -> list[str]:
    """Ask the system. It also understands the odd spellings of IPv4 (decimal, octal, hexadecimal).

    Raises:
        OSError: there is no such host, or nobody answers.
    """
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _addresses, host, port)


def _addresses(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host} is no name of a host") from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))
