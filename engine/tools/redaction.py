"""Keeping secrets out of what people, models and logs read."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast
from urllib.parse import quote, quote_plus

HIDDEN = "[hidden]"
SHORTEST_CHARS = 4
"""Shorter secrets are not looked for: they would take letters out of every word."""
_SAYS_SO = (
    r"(?:api[_-]?key|(?:access|auth|refresh|secret|private|client|bot|app|session)[_-]?(?:key|token|secret)"
    r"|secret|password|passwd|pwd)"
)
"""Names that say it by themselves. A bare `key` or `token` does in an address only: programs use the words, too."""
_VALUE = r"(?!\[hidden\])[^\s&\"'<>,;)}\]]{4,}"
_LOOKS_SECRET = (
    re.compile(rf"(?i)(?<![a-z0-9])({_SAYS_SO}[\"']?\s{{0,2}}[=:]\s{{0,2}}[\"']?){_VALUE}"),
    re.compile(rf"(?i)([?&](?:key|token|sig|signature|code|ticket)=){_VALUE}"),
    re.compile(rf"(\b[A-Z][A-Z0-9_]{{0,40}}_(?:KEY|TOKEN|SECRET|PASSWORD)=[\"']?){_VALUE}"),
    re.compile(
        r"(?i)(\bauthorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:[a-z]{2,20} )?+)(?!\[hidden\])[a-z0-9._~+/=-]{6,}"
    ),
    re.compile(r"(?i)(\bbearer\s{1,2})(?!\[hidden\])(?=[a-z._~+/=-]{0,200}\d)[a-z0-9._~+/=-]{6,}"),
    re.compile(r"()(?<![\w-])sk-[\w-]{6,}"),
    re.compile(r"(?<=://)()[^/\s:@]{1,200}:[^/\s@]{1,200}(?=@)"),
)


def redact(text: str) -> str:
    """Give `text` without what looks like a key, a token or a password. For errors and addresses, not for contents."""
    for pattern in _LOOKS_SECRET:
        text = pattern.sub(lambda found: f"{found[1]}{HIDDEN}", text)
    return text


class Secrets:
    """Gives secrets by name, and takes those it gave out of everything.

    `known` is where they are (the process's environment); `protect` is told of each that is used, so that logs know it.
    """

    def __init__(
        self, known: Mapping[str, str], protect: Callable[[Iterable[str]], None] = lambda _secrets: None
    ) -> None:
        self._known, self._protect = known, protect
        self._used: dict[str, None] = {}

    def get(self, name: str) -> str | None:
        """Give a secret; `None` when it is not set or empty."""
        secret = self._known.get(name, "").strip()
        if len(secret) >= SHORTEST_CHARS and secret not in self._used:
            self._use(secret)
        return secret or None

    def clean(self, text: str) -> str:
        """Give `text` without any secret that was given out, in whatever way it is encoded."""
        for secret in self._used:
            text = text.replace(secret, HIDDEN)
        return text

    def clean_value(self, value: Any) -> Any:
        """Clean all texts in JSON data, names included."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, dict):
            pairs = cast("dict[str, Any]", value).items()
            return {self.clean(str(name)): self.clean_value(item) for name, item in pairs}
        if isinstance(value, list):
            return [self.clean_value(item) for item in cast("list[Any]", value)]
        return value

    def _use(self, secret: str) -> None:
        forms = {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
        forms |= {b64encode(secret.encode()).decode().rstrip("=")}
        every = sorted({*self._used, *forms}, key=len, reverse=True)
        self._used = dict.fromkeys(every)
        self._protect([secret])
