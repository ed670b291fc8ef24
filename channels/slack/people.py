"""A person's name as colleagues see it.

Source: docs.slack.dev users.info (scope users:read), read 2026-08.
"""

from __future__ import annotations

from typing import cast

from channels.readable import Json
from channels.slack.client import Client

USERS_INFO = "users.info"


async def ask_name(client: Client, user: str) -> str:
    """Ask for a name; empty where the platform tells none.

    Raises:
        KeyError, TypeError: the answer is not as it must be.
        ChannelError: refused, or nobody knows.
    """
    person = cast("Json", (await client.call(USERS_INFO, {"user": user}))["user"])
    profile = cast("Json", person.get("profile") or {})
    told = (profile.get("display_name"), person.get("real_name"), profile.get("real_name"), person.get("name"))
    return next((str(each) for each in told if each), "")
