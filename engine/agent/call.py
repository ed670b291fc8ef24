"""One tool call: its context, its time limit, its stop, and its output kept within bounds."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from engine.agent.context import Equipment
from engine.agent.progress import Progress
from engine.agent.recovery import RECOVERIES
from engine.agent.state import Pass, Reviewed
from engine.agent.stopping import unless_first, unless_stopped
from engine.errors import ServiceUnavailable, ToolFailed, ToolRetry
from engine.events import RunEvent
from engine.tools.base import ToolContext, ToolResult
from engine.tools.output import bound_output
from engine.tools.redaction import redact

log = logging.getLogger(__name__)


async def run_tool(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> ToolResult:
    """Run the call; every ordinary failure, a timeout and a stop are results."""
    progress = _progress(work, path, item)
    context = _context(work, path, item, progress, equipment)
    job = _limited(item, context, progress, equipment)
    if item.tool.effect == "once":
        result = await job  # never cut off by a stop: its effect would be unknown
    else:
        result = await unless_stopped(work.scope, job)
    if result is None:
        return ToolResult(success=False, summary="stopped", text="The person stopped this call.", error="stopped")
    return await asyncio.to_thread(
        bound_output,
        result if result.success else _without_secrets(result),
        limit=equipment.settings.agent.max_tool_output_chars,
        context=context,
        name=f"{work.scope.id}-{path.replace('/', '-')}",
    )


async def _limited(item: Reviewed, context: ToolContext, progress: Progress, equipment: Equipment) -> ToolResult:
    limit_s = equipment.settings.agent.tool_timeout_s
    try:
        call = _guarded(item, context, equipment)
        return await unless_first(equipment.clock.sleep(limit_s), call) or _timed_out(item, limit_s)
    finally:
        progress.end()


async def _guarded(item: Reviewed, context: ToolContext, equipment: Equipment) -> ToolResult:
    try:
        result = await item.tool.run(item.args, context)
        return await equipment.outbox.keep(result, context) if equipment.outbox is not None else result
    except ToolRetry as error:
        return _failed(str(error), "tool_args_invalid", advice=RECOVERIES["tool_args_invalid"].advice)
    except ServiceUnavailable as error:
        return _failed(str(error), "service_unavailable", advice=RECOVERIES["service_unavailable"].advice)
    except ToolFailed as error:
        return _failed(str(error), "tool_failed")
    except Exception as error:
        log.exception("tool broke", extra={"run": context.run, "tool": item.tool.name})
        return _failed(f"the tool {item.tool.name} broke ({type(error).__name__})", "tool_failed")


def _progress(work: Pass, path: str, item: Reviewed) -> Progress:
    def show(body: str) -> None:
        content: dict[str, Any] = {"call": item.call.id, "name": item.call.name, "body": body}
        work.scope.show(
            RunEvent(run=work.scope.id, type=item.tool.event_type, content=content, status="in_progress", segment=path)
        )

    return Progress(show)


def _context(work: Pass, path: str, item: Reviewed, progress: Progress, equipment: Equipment) -> ToolContext:
    return ToolContext(
        run=work.scope.id,
        by=work.scope.input.by,
        workspace=work.workspace,
        key=f"{work.scope.id}:{path}",
        progress=progress.tell,
        private=work.private,
        quota=equipment.quota,
        kept=work.kept.get(item.tool.name, {}),
        stopped=work.scope.stopped,
    )


def _without_secrets(result: ToolResult) -> ToolResult:
    """Failures quote addresses and commands, keys included; they are told to the model, the card and the journal."""
    hidden = {name: redact(getattr(result, name)) for name in ("summary", "text", "body")}
    return result.model_copy(update=hidden)


def _failed(reason: str, code: str, *, advice: str = "") -> ToolResult:
    text = f"{reason.rstrip('.')}. {advice}" if advice else reason
    return ToolResult(success=False, summary=reason, text=text, body=reason, error=code)


def _timed_out(item: Reviewed, limit_s: float) -> ToolResult:
    effect = "; it may or may not have had its effect" if item.tool.effect == "once" else ""
    reason = f"{item.tool.name} gave nothing within {limit_s:g} s{effect}"
    return _failed(reason, "tool_timeout", advice=RECOVERIES["tool_timeout"].advice)
