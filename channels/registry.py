"""From settings to adapters: the one place that knows which platforms exist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from channels.base import Channel
from channels.clock import Clock

if TYPE_CHECKING:
    from channels.terminal.adapter import Adapter as Terminal
    from channels.terminal.settings import TerminalSettings

Build = Callable[[BaseModel, Clock, float], Channel]


def _feishu(settings: BaseModel, clock: Clock, refresh_s: float) -> Channel:
    from channels.feishu.adapter import Adapter
    from channels.feishu.settings import FeishuSettings

    return Adapter(FeishuSettings.model_validate(settings, from_attributes=True), clock, refresh_s=refresh_s)


def _slack(settings: BaseModel, clock: Clock, refresh_s: float) -> Channel:
    from channels.slack.adapter import Adapter
    from channels.slack.settings import SlackSettings

    return Adapter(SlackSettings.model_validate(settings, from_attributes=True), clock, refresh_s=refresh_s)


def _slack_manifest(name: str, command: str) -> str:
    from channels.slack.manifest import manifest_text

    return manifest_text(name=name, command=command)


def _dingtalk(settings: BaseModel, clock: Clock, refresh_s: float) -> Channel:
    from channels.dingtalk.adapter import Adapter
    from channels.dingtalk.settings import DingtalkSettings

    return Adapter(DingtalkSettings.model_validate(settings, from_attributes=True), clock, refresh_s=refresh_s)


_BUILDERS: Mapping[str, Build] = {"feishu": _feishu, "slack": _slack, "dingtalk": _dingtalk}
"""Each imports its platform's code only when it is called."""


def build_terminal(settings: TerminalSettings, clock: Clock, *, refresh_s: float = 0.2, once: bool = False) -> Terminal:
    """Build the channel of this process's own terminal or pipe: no account, one person; nothing is started.

    `once`: all of standard input is one question.
    """
    from channels.terminal.seat import build_adapter

    return build_adapter(settings, clock, refresh_s=refresh_s, once=once)


_MANIFESTS: Mapping[str, Callable[[str, str], str]] = {"slack": _slack_manifest}


def platforms_with_manifest() -> tuple[str, ...]:
    """Give the platforms on which an app can be made from a manifest."""
    return tuple(_MANIFESTS)


def manifest_of(platform: str, *, name: str, command: str) -> str:
    """Give what to paste into the platform's page for new apps. `command` is the slash command with its slash.

    Raises:
        KeyError: the platform takes no manifest.
        ValueError: no such command is possible there.
    """
    return _MANIFESTS[platform](name, command)


def channel_names() -> tuple[str, ...]:
    """Give the platforms that can be configured."""
    return tuple(_BUILDERS)


def build_channels(
    accounts: Mapping[str, Iterable[BaseModel]], clock: Clock, *, refresh_s: float = 0.2
) -> dict[tuple[str, str], Channel]:
    """Build an adapter for each enabled account, by (channel, account); nothing is started.

    `accounts` holds validated settings by platform name; `refresh_s` is the wanted pause between two updates of a card.

    Raises:
        KeyError: no such platform.
        ValueError: an account is named twice.
    """
    channels: dict[tuple[str, str], Channel] = {}
    for name, entries in accounts.items():
        build = _BUILDERS[name]
        for settings in entries:
            if not _is_enabled(settings):
                continue
            channel = build(settings, clock, refresh_s)
            key = (channel.name, channel.account)
            if key in channels:
                raise ValueError(f"account {key[1]!r} of {key[0]!r} is configured twice")
            channels[key] = channel
    return channels


def _is_enabled(settings: BaseModel) -> bool:
    enabled: Any = getattr(settings, "enabled", True)
    return bool(enabled)
