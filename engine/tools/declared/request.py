"""From a handler's templates to a request. No argument can change scheme, host, port, method or names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import quote

from yarl import URL

from engine.errors import ToolRetry
from engine.tools.declared.definition import HttpHandler
from engine.tools.declared.template import SecretOf, Template, text_of
from engine.tools.web.fetcher import Ask

_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?")
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")
_NOT_THEIRS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"}
    | {"accept-encoding", "keep-alive", "proxy-authorization", "proxy-connection"}
)
"""Headers that belong to the connection."""
MAX_BODY_BYTES = 1_000_000
_ENCODED = re.compile(r"(?:[A-Za-z0-9/:@!$&'()*+,;=~._?\[\]-]|%[0-9A-Fa-f]{2})*")
"""What an address may hold as it is."""


class Request:
    """The templates of one handler, each in its place.

    Raises:
        ValueError: one of them cannot be used; all mistakes are named.
    """

    def __init__(self, handler: HttpHandler) -> None:
        self._mistakes: list[str] = []
        self._method = handler.method
        scheme, self.host, path, query = self._take_apart(handler.url)
        self._start = f"{scheme}://{self.host}"
        self._path = [self._address_part(part) for part in path.split("/")]
        own = {name: self._address_part(value) for name, value in _pairs(query)}
        more = {name: self._template(value, f"query {name!r}") for name, value in handler.query.items()}
        self._query = [(self._name(name), each, str) for name, each in own.items()]
        self._query += [(self._name(name), each, _encoded) for name, each in more.items()]
        if both := own.keys() & more.keys():
            self._mistakes.append(f"url and query both give {sorted(both)!r}")
        self._headers = [
            (self._header(name), self._template(value, f"header {name!r}")) for name, value in handler.headers.items()
        ]
        self._body = self._compile(handler.body) if handler.body is not None else None
        if handler.body is not None and handler.method in ("GET", "HEAD"):
            self._mistakes.append(f"a {handler.method} request has no body")
        if self._mistakes:
            raise ValueError("; ".join(dict.fromkeys(self._mistakes)))

    @property
    def port(self) -> int:
        """Give the port of its address."""
        return URL(self._start).port or 80

    @property
    def in_path(self) -> set[str]:
        """Give the arguments that are parts of the path: they must be there."""
        return set[str]().union(*(each.params for each in self._path))

    @property
    def as_text(self) -> set[str]:
        """Give the arguments that stand within texts: they cannot be lists or objects."""
        inner = [each for each in _templates(self._body) if not each.only_param]
        return set[str]().union(*(each.params for each in (*self._plain, *inner)))

    @property
    def params(self) -> set[str]:
        """Give all arguments that are used."""
        return self.as_text.union(*(each.params for each in _templates(self._body)))

    @property
    def secrets(self) -> set[str]:
        """Give the names of all secrets that are used."""
        return set[str]().union(*(each.secrets for each in (*self._plain, *_templates(self._body))))

    @property
    def _plain(self) -> list[Template]:
        return [*self._path, *(each for _, each, _ in self._query), *(each for _, each in self._headers)]

    def render(self, values: Mapping[str, Any], secret_of: SecretOf) -> Ask:
        """Give the request for these arguments.

        Raises:
            ToolRetry: an argument does not fit in its place.
            ToolFailed: a secret is not set.
        """
        path = "/".join(_segment(each, values, secret_of) for each in self._path)
        query = "&".join(
            f"{name}={each.render(values, secret_of, _encoded, literal)}"
            for name, each, literal in self._query
            if not each.is_left_out(values)
        )
        headers = {
            name: _header_value(name, each.render(values, secret_of))
            for name, each in self._headers
            if not each.is_left_out(values)
        }
        body = _bytes(_filled(self._body, values, secret_of)) if self._body is not None else None
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
        url = f"{self._start}{path or '/'}" + (f"?{query}" if query else "")
        return Ask(url, self._method, headers, body, accept="application/json, */*;q=0.5", is_encoded=True)

    def _take_apart(self, url: str) -> tuple[str, str, str, str]:
        found = _URL.fullmatch(url.strip())
        if found is None:
            self._mistakes.append("url must be http:// or https://, without spaces before it and without a #fragment")
            return "", "", "", ""
        if not _HOST.fullmatch(found[2]) or not _is_port(found[2]):
            self._mistakes.append(f"the host {found[2]!r} must be written out: no place, no name and password in it")
        return found[1], found[2], found[3], found[4] or ""

    def _address_part(self, text: str) -> Template:
        template = self._template(text, "url")
        if not _ENCODED.fullmatch(template.literals):
            self._mistakes.append(f"url: {text[:60]!r} must be encoded")
        return template

    def _template(self, text: str, where: str) -> Template:
        try:
            return Template(text)
        except ValueError as error:
            self._mistakes.append(f"{where}: {error}")
            return Template("")

    def _name(self, name: str) -> str:
        if "{" in name:
            self._mistakes.append(f"a query's name cannot hold a place: {name!r}")
        return quote(name, safe="[]%")

    def _header(self, name: str) -> str:
        if not _HEADER.fullmatch(name):
            self._mistakes.append(f"{name!r} is no name of a header")
        if name.lower() in _NOT_THEIRS:
            self._mistakes.append(f"the header {name!r} belongs to the connection")
        return name

    def _compile(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._template(value, "body")
        if isinstance(value, dict):
            return {name: self._compile(item) for name, item in cast("dict[str, Any]", value).items()}
        return [self._compile(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _is_port(host: str) -> bool:
    port = re.search(r":(\d+)$", host)
    return port is None or 0 < int(port[1]) < 65_536


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        yield name, value


def _encoded(text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError as error:
        raise ToolRetry("an argument holds half a character") from error


def _segment(template: Template, values: Mapping[str, Any], secret_of: SecretOf) -> str:
    empty = [name for name in sorted(template.params) if not text_of(values.get(name))]
    if empty:
        raise ToolRetry(f"{empty[0]} is a part of the path and cannot be empty")
    text = template.render(values, secret_of, _encoded)
    if text in (".", "..") and template.params:
        raise ToolRetry("a part of the path cannot be '.' or '..'")
    return text


def _header_value(name: str, text: str) -> str:
    if not _HEADER_VALUE.fullmatch(text):
        raise ToolRetry(f"the header {name} takes visible ASCII characters only")
    return text


def _templates(body: Any) -> Iterator[Template]:
    if isinstance(body, Template):
        yield body
    elif isinstance(body, dict):
        for item in cast("dict[str, Any]", body).values():
            yield from _templates(item)
    elif isinstance(body, list):
        for item in cast("list[Any]", body):
            yield from _templates(item)


def _filled(body: Any, values: Mapping[str, Any], secret_of: SecretOf) -> Any:
    """Fill a body in: an argument that is all of a text keeps its type, and is left out where it was not given."""
    if isinstance(body, Template):
        return values[body.only_param] if body.only_param in values else body.render(values, secret_of)
    if isinstance(body, dict):
        items = cast("dict[str, Any]", body).items()
        return {name: _filled(item, values, secret_of) for name, item in items if not _is_missing(item, values)}
    if isinstance(body, list):
        items = cast("list[Any]", body)
        return [_filled(item, values, secret_of) for item in items if not _is_missing(item, values)]
    return body


def _is_missing(item: Any, values: Mapping[str, Any]) -> bool:
    return isinstance(item, Template) and item.is_left_out(values)


def _bytes(body: Any) -> bytes:
    try:
        data = json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ToolRetry("an argument holds half a character") from error
    if len(data) > MAX_BODY_BYTES:
        raise ToolRetry(f"the request would have more than {MAX_BODY_BYTES} bytes")
    return data
