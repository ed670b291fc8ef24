"""Files from a platform's own hosts and from nowhere else: each redirect is looked at before it is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp

from channels.errors import Rejected

REDIRECTS = 5
_ONWARD = frozenset({301, 302, 303, 307, 308})
_USUAL_PORTS: Mapping[str, int] = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Door:
    """Where files of one account may come from.

    `base` is the configured address of the platform's API (a simulator's, where one is tried): its own scheme, host and
    port. `suffixes` (`.slack.com`) are hosts of the platform on their usual port, by https, or by http too where
    `takes_http`. Only `base` and, where `trusts_suffixes`, these hosts get the `headers`, which hold the token.
    """

    base: str
    suffixes: tuple[str, ...] = ()
    takes_http: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    trusts_suffixes: bool = False

    def lets_in(self, address: str) -> bool:
        """Tell whether a file may be fetched from this address."""
        parts = _parts(address)
        return parts is not None and (self._is_base(parts) or self._is_platforms(parts))

    def headers_for(self, address: str) -> Mapping[str, str]:
        """Give what goes along with a request: nothing secret to a host that is not the platform's API."""
        parts = _parts(address)
        if parts is None:
            return {}
        is_trusted = self._is_base(parts) or (self.trusts_suffixes and self._is_platforms(parts))
        return self.headers if is_trusted else {}

    def _is_base(self, parts: SplitResult) -> bool:
        base = _parts(self.base)
        return base is not None and _origin(parts) == _origin(base)

    def _is_platforms(self, parts: SplitResult) -> bool:
        is_plain = parts.scheme == "http" and self.takes_http
        is_usual = parts.port in (None, _USUAL_PORTS.get(parts.scheme))
        host = f".{(parts.hostname or '').rstrip('.').lower()}"
        return (parts.scheme == "https" or is_plain) and is_usual and host.endswith(self.suffixes)


async def get(
    session: aiohttp.ClientSession, address: str, door: Door, params: Mapping[str, str] | None = None
) -> aiohttp.ClientResponse:
    """Give the answer of the last address; who calls closes it. `params` go to the first address only.

    Raises:
        Rejected: an address is not the platform's, or the redirects do not end.
        aiohttp.ClientError, TimeoutError: see `transport_error`.
    """
    for _ in range(REDIRECTS):
        if not door.lets_in(address):
            raise Rejected(f"the file lies elsewhere, at {_host(address)}", code="file_elsewhere")
        answer = await session.get(address, params=params, headers=door.headers_for(address), allow_redirects=False)
        if answer.status not in _ONWARD:
            return answer
        answer.release()
        address, params = urljoin(address, answer.headers.get("Location", "")), None
    raise Rejected("the file is redirected without end", code="file_redirects")


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # a port that is no number is told only here
    except ValueError:
        return None
    return parts if parts.hostname and "@" not in parts.netloc and "\\" not in address else None


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _USUAL_PORTS.get(parts.scheme)


def _host(address: str) -> str:
    parts = _parts(address)
    return "an address that is none" if parts is None else str(parts.hostname)
