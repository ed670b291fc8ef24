"""What the platform answers when it refuses.

```text
ApiError        code, HTTP status, headers: becomes the answer's body
ConnectionCut   a fault rule cuts the connection; nothing is answered
```
"""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES = {
    10002: "param error",
    10003: "invalid param",
    10014: "app secret invalid",
    99991400: "request trigger frequency limit",
    99991661: "Missing access token for authorization. Please make a test with token attached.",
    99991663: "Invalid access token for authorization. Please make a test with token attached.",
    99991671: "Invalid token type, the token must start with t- or u-",
    99991672: "Access denied. One of the following scopes is required",
    99992402: "field validation failed",
    200340: "callback not configured",
    200341: "callback not answered in time",
    200740: "card not exist",
    200750: "card is expired",
    200770: "uuid already used",
    200810: "card is being interacted with",
    200850: "card streaming timeout",
    200510: "card streaming timeout",
    200860: "card content exceeds limit",
    300301: "element_id is duplicated",
    300302: "update_multi must be true",
    300303: "card is not schema 2.0",
    300305: "number of elements exceeds limit",
    300307: "card content is empty",
    300309: "streaming mode is closed",
    300310: "element type does not support content update",
    300311: "card belongs to another app",
    300312: "element tag can not be changed",
    300313: "patch element failed",
    300314: "delete element failed",
    300315: "add element failed",
    300317: "sequence number compare failed",
    230001: "Your request contains an invalid request parameter.",
    230002: "The bot can not be outside the group.",
    230011: "The message was recalled.",
    230013: "Bot has NO availability to this user.",
    230019: "The topic does not exist.",
    230020: "This operation triggers the frequency limit, ext=chat rate limit",
    230025: "The length of the message content reaches its limit.",
    230026: "No permission to recall this message.",
    230031: "The message has exceeded the time limit for card updates.",
    230034: "The receive_id is invalid.",
    230054: "This message type is not supported.",
    230071: "The operator is not the sender of the message.",
    230072: "The message has reached the number of times it can be edited.",
    230110: "The message has been deleted.",
    234003: "File not in msg.",
}


class ApiError(Exception):
    """A refusal with the platform's own code."""

    def __init__(
        self, code: int, detail: str = "", *, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        text = MESSAGES.get(code, "error")
        self.code = code
        self.status = status
        self.headers = dict(headers or {})
        self.text = f"{text}: {detail}" if detail else text
        super().__init__(self.text)


class ConnectionCut(Exception):
    """The connection is cut by a fault rule."""


def card_refused(sub_code: int, reason: str) -> ApiError:
    """Give 230099, as message calls answer for a card, with the card service's own code in `ext`."""
    error = ApiError(230099)
    error.text = f"Failed to create card content, ext=ErrCode: {sub_code}; ErrMsg: {reason}; ErrorValue: "
    return error
