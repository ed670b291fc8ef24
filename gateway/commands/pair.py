"""`/pair`: an admin lets somebody in by their code, refuses them, or takes it back."""

from __future__ import annotations

from channels.events import ConversationRef
from gateway.commands.order import Desk, Order, Reply
from gateway.settings.names import account_name, parse_person, person_name, shown
from gateway.stores.people import Rank, Request

USAGE = "code [guest] | deny code | revoke channel:account:person"
PATTERN = r"[\w-]{8,9}( guest)?|deny [\w-]{8,9}|revoke \S+"


async def pair(desk: Desk, order: Order) -> Reply:
    """Let in, refuse or put out, on the admin's own account only: ids of one say nothing on another."""
    match order.rest.split():
        case ["deny", code]:
            found = await desk.access.people.deny(code, account=_account(order), now_ms=desk.now_ms)
            return _said("reply.pair_denied", found)
        case ["revoke", name]:
            return await _revoke(desk, order, name)
        case [code]:
            return await _approve(desk, order, code, "member")
        case [code, "guest"]:
            return await _approve(desk, order, code, "guest")
        case _:
            return Reply("reply.pair_usage", tone="warning")


async def _approve(desk: Desk, order: Order, code: str, rank: Rank) -> Reply:
    where = ConversationRef.parse(order.to)
    by = person_name(where.channel, where.account, order.by.id)
    found = await desk.access.people.approve(code, rank, by=by, account=_account(order), now_ms=desk.now_ms)
    return _said("reply.paired", found)


async def _revoke(desk: Desk, order: Order, written: str) -> Reply:
    try:
        person = parse_person(written)
    except ValueError:
        return Reply("reply.pair_usage", tone="warning")
    is_ours = person.startswith(f"{_account(order)}:")
    if is_ours and await desk.access.people.revoke(person):
        return Reply("reply.pair_revoked", {"who": person}, tone="success")
    return Reply("reply.pair_not_in", {"who": person}, tone="warning")


def _account(order: Order) -> str:
    where = ConversationRef.parse(order.to)
    return account_name(where.channel, where.account)


def _said(key: str, found: Request | None) -> Reply:
    if found is None:
        return Reply("reply.pair_unknown", tone="warning")
    return Reply(key, {"who": shown(found.name, found.person)}, tone="success")
