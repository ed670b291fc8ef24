"""Buttons without a card template: links that send a short command in the person's name.

Source: open.dingtalk.com "lightweight-interactive-card-messages", chatgpt-dingtalk #277, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from channels.cards.model import Action, ActionName

_COMMANDS: Mapping[ActionName, str] = {
    "stop": "stop {code}",
    "approve": "approve {code}",
    "approve_conversation": "approve {code} conversation",
    "approve_always": "approve {code} always",
    "deny": "deny {code}",
    "retry": "retry {code}",
}
_CODE_CHARS = 8
"""A command names a run by the end of its id."""


def has_link(action: Action) -> bool:
    """Tell whether there is a command for this button."""
    return action.name in _COMMANDS and action.enabled


def command_of(action: Action) -> str:
    """Give the command a person would type: `/stop 1a2b3c4d`."""
    return "/" + _COMMANDS[action.name].format(code=action.run[-_CODE_CHARS:])


def link_of(action: Action) -> str:
    """Give the address that sends the command."""
    return f"dtmd://dingtalkclient/sendMessage?content={quote(command_of(action), safe='')}"


def render_links(actions: Iterable[Action]) -> str:
    """Give the buttons as one line of markdown."""
    return "  ".join(f"[{action.label}]({link_of(action)})" for action in actions if has_link(action))


def render_commands(actions: Iterable[Action]) -> str:
    """Give the buttons as commands to type: a card's text takes no links but those of the web."""
    return "  ".join(f"{action.label}: `{command_of(action)}`" for action in actions if has_link(action))
