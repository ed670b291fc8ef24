"""What one DingTalk app can do, as data.

Source: open.dingtalk.com "how-to-process-api-throttling-on-the-dingtalk-server" and "dingtalk-application-development-
platform-billing-model", snapshot of 2026-08-22, read 2026-11-30: each API of an app 20 calls a second, with the pack at
most 60; a whole organisation 5,000 calls a month, professional 200,000. Users of paid plans report 40 a second
(dingtalk-openclaw-connector #444, #450, #461).
"""

from __future__ import annotations

from collections.abc import Mapping

from channels.capabilities import Allowance, Capabilities, MethodLimit
from channels.dingtalk.settings import DingtalkSettings, Edition

CREATE, STREAM, UPDATE = "card.create", "card.stream", "card.update"
TO_USER, TO_GROUP, WEBHOOK = "message.user", "message.group", "message.webhook"
EMOTION, DOWNLOAD, UPLOAD = "emotion", "file.download", "file.upload"
_API = (CREATE, STREAM, UPDATE, TO_USER, TO_GROUP, EMOTION, DOWNLOAD, UPLOAD)

_PER_S: Mapping[Edition, float] = {"standard": 20, "professional": 40, "pack": 60}
_PER_ANSWER: Mapping[Edition, int | None] = {"standard": 12, "professional": 60, "pack": None}
_PER_MONTH: Mapping[Edition, int | None] = {"standard": 3_000, "professional": 150_000, "pack": None}
"""Of the 5,000 and 200,000: the rest is for first and last words, signs and files."""
SPREAD_S = 300.0
"""An answer's updates reach this far; ours."""


def capabilities_of(settings: DingtalkSettings) -> Capabilities:
    """Give the capabilities of an account."""
    has_cards = bool(settings.card_template_id)
    limit = MethodLimit(per_s=_PER_S[settings.edition])
    return Capabilities(
        can_update_cards=has_cards,
        can_press_buttons=has_cards,
        can_send_files=True,
        card_floor_s=settings.refresh_ms / 1000,
        app_limit="counted",
        streaming_methods=frozenset(),
        methods={**dict.fromkeys(_API, limit), WEBHOOK: MethodLimit(per_s=_PER_S[settings.edition], per_chat_s=2)},
        previews=_allowance(settings),
    )


def _allowance(settings: DingtalkSettings) -> Allowance | None:
    answer = settings.previews_per_answer
    month = settings.previews_per_month
    answer = _PER_ANSWER[settings.edition] if answer is None else answer
    month = _PER_MONTH[settings.edition] if month is None else month
    return None if answer is None and month is None else Allowance(answer, month, SPREAD_S)
