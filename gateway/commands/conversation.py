"""Commands about the conversation: begin anew, how it stands, which model answers."""

from __future__ import annotations

from difflib import get_close_matches

from engine.runtime import RunView, Standing
from gateway.commands.order import Desk, Order, Reply
from gateway.commands.queue import short
from gateway.commands.reach import open_runs

DEFAULT = "default"


async def begin_anew(desk: Desk, order: Order) -> Reply | None:
    """End the session; what was written after the command is the first question of the next one."""
    await desk.runtime.new_session(order.key, order.to, order.by, question=order.question)
    return None if order.question is not None else Reply("notice.new_session")


async def show_status(desk: Desk, order: Order) -> Reply:
    """Tell what works, for how long, which model answers, and how much is remembered."""
    standing = await desk.runtime.standing(order.to)
    runs = await open_runs(desk, order)
    model, _ = await _model(desk, standing.model)
    works = [_working(run, desk.now_ms) for run in runs if run.status == "running"]
    waiting = sum(run.status == "queued" for run in runs)
    lines = [
        Reply("reply.waiting", {"count": waiting}),
        Reply("reply.model_is", {"model": model}),
        _session(standing, desk.now_ms),
    ]
    first, *more = works or [Reply("reply.nothing_runs")]
    return Reply(first.key, first.params, [*more, *lines])


async def choose_model(desk: Desk, order: Order) -> Reply:
    """List the models, or set the one that answers in this conversation; `default` leaves it to the settings."""
    models = await desk.runtime.models()
    wanted = order.rest
    if not wanted:
        return await _list_models(desk, order)
    if wanted.casefold() == DEFAULT:
        await desk.runtime.conversations.note(order.key, order.to, order.name, {"model": None})
        return Reply("reply.model_default", {"model": models.default}, tone="success")
    by_word = {name.casefold(): name for name in models.names}
    name = by_word.get(wanted.casefold())
    if name is None:
        near = get_close_matches(wanted.casefold(), by_word, n=1)
        nearest = by_word[near[0]] if near else models.default
        return Reply("reply.model_unknown", {"model": wanted[:40], "nearest": nearest}, tone="warning")
    await desk.runtime.conversations.note(order.key, order.to, order.name, {"model": name})
    return Reply("reply.model_set", {"model": name}, tone="success")


async def _list_models(desk: Desk, order: Order) -> Reply:
    models = await desk.runtime.models()
    current, is_chosen = await _model(desk, (await desk.runtime.standing(order.to)).model)
    lines = [
        Reply("reply.model_current" if name == current else "reply.model_line", {"name": name, "model": model})
        for name, model in models.names.items()
    ]
    return Reply("reply.models" if is_chosen else "reply.models_default", then=lines)


async def _model(desk: Desk, chosen: str | None) -> tuple[str, bool]:
    """Give the model that answers, and whether it was chosen for this conversation."""
    models = await desk.runtime.models()
    return (chosen, True) if chosen in models.names and chosen is not None else (models.default, False)


def _session(standing: Standing, now_ms: int) -> Reply:
    memory = standing.memory
    if memory is None:
        return Reply("reply.session_none")
    params = {
        "name": memory.name or Reply("reply.session_unnamed"),
        "messages": memory.messages,
        "minutes": max(0, (now_ms - memory.since_ms) // 60_000),
    }
    return Reply("reply.session", params)


def _working(run: RunView, now_ms: int) -> Reply:
    seconds = max(0, (now_ms - (run.started_at_ms or run.created_at_ms)) // 1000)
    key = "reply.works" if run.input.by.name else "reply.works_unnamed"
    return Reply(key, {"words": short(run), "name": run.input.by.name, "seconds": seconds, "code": run.code})
