"""Which permission a call needs; one of those named is enough.

Source: open.feishu.cn "通用错误码" (99991672) and the scopes named on the im-v1, cardkit-v1 and contact-v3 pages, read
2026-02; the text of the refusal as users quote it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from channels.simulators.feishu.errors import ApiError

_NEEDED = (
    (r"^\w+ /open-apis/cardkit/", ("cardkit:card:write",)),
    (r"^\w+ /open-apis/im/v1/messages/[^/]+/reactions", ("im:message", "im:message.reactions:write_only")),
    (r"^GET /open-apis/im/v1/messages", ("im:message", "im:message:readonly")),
    (r"^\w+ /open-apis/im/v1/messages", ("im:message", "im:message:send_as_bot")),
    (r"^GET /open-apis/contact/", ("contact:user.base:readonly",)),
)


def check_scopes(method: str, path: str, app_id: str, withheld: Collection[str]) -> None:
    """Refuse a call when every permission that would do is withheld.

    Raises:
        ApiError: 99991672, its text naming them and the console's page.
    """
    for pattern, scopes in _NEEDED:
        if re.search(pattern, f"{method} {path}"):
            if set(scopes) <= set(withheld):
                page = f"https://open.feishu.cn/app/{app_id}/auth?q={','.join(scopes)}"
                raise ApiError(99991672, f"[{', '.join(scopes)}]. {page}&op_from=openapi&token_type=tenant")
            return
