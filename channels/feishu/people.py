"""Who wrote or pressed, by name.

Source: open.feishu.cn "获取单个用户信息" (contact-v3), read 2026-02: the name needs a contact scope.
"""

from __future__ import annotations

from dataclasses import replace

from channels.events import Inbound
from channels.names import Names


def with_name(inbound: Inbound, names: Names) -> Inbound:
    """Give what came in with its sender's name where it is known, and ask for it where it is not."""
    sender = inbound.sender
    if sender is None or sender.name or sender.is_bot:
        return inbound
    name = names.of(sender.id)
    return replace(inbound, sender=replace(sender, name=name)) if name else inbound
