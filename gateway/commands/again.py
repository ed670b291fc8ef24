"""`/again`: the answer of a run once more, as a message of its own, for who asked for it."""

from __future__ import annotations

from engine.runtime import Resent, RunView
from gateway.commands.order import Desk, Order, Reply
from gateway.commands.pressed import told_of
from gateway.commands.reach import last_ended, same_chat

_SAID: dict[Resent, Reply] = {
    "owed": Reply("reply.again", tone="success"),
    "on_its_way": Reply("reply.again_on_its_way"),
    "running": Reply("reply.again_running", tone="warning"),
}


async def again(desk: Desk, order: Order) -> Reply | None:
    """Send the answer of the run with the code, for an admin anybody's; else of the person's last one, as `retry` does.

    It goes to the conversation it belongs to, which is in this chat: a code from elsewhere names nothing.
    """
    run = await _run(desk, order)
    if run is None:
        return _none(order)
    if not order.by.may_act_for(run.input.by):
        return told_of("not_yours", run.input.by.name, by_command=True)
    resent = await desk.runtime.resend(order.key, order.to, run.id)
    return None if resent is None else _SAID.get(resent) or _none(order)


async def _run(desk: Desk, order: Order) -> RunView | None:
    if not order.rest:
        return await last_ended(desk, order)
    run = await desk.runtime.conversations.by_code(order.rest)
    return run if run is not None and same_chat(order, run) else None


def _none(order: Order) -> Reply:
    if not order.rest:
        return Reply("reply.nothing_answered", tone="warning")
    return Reply("reply.no_such_code", {"code": order.rest[:20]}, tone="warning")
