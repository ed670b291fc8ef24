"""`/whoami`: the names that settings and admins want, of a person and of the conversation."""

from __future__ import annotations

from channels.events import ConversationRef
from gateway.access import chat_of
from gateway.commands.order import Desk, Order, Reply
from gateway.settings.names import person_name


async def whoami(desk: Desk, order: Order) -> Reply:
    """Tell a person their name by id, their rank, and what this conversation is called."""
    where = ConversationRef.parse(order.to)
    person = person_name(where.channel, where.account, order.by.id)
    rank = Reply(f"rank.{order.by.rank}")
    return Reply("reply.whoami", {"person": person, "rank": rank, "conversation": chat_of(where)})
