"""`/access`: an admin decides when the bot listens in one group."""

from __future__ import annotations

from typing import get_args

from channels.events import ConversationRef
from gateway.access import chat_of
from gateway.commands.order import Desk, Order, Reply
from gateway.settings.access import GroupMode, ThreadMode

USAGE = "[groups=mention|open|allowlist|off|default] [threads=follow|mention|default]"
PATTERN = r"((groups|threads)=\w+( |$))*"
_VALUES = {"groups": get_args(GroupMode), "threads": get_args(ThreadMode)}
_AS_EVERYWHERE = "default"


async def access_here(desk: Desk, order: Order) -> Reply:
    """Set what is given, then tell what holds; `default` takes a decision back.

    An order that was written before the one in force changes nothing: deliveries come again and out of order.
    """
    where = ConversationRef.parse(order.to)
    if order.is_direct:
        return Reply("reply.access_groups_only", tone="warning")
    wanted = _wanted(order.rest)
    if wanted is None:
        return Reply("reply.access_usage", tone="warning")
    rule = desk.access.rules.rule(where)
    if rule is not None and any(getattr(rule, key) is not None for key in wanted):
        return Reply("reply.access_fixed", tone="warning")
    if wanted:
        people, by = desk.access.people, order.by.id
        await people.decide_conversation(chat_of(where), wanted, by=by, at_ms=order.sent_at_ms)
    return await _told(desk, where)


def _wanted(words: str) -> dict[str, str | None] | None:
    """Read `groups=open threads=default`; `None` when it is something else."""
    wanted: dict[str, str | None] = {}
    for word in words.casefold().split():
        key, _, value = word.partition("=")
        if key not in _VALUES or value not in (*_VALUES[key], _AS_EVERYWHERE):
            return None
        wanted[key] = None if value == _AS_EVERYWHERE else value
    return wanted


async def _told(desk: Desk, where: ConversationRef) -> Reply:
    known = await desk.access.people.known("", chat_of(where))
    rules = desk.access.rules
    return Reply("reply.access_is", {"groups": rules.groups(where, known), "threads": rules.threads(where, known)})
