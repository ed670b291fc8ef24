"""What may be reached at all: schemes, ports, hosts, addresses. Looks nothing up and connects to nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from yarl import URL

from engine.errors import OutOfBounds, ToolRetry
from engine.tools.web.addresses import Address, Network, is_never_meant, kind_of, parse_address, reached

MAX_URL_CHARS = 1_900
"""As long as a person who is asked sees it whole."""
USUAL_PORTS = frozenset({80, 443})
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\x9f\\]")
"""Spaces, control characters and backslashes: what readers of addresses disagree about."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Public addresses on usual ports, and what the operator opened.

    `opened` holds hosts (`wiki.example`, `*.corp.example`, `10.1.2.3`), each with a port or without; these may have
    private addresses. `closed` are networks that are refused although they are public. `counted_public` are networks
    that count as public although they are not: for tests.
    """

    ports: frozenset[int] = USUAL_PORTS
    opened: tuple[str, ...] = ()
    closed: tuple[Network, ...] = ()
    counted_public: tuple[Network, ...] = ()

    def url(self, text: str, *, is_encoded: bool = False) -> URL:
        """Give the address to fetch, without its fragment; `is_encoded`: it goes out letter for letter.

        Raises:
            ToolRetry: it is no address of the web.
            OutOfBounds: its scheme, port or host is not allowed, or it holds a name and a password.
        """
        url = _parsed(text, is_encoded=is_encoded)
        if url.scheme not in ("http", "https"):
            raise OutOfBounds(f"only http and https are fetched, not {url.scheme!r}")
        if url.user is not None or url.password is not None:
            raise OutOfBounds("an address with a name or a password in it is not fetched")
        host = host_of(url)
        if not host:
            raise ToolRetry("the address names no host")
        if not self._is_port(host, url.port or 0):
            raise OutOfBounds(f"port {url.port} is not allowed, only {_listed(sorted(self.ports))}")
        literal = parse_address(host)
        if literal is not None and (reason := self.refusal(literal, host, url.port or 0)):
            raise OutOfBounds(reason)
        return url.with_fragment(None)

    def refusal(self, address: Address, host: str, port: int) -> str:
        """Give why a connection to `address` for the sake of `host` is not made; empty when it may be."""
        end = reached(address)
        if any(end in network or address in network for network in self.counted_public):
            return ""
        if self._opens(host, port) and (not is_never_meant(address) or parse_address(host) is not None):
            return ""
        if any(end in network or address in network for network in self.closed):
            return f"{host} leads to {address}, which the operator has closed"
        kind = kind_of(address)
        return f"{host} leads to {address}, which is no public address ({kind})" if kind else ""

    def may_be_this_machine(self, address: Address, host: str, port: int) -> bool:
        """Tell whether a connection that ends at the machine it began at is meant."""
        return self._opens(host, port) or any(address in network for network in self.counted_public)

    def _is_port(self, host: str, port: int) -> bool:
        return port in self.ports or any(_port_of(entry) == port for entry in self._entries(host))

    def _opens(self, host: str, port: int) -> bool:
        return any(_port_of(entry) in (None, port) for entry in self._entries(host))

    def _entries(self, host: str) -> Iterable[str]:
        return (entry for entry in self.opened if fnmatchcase(host, _host_in(entry)))


def host_of(url: URL) -> str:
    """Give the host as rules and people see it: lower case, letters of other scripts spelled out, no last dot."""
    return (url.raw_host or "").lower().rstrip(".")


def host_named(text: object) -> tuple[str, ...]:
    """Give the host of what may be no address at all, for the rules; nothing when there is none."""
    try:
        host = host_of(_parsed(str(text)))
    except ToolRetry:
        return ()
    return (host,) if host else ()


def _parsed(text: str, *, is_encoded: bool = False) -> URL:
    text = text.strip()
    if len(text) > MAX_URL_CHARS:
        raise ToolRetry(f"the address has more than {MAX_URL_CHARS} characters")
    if _NOT_IN_A_URL.search(text):
        raise ToolRetry("the address holds a space, a backslash or a control character; encode it")
    try:
        url = URL(text, encoded=is_encoded)
        _ = url.port  # out of range is found out here
    except ValueError as error:
        raise ToolRetry("that is no address of the web") from error
    if not url.scheme:
        raise ToolRetry("the address must begin with https:// or http://")
    return url


def _host_in(entry: str) -> str:
    """Give the host of an entry such as `wiki.example:8080` or `[fd00::1]:8080`."""
    entry = entry.strip().lower()
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry


def _port_of(entry: str) -> int | None:
    rest = entry.rpartition("]")[2] if entry.startswith("[") else entry
    port = rest.rpartition(":")[2] if rest.count(":") == 1 else ""
    return int(port) if port.isdecimal() else None


def _listed(ports: Iterable[int]) -> str:
    return ", ".join(map(str, ports))
