"""What makes blocks wrong: counts, lengths, ids, unknown types.

Source: docs.slack.dev reference pages of blocks and block elements, read 2026-08; the size of the whole from
bolt-js#2509.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from channels.simulators.jsons import Json, as_object, as_objects, dumps
from channels.simulators.slack.elements import check_actions
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.findings import Findings
from channels.simulators.slack.options import Options
from channels.simulators.slack.world import new_id

MOST_BLOCKS = 50
TYPES = frozenset(
    {
        "section", "divider", "image", "actions", "context", "context_actions", "input", "file", "header", "markdown",
        "video", "rich_text", "table", "task_card", "plan", "alert", "card", "carousel", "container", "auth_provider",
    }
)  # fmt: skip
TASK_STATES = ("pending", "in_progress", "complete", "error")


def check_blocks(blocks: object, options: Options) -> list[Json]:
    """Give a message's blocks, each with a block_id, once they are found right.

    Raises:
        ApiError: `invalid_blocks` with what is wrong, `invalid_blocks_format`, `msg_blocks_too_many`,
            `msg_blocks_too_long`.
    """
    if not isinstance(blocks, list) or len(as_objects(cast("object", blocks))) != len(cast("list[Any]", blocks)):
        raise ApiError("invalid_blocks_format")
    found = as_objects(cast("object", blocks))
    if len(found) > MOST_BLOCKS:
        raise ApiError("msg_blocks_too_many")
    findings = Findings()
    _check_all(found, findings)
    if findings.texts:
        raise ApiError("invalid_blocks", *findings.texts)
    if len(dumps(found)) > options.block_json_limit:
        raise ApiError("msg_blocks_too_long")
    _check_markdown(found, options)
    return [block if block.get("block_id") else {**block, "block_id": new_id("b")} for block in found]


def walk(blocks: list[Json]) -> Iterator[Json]:
    """Give all blocks, those inside others too."""
    for block in blocks:
        yield block
        for key in ("elements", "children", "child_blocks", "tasks", "cards"):
            yield from walk([each for each in as_objects(block.get(key)) if each.get("type") in TYPES])


def _check_all(blocks: list[Json], findings: Findings) -> None:
    ids = [str(block["block_id"]) for block in blocks if block.get("block_id")]
    if len(ids) != len(set(ids)):
        findings.add("block_id must be unique", "/blocks")
    if sum(block.get("type") == "table" for block in walk(blocks)) > 1:
        findings.add("only one table is allowed", "/blocks")
    for at, block in enumerate(blocks):
        _check_block(block, f"/blocks/{at}", findings)


def _check_block(block: Json, path: str, findings: Findings) -> None:
    kind = block.get("type")
    if kind not in TYPES:
        findings.add(f"unsupported type: {kind}", f"{path}/type")
        return
    findings.length(block.get("block_id"), 255, f"{path}/block_id")
    rule = RULES.get(str(kind))
    if rule is not None:
        rule(block, path, findings)


def _section(block: Json, path: str, findings: Findings) -> None:
    if block.get("text") is None and block.get("fields") is None:
        findings.add("missing required field: text", path)
    if block.get("text") is not None:
        findings.text(block["text"], 3000, f"{path}/text")
    fields = as_objects(block.get("fields"))
    findings.most(fields, 10, f"{path}/fields")
    for at, field in enumerate(fields):
        findings.text(field, 2000, f"{path}/fields/{at}")
    if (accessory := as_object(block.get("accessory"))) is not None:
        check_actions([accessory], f"{path}/accessory", findings)


def _header(block: Json, path: str, findings: Findings) -> None:
    findings.text(block.get("text"), 150, f"{path}/text", plain=True)


def _context(block: Json, path: str, findings: Findings) -> None:
    elements = as_objects(block.get("elements"))
    findings.some(elements, 10, f"{path}/elements")
    for at, element in enumerate(elements):
        if element.get("type") != "image":
            findings.text(element, 3000, f"{path}/elements/{at}")


def _actions(block: Json, path: str, findings: Findings) -> None:
    elements = as_objects(block.get("elements"))
    findings.some(elements, 25, f"{path}/elements")
    check_actions(elements, f"{path}/elements", findings)


def _context_actions(block: Json, path: str, findings: Findings) -> None:
    elements = as_objects(block.get("elements"))
    findings.some(elements, 5, f"{path}/elements")
    check_actions(elements, f"{path}/elements", findings)


def _markdown(block: Json, path: str, findings: Findings) -> None:
    if not isinstance(block.get("text"), str) or not block["text"]:
        findings.add("must provide a string", f"{path}/text")


def _table(block: Json, path: str, findings: Findings) -> None:
    rows = cast("list[Any]", block.get("rows") if isinstance(block.get("rows"), list) else [])
    findings.some(rows, 100, f"{path}/rows")
    for at, row in enumerate(rows):
        findings.some(as_objects(row), 20, f"{path}/rows/{at}")


def _task_card(block: Json, path: str, findings: Findings) -> None:
    for name in ("task_id", "title"):
        if not isinstance(block.get(name), str) or not block[name]:
            findings.add(f"missing required field: {name}", path)
    if block.get("status") is not None and block["status"] not in TASK_STATES:
        findings.add("invalid status", f"{path}/status")
    for name in ("details", "output"):
        value = as_object(block.get(name))
        if block.get(name) is not None and (value is None or value.get("type") != "rich_text"):
            findings.add("must be a rich_text block", f"{path}/{name}")


def _plan(block: Json, path: str, findings: Findings) -> None:
    if not isinstance(block.get("title"), str):
        findings.add("missing required field: title", path)
    tasks = as_objects(block.get("tasks"))
    findings.most(tasks, MOST_BLOCKS, f"{path}/tasks")
    for at, task in enumerate(tasks):
        _task_card(task, f"{path}/tasks/{at}", findings)


def _card(block: Json, path: str, findings: Findings) -> None:
    for name, limit in (("title", 150), ("subtitle", 150), ("body", 200)):
        if block.get(name) is not None:
            findings.text(block[name], limit, f"{path}/{name}")
    findings.most(as_objects(block.get("actions")), 3, f"{path}/actions")
    check_actions(as_objects(block.get("actions")), f"{path}/actions", findings)


def _carousel(block: Json, path: str, findings: Findings) -> None:
    cards = as_objects(block.get("elements"))
    findings.some(cards, 10, f"{path}/elements")
    for at, card in enumerate(cards):
        _card(card, f"{path}/elements/{at}", findings)


def _container(block: Json, path: str, findings: Findings) -> None:
    children = as_objects(block.get("child_blocks"))
    findings.some(children, 10, f"{path}/child_blocks")
    if block.get("title") is not None:
        findings.text(block["title"], 150, f"{path}/title")
    for at, child in enumerate(children):
        _check_block(child, f"{path}/child_blocks/{at}", findings)


def _image(block: Json, path: str, findings: Findings) -> None:
    if not block.get("alt_text"):
        findings.add("missing required field: alt_text", path)
    if not block.get("image_url") and not block.get("slack_file"):
        findings.add("missing required field: image_url", path)


def _only_in_modals(block: Json, path: str, findings: Findings) -> None:
    findings.add(f"{block['type']} is not supported in messages", path)


RULES: dict[str, Callable[[Json, str, Findings], None]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "context_actions": _context_actions,
    "markdown": _markdown,
    "table": _table,
    "task_card": _task_card,
    "plan": _plan,
    "card": _card,
    "carousel": _carousel,
    "container": _container,
    "image": _image,
    "alert": _only_in_modals,
}


def _check_markdown(blocks: list[Json], options: Options) -> None:
    total = sum(len(str(block.get("text"))) for block in walk(blocks) if block.get("type") == "markdown")
    if total > options.markdown_limit:
        raise ApiError("msg_too_long")
