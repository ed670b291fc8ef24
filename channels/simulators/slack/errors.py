"""What the platform answers when it refuses.

```text
ApiError        the error's name, HTTP status, headers, further fields: becomes the answer's body
ConnectionCut   a fault rule cuts the connection; nothing is answered
Refused         a person cannot do this: an error of the control API
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ApiError(Exception):
    """A refusal with the platform's own name for it; most come with HTTP 200."""

    def __init__(
        self, error: str, *details: str, status: int = 200, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.headers = dict(headers or {})
        self.more: dict[str, Any] = dict(more)
        if details:
            self.more["errors"] = list(details)
            self.more["response_metadata"] = {"messages": [f"[ERROR] {detail}" for detail in details]}


class ConnectionCut(Exception):
    """The connection is cut by a fault rule."""


class Refused(ValueError):
    """A person cannot do this: nobody or nothing has this id."""
