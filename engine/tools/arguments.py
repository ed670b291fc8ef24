"""From the text a model produced to arguments a tool can take."""

from __future__ import annotations

import json
import logging
from typing import Any, cast

from engine.errors import ToolRetry
from engine.models.surrogates import mended
from engine.tools.schema import problems

log = logging.getLogger(__name__)
MAX_ARGUMENT_CHARS = 200_000
"""Longer arguments are refused: no tool of ours takes them, and repairing them would be slow."""


def parse_arguments(text: str, schema: dict[str, Any], *, tool: str) -> dict[str, Any]:
    """Read a call's arguments.

    Nothing and `null` are no arguments; an object that was encoded twice is accepted; broken JSON is mended only when
    the result fits `schema`, and each mending is logged.

    Raises:
        ToolRetry: they cannot be used; the message tells the model what to mend.
    """
    if len(text) > MAX_ARGUMENT_CHARS:
        raise ToolRetry(f"the arguments of {tool} are longer than {MAX_ARGUMENT_CHARS} characters")
    value, mended = _read(text, tool)
    if not isinstance(value, dict):
        raise ToolRetry(f"the arguments of {tool} must be one JSON object, not {type(value).__name__}")
    args = cast("dict[str, Any]", value)
    wrong = problems(args, schema)
    if wrong:
        broken = " (they are not valid JSON either)" if mended else ""
        raise ToolRetry(f"the arguments of {tool} do not fit{broken}: {'; '.join(wrong[:5])}")
    if mended:
        log.warning("mended tool arguments", extra={"tool": tool, "chars": len(text)})
    return args


def _read(text: str, tool: str) -> tuple[Any, bool]:
    try:
        value = _decoded(text)
    except (ValueError, RecursionError) as error:
        return _mended(text, tool, error), True
    return value, False


def _decoded(text: str) -> Any:
    if not text.strip():
        return {}
    value = json.loads(text)
    if isinstance(value, str) and value.strip().startswith("{"):
        value = json.loads(value)
    if "\\u" in text:
        # An escape can hold half a character, which nothing can store or send.
        value = json.loads(mended(json.dumps(value, ensure_ascii=False)))
    return {} if value is None else value


def _mended(text: str, tool: str, error: Exception) -> Any:
    # A call that ends in mid-air is half a call: mending it would run something nobody asked for.
    if not (text.lstrip().startswith(("{", "```")) and text.rstrip().endswith(("}", "```"))):
        raise ToolRetry(f"the arguments of {tool} are not valid JSON: {error}") from error
    import json_repair  # rarely needed, and not free to import

    try:
        return json_repair.loads(text)
    except RecursionError:
        raise ToolRetry(f"the arguments of {tool} are nested too deeply") from error
