"""What one Slack app can do in its workspace, as data.

Source: docs.slack.dev "Rate limits" (each method, app and workspace: tier 2 20+, tier 3 50+, tier 4 100+ a minute;
chat.postMessage about one a second and channel), read 2026-08. A stream's life: slackapi/python-slack-sdk#1859.
"""

from __future__ import annotations

from channels.capabilities import Capabilities, MethodLimit

STARTS_PER_MINUTE = 20
"""Streams that may begin: tier 2. Counted by `room.StreamRoom`: who finds no room has its card edited."""
STREAM_LIFE_S = 300.0
RENEW_AFTER_S = 260.0
"""The streaming is ended by us 40 s before the platform does it, and the same message goes on by edits."""

_TIER_3 = MethodLimit(per_minute=50)
_TIER_4 = MethodLimit(per_minute=100)
_STREAM_ENDS = MethodLimit()
"""No more streams end than began."""

METHODS = {
    "chat.postMessage": MethodLimit(per_chat_s=1),
    "chat.update": _TIER_3,
    "chat.startStream": _STREAM_ENDS,
    "chat.appendStream": _TIER_4,
    "chat.stopStream": _STREAM_ENDS,
    "chat.postEphemeral": _TIER_4,
    "assistant.threads.setStatus": _TIER_3,
    "reactions.add": _TIER_3,
    "reactions.remove": MethodLimit(),
    "conversations.replies": _TIER_3,
    "conversations.history": _TIER_3,
    "files.getUploadURLExternal": _TIER_4,
    "files.completeUploadExternal": _TIER_4,
    "files.download": MethodLimit(),
    "users.info": _TIER_4,
}
"""Where a limit a minute stands, the pacer keeps one request back for each live card: 50 cards can be live at once."""

CAPABILITIES = Capabilities(
    can_update_cards=True,
    can_press_buttons=True,
    can_send_files=True,
    stream_life_s=STREAM_LIFE_S,
    renew_after_s=RENEW_AFTER_S,
    methods=METHODS,
)
