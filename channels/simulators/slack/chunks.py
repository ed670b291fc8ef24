"""The chunks of a streaming call: read, checked, weighed."""

from __future__ import annotations

import copy

from channels.simulators.jsons import Json, as_objects
from channels.simulators.slack.blocks import TASK_STATES, check_blocks
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call
from channels.simulators.slack.options import Options
from channels.simulators.slack.stream_state import Stream
from channels.simulators.slack.texts import check_markdown

MOST_STREAM_BLOCKS = 50


def read_chunks(call: Call, options: Options, stream: Stream, *, is_optional: bool = False) -> list[Json]:
    """Give what a call adds to a stream; `markdown_text` becomes a chunk.

    Raises:
        ApiError: `invalid_chunks`, `no_text`, `msg_too_long`, `msg_blocks_too_many`, or the open question's code for
            text and chunks together.
    """
    markdown, chunks = call.text("markdown_text"), call.args.get("chunks")
    if markdown and chunks is not None:
        raise ApiError(options.text_and_chunks_error, "markdown_text and chunks cannot be used together")
    if markdown:
        check_markdown(markdown, options)
        found: list[Json] = [{"type": "markdown_text", "text": markdown}]
    else:
        found = as_objects(chunks)
    if not found and not is_optional:
        raise ApiError("no_text")
    for chunk in found:
        _check(chunk, stream, options)
    _weigh(stream, found, options)
    return found


def _check(chunk: Json, stream: Stream, options: Options) -> None:
    kind = chunk.get("type")
    if kind == "markdown_text":
        _need_text(chunk, "text")
        check_markdown(str(chunk["text"]), options)
    elif kind == "plan_update":
        _need_text(chunk, "title")
    elif kind == "blocks":
        chunk["blocks"] = check_blocks(chunk.get("blocks"), options)
    elif kind == "task_update":
        _check_task(chunk, stream, options)
    else:
        raise ApiError("invalid_chunks", f"unsupported type: {kind}")


def _check_task(chunk: Json, stream: Stream, options: Options) -> None:
    _need_text(chunk, "id")
    if str(chunk["id"]) not in stream.tasks or "title" in chunk:
        _need_text(chunk, "title")
    if chunk.get("status") is not None and chunk["status"] not in TASK_STATES:
        raise ApiError("invalid_chunks", "invalid status")
    for name in ("title", "details", "output"):
        limit = options.task_field_limit
        if limit is not None and len(str(chunk.get(name) or "")) > limit:
            raise ApiError("invalid_chunks", f"{name} must be less than {limit + 1} characters")
    for source in as_objects(chunk.get("sources")):
        if not source.get("text") or not source.get("url"):
            raise ApiError("invalid_chunks", "a source needs text and url")


def _need_text(chunk: Json, name: str) -> None:
    if not isinstance(chunk.get(name), str) or not chunk[name]:
        raise ApiError("invalid_chunks", f"missing required field: {name}")


def _weigh(stream: Stream, chunks: list[Json], options: Options) -> None:
    """Refuse what would make the whole message too heavy; a refused call changes nothing."""
    trial = copy.deepcopy(stream)
    trial.add(copy.deepcopy(chunks), appends=options.task_text == "append")
    if trial.weight_bytes > options.stream_limit_bytes:
        raise ApiError("msg_too_long")
    if sum(len(part["blocks"]) for part in trial.parts if part["type"] == "blocks") > MOST_STREAM_BLOCKS:
        raise ApiError("msg_blocks_too_many")
