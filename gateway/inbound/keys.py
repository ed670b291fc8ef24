"""The engine's names for what channels told us."""

from __future__ import annotations

from channels.events import DedupeKey, Inbound
from engine.messages import Address, InboxKey


def inbox_key(key: DedupeKey) -> InboxKey:
    """Give the engine's form of a dedupe key."""
    return InboxKey(channel=key.channel, account=key.account, kind=key.kind, key=key.key)


def message_key(key: DedupeKey, message_id: str) -> InboxKey:
    """Give the key of another message on the account that `key` is of."""
    return InboxKey(channel=key.channel, account=key.account, kind="message", key=message_id)


def address_of(inbound: Inbound) -> Address:
    """Give the engine's name of a conversation."""
    return Address(str(inbound.conversation))
