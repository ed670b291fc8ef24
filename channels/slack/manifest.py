"""The app's manifest: what an operator pastes into the platform's page "Create an app from a manifest".

Source: docs.slack.dev "App manifest reference", read 2026-08.
"""

from __future__ import annotations

import json

from channels.readable import Json

NEEDED_SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "reactions:read",
    "reactions:write",
    "users:read",
)
CORE_SCOPES = frozenset({"app_mentions:read", "chat:write", "channels:history", "groups:history", "im:history"})
"""Without these there are no questions or no answers; without the others a courtesy is lost."""
EVENTS = (
    "agent_session_stopped",
    "app_home_opened",
    "app_mention",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
)


def manifest(*, name: str = "niuma", command: str = "/niuma") -> Json:
    """Give the manifest. `command` is the slash command, which people cannot use inside threads."""
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {"name": name, "description": "Answers questions and runs tools"},
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "agent_view": {"agent_description": "Answers questions and runs tools"},
            "slash_commands": [
                {
                    "command": command,
                    "description": "Ask the agent, or tell it what to do",
                    "usage_hint": "help | stop | new | a question",
                    "should_escape": True,
                }
            ],
        },
        "oauth_config": {"scopes": {"bot": list(NEEDED_SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": True,
            "token_rotation_enabled": False,
        },
    }


def manifest_text(*, name: str = "niuma", command: str = "/niuma") -> str:
    """Give the manifest as JSON.

    Raises:
        ValueError: no such command is possible.
    """
    if not command.startswith("/") or not command[1:].replace("-", "").replace("_", "").isalnum():
        raise ValueError(f"a command is a slash and a word: {command!r}")
    return json.dumps(manifest(name=name, command=command.lower()), ensure_ascii=False, indent=2)
