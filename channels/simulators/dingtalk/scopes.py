"""Which permission a call needs. Source: open.dingtalk.com pages of each call, read 2026-08."""

from __future__ import annotations

from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.options import Options

NEEDED = {
    "/v1.0/card/streaming": "Card.Streaming.Write",
    "/v1.0/card/instances": "Card.Instance.Write",
    "/v1.0/robot/": "qyapi_robot_sendmsg",
}


def check_scopes(path: str, options: Options) -> None:
    """Refuse a call whose permission is withheld.

    Raises:
        ApiError: 403 with the scope in `accessdenieddetail`, or `unknownError` as some apps see when streaming.
    """
    scope = next((each for start, each in NEEDED.items() if path.startswith(start)), "")
    if scope not in options.withheld_scopes:
        return
    if scope == "Card.Streaming.Write" and options.streaming_without_scope == "unknownError":
        raise ApiError("unknownError", status=500)
    detail = {"accessdenieddetail": {"requiredScopes": [scope]}}
    raise ApiError("Forbidden.AccessDenied.AccessTokenPermissionDenied", status=403, more=detail)
