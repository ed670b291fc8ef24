"""What one Feishu app can do, as data.

Source: open.feishu.cn "频控策略", "发送消息" and the cardkit-v1 and im-v1 pages, read 2026-02: each API, app and tenant
50/s and 1000/min; five messages a second to one user or group, shared by all bots in it; all writes to one card 10/s;
one message 5 changes/s; streaming mode ends after 10 minutes. The streaming page says that calls on a
streaming card do not count against the app's limit; `app_limit` says what to assume.
"""

from __future__ import annotations

from typing import Literal

from channels.capabilities import Capabilities, MethodLimit

_API = MethodLimit(per_s=50, per_minute=1000)
_SEND = MethodLimit(per_s=50, per_minute=1000, per_chat_s=5)
_STREAMING = frozenset({"card.content", "card.batch", "card.replace", "card.settings"})
_SENDS = frozenset({"message.send", "message.reply"})
_OTHERS = frozenset({"card.create", "message.patch", "reaction"})
_UPLOADS = frozenset({"file.upload", "image.upload"})
"""Source: open.feishu.cn "上传文件", "上传图片", read 2026-02: 1000/min and 50/s, as for most methods."""
_LOOKUPS = frozenset({"message.get", "message.list", "resource.get", "card.convert", "user.get"})


def capabilities_of(app_limit: Literal["exempt", "counted", "auto"]) -> Capabilities:
    """Give the capabilities of an account."""
    return Capabilities(
        can_update_cards=True,
        can_press_buttons=True,
        can_send_files=True,
        card_floor_s=0.2,
        card_writes_per_s=10,
        stream_life_s=600,
        renew_after_s=510,
        app_limit=app_limit,
        streaming_methods=_STREAMING,
        methods={
            **dict.fromkeys(sorted(_STREAMING | _OTHERS | _UPLOADS | _LOOKUPS), _API),
            **dict.fromkeys(sorted(_SENDS), _SEND),
        },
    )
