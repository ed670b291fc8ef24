"""Limits of texts."""

from __future__ import annotations

from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.options import Options

TRUNCATED_AT = 40_000
"""A longer `text` is cut by the platform without a word.

Source: docs.slack.dev reference page of chat.postMessage, read 2026-08.
"""


def check_text(text: str, limit: int, options: Options) -> None:
    """Refuse a `text` that is too long, in bytes or characters as the options say.

    Raises:
        ApiError: `msg_too_long`.
    """
    length = len(text.encode()) if options.text_measure == "bytes" else len(text)
    if length > limit:
        raise ApiError("msg_too_long")


def check_markdown(markdown: str, options: Options) -> None:
    """Refuse a `markdown_text` that is too long for one call.

    Raises:
        ApiError: `msg_too_long`.
    """
    if len(markdown) > options.markdown_limit:
        raise ApiError("msg_too_long")
