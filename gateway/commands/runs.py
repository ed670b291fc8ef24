"""Commands that speak to one run: they do what its buttons do, named by a code or by where the person is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.pressed import Press, PressAction
from engine.runtime import RunView
from gateway.commands.order import Desk, Order, Reply
from gateway.commands.pressed import told_of
from gateway.commands.reach import elsewhere, last_ended, same_chat


async def stop(desk: Desk, order: Order) -> Reply:
    """Stop the run with the code, else the person's own that works (or waits); an admin's stops anybody's.

    Where nobody asked anything it is their newest one in the chat (see `reach`).
    """
    if order.rest:
        return await _by_code(desk, order, "stop")
    mine, others = await _open(desk, order)
    run = next(iter([*mine, *others] or await elsewhere(desk, order)), None)
    return await _tell(desk, order, "stop", run) if run is not None else Reply("reply.nothing_runs", tone="warning")


async def retry(desk: Desk, order: Order) -> Reply:
    """Try the run with the code again, else the person's last one that has ended, found as `stop` finds one."""
    if order.rest:
        return await _by_code(desk, order, "retry")
    run = await last_ended(desk, order)
    return await _tell(desk, order, "retry", run) if run is not None else Reply("reply.nothing_ended", tone="warning")


LASTING = "(conversation|always|本会话|始终)"
_DOES: Mapping[str, PressAction] = {
    "conversation": "approve_conversation",
    "本会话": "approve_conversation",
    "always": "approve_always",
    "始终": "approve_always",
}
_ANSWERS = frozenset({"approve", "deny", *_DOES.values()})


async def approve(desk: Desk, order: Order) -> Reply:
    """Answer the open question with yes: for this call, for the conversation, or always."""
    *code, last = order.rest.split() or [""]
    do = _DOES.get(last)
    if do is None:
        return await _answer(desk, order, "approve")
    return await _answer(desk, replace(order, rest=" ".join(code)), do)


async def deny(desk: Desk, order: Order) -> Reply:
    """Answer the open question with no."""
    return await _answer(desk, order, "deny")


async def _answer(desk: Desk, order: Order, do: PressAction) -> Reply:
    if order.rest:
        return await _by_code(desk, order, do)
    here = await desk.runtime.conversations.open_in(order.to, order.by.id)
    open_runs = here or await elsewhere(desk, order)
    asked = [question for run in open_runs if (question := await desk.runtime.conversations.question(run)) is not None]
    mine = next((each for each in asked if each.person == order.by.id), None)
    if mine is not None:
        return await _tell(desk, order, do, mine.run, mine.nonce)
    if asked:
        return told_of("not_yours", asked[0].run.input.by.name, by_command=True)
    return Reply("reply.nothing_asked", tone="warning")


async def _by_code(desk: Desk, order: Order, do: PressAction) -> Reply:
    """Do it to the run with the code, in whatever thread of this chat it is: a code from elsewhere names nothing."""
    run = await desk.runtime.conversations.by_code(order.rest)
    if run is None or not same_chat(order, run):
        return Reply("reply.no_such_code", {"code": order.rest[:20]}, tone="warning")
    if do not in _ANSWERS:
        return await _tell(desk, order, do, run)
    question = await desk.runtime.conversations.question(run)
    if question is None:
        return Reply("reply.nothing_asked", tone="warning")
    return await _tell(desk, order, do, run, question.nonce)


async def _tell(desk: Desk, order: Order, do: PressAction, run: RunView, nonce: str = "") -> Reply:
    """Do what the button does; the engine binds answers to one person, all else is the asker's or an admin's."""
    may = do in _ANSWERS or order.by.may_act_for(run.input.by)
    press = Press(
        run=run.id,
        do=do,
        by=order.by,
        nonce=nonce,
        sent_at_ms=order.sent_at_ms,
        refused=None if may else "not_yours",
    )
    pressed = await desk.runtime.press(order.key, order.to, press)
    name = run.input.by.name if pressed.code == "not_yours" else pressed.name
    return told_of(pressed.code, name, by_command=True)


async def _open(desk: Desk, order: Order) -> tuple[Sequence[RunView], Sequence[RunView]]:
    """Give the open runs of this person and those of others: what works first, then what waits."""
    open_runs = await desk.runtime.conversations.open_in(order.to, order.by.id)
    open_runs.sort(key=lambda run: run.status != "running")
    mine = [run for run in open_runs if run.input.by.id == order.by.id]
    return mine, [run for run in open_runs if run not in mine]
