"""`/grants`: what was allowed for longer than once, one's own or, where an admin is alone with the bot, everybody's."""

from __future__ import annotations

import json
from collections.abc import Sequence

from channels.events import ConversationRef
from engine.messages import code_of
from engine.runtime import Grant, account_holders, grants_given, person_holder, take_back
from gateway.commands.order import Desk, Order, Reply
from gateway.settings.names import account_name

USAGE = "[revoke code]"
PATTERN = r"(revoke \w{8})?"


async def grants(desk: Desk, order: Order) -> Reply:
    """List them, or take one back: the next such call asks again. A code of somebody else's names nothing."""
    chosen = await desk.runtime.database.read(lambda session: _seen(grants_given(session), order))
    if not order.rest:
        lines = [_line(grant) for grant in chosen]
        return Reply("reply.grants", then=lines) if lines else Reply("reply.grants_none")
    code = order.rest.split()[-1].upper()
    grant = next((each for each in chosen if code_of(each.id) == code), None)
    if grant is None:
        return Reply("reply.grants_unknown", {"code": code}, tone="warning")
    by, now_ms, id = order.by.id, desk.now_ms, grant.id
    await desk.runtime.database.run(lambda session: take_back(session, id, by=by, at_ms=now_ms))
    return Reply("permissions.revoked", {"code": code}, tone="success")


def _seen(every: Sequence[Grant], order: Order) -> list[Grant]:
    """Give those of the person; in a group nobody is shown what others allowed, also not to an admin."""
    where = ConversationRef.parse(order.to)
    account = account_name(where.channel, where.account)
    if order.by.is_admin and order.is_direct:
        return [grant for grant in every if grant.holder.startswith(account_holders(account))]
    return [grant for grant in every if grant.holder == person_holder(account, order.by)]


def _line(grant: Grant) -> Reply:
    covers = json.loads(grant.covers)
    what = " ".join(", ".join(covers["what"]).split())
    told = Reply(f"permissions.covers_{covers['kind']}", {"what": what})
    params = {"code": code_of(grant.id), "tool": grant.tool, "covers": told, "who": grant.name}
    return Reply(f"reply.grants_{grant.lifetime}", params)
