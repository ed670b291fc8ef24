"""One tool call: its context, its time limit, its stop, and its output kept within bounds."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from engine.agent.context import Equipment
from engine.agent.progress import Progress
from engine.agent.state import Pass, Reviewed
from engine.agent.stopping import unless_first, unless_stopped
from engine.errors import ToolFailed, ToolRetry
from engine.events import RunEvent
from engine.tools.base import ToolContext, ToolResult
from engine.tools.output import bound_output

log = logging.getLogger(__name__)


async def run_tool(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> ToolResult:
    """Run the call; every ordinary failure, a timeout and a stop are results."""
    job = _limited(work, path, item, equipment)
    if item.tool.effect == "once":
        result = await job  # never cut off by a stop: its effect would be unknown
    else:
        result = await unless_stopped(work.scope, job)
    if result is None:
        return ToolResult(success=False, summary="stopped", text="The person stopped this call.", error="stopped")
    return await asyncio.to_thread(
        bound_output,
        result,
        limit=equipment.settings.agent.max_tool_output_chars,
        workspace=work.workspace,
        private=work.private,
        name=f"{work.scope.id}-{path.replace('/', '-')}",
    )


async def _limited(work: Pass, path: str, item: Reviewed, equipment: Equipment) -> ToolResult:
    limit_s = equipment.settings.agent.tool_timeout_s
    progress = _progress(work, path, item)
    try:
        call = _guarded(item, _context(work, path, progress), equipment)
        return await unless_first(equipment.clock.sleep(limit_s), call) or _timed_out(item, limit_s)
    finally:
        progress.end()


async def _guarded(item: Reviewed, context: ToolContext, equipment: Equipment) -> ToolResult:
    try:
        result = await item.tool.run(item.args, context)
        return await equipment.outbox.keep(result, context) if equipment.outbox is not None else result
    except ToolRetry as error:
        return _failed(str(error), "tool_args_invalid", advice="Mend the call and try again.")
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


def _context(work: Pass, path: str, progress: Progress) -> ToolContext:
    return ToolContext(
        run=work.scope.id,
        by=work.scope.input.by,
        workspace=work.workspace,
        key=f"{work.scope.id}:{path}",
        progress=progress.tell,
        private=work.private,
        stopped=work.scope.stopped,
    )


def _failed(reason: str, code: str, *, advice: str = "") -> ToolResult:
    text = f"{reason.rstrip('.')}. {advice}" if advice else reason
    return ToolResult(success=False, summary=reason, text=text, body=reason, error=code)


def _timed_out(item: Reviewed, limit_s: float) -> ToolResult:
    effect = "; it may or may not have had its effect" if item.tool.effect == "once" else ""
    return _failed(f"{item.tool.name} gave nothing within {limit_s:g} s{effect}", "tool_timeout")
