"""What a member reads: the plain text of messages, mrkdwn, markdown, blocks and streams."""

from __future__ import annotations

import re
from typing import Any, cast

from channels.simulators.jsons import Json, as_object, as_objects
from channels.simulators.slack.stream_state import Stream

_TOKEN = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_KNOWN_TOKEN = re.compile(r"<(?:[@#!][^<>\s]+|(?:https?|mailto):[^<>\s|]+(?:\|[^<>]*)?)>")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def read_message(text: str, blocks: list[Json], stream: Stream | None, names: dict[str, str]) -> str:
    """Give what a message shows; `names` are the names of user ids. Blocks hide the text."""
    if stream is not None:
        return name_ids(read_stream(stream), names)
    shown = read_blocks(blocks)
    return name_ids(shown, names) if shown else plain(text, names)


def plain(mrkdwn: str, names: dict[str, str]) -> str:
    """Give text as it reads: mentions by name, links by label, entities as characters."""

    def token(found: re.Match[str]) -> str:
        sign, target, label = found.groups()
        if sign == "@":
            return f"@{names.get(target, label or target)}"
        if sign == "#":
            return f"#{label or names.get(target, target)}"
        if sign == "!":
            return f"@{label or target.partition('^')[0]}"
        return label or target

    return _unescape(_TOKEN.sub(token, mrkdwn))


def name_ids(text: str, names: dict[str, str]) -> str:
    """Exchange `<@U..>` in text that is otherwise read already."""
    return re.sub(r"<@(\w+)>", lambda found: f"@{names.get(found[1], found[1])}", text)


def outside_code(text: str) -> str:
    """Give text without its code spans and fences."""
    return "".join(part for at, part in enumerate(_CODE.split(text)) if at % 2 == 0)


def read_markdown(text: str) -> str:
    """Give markdown as it reads where the platform's own signs are meant; code stays as it is.

    Mentions of people stay as tokens for `name_ids`; marks such as `**` stay too.
    """
    parts = _CODE.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = _unescape(_KNOWN_TOKEN.sub(lambda found: _read_token(found[0]), parts[at]))
    return "".join(parts)


def read_stream(stream: Stream) -> str:
    """Give what a stream shows so far, from top to bottom."""
    lines = [stream.plan_title]
    if stream.display_mode == "plan":
        lines += [_task(task) for task in stream.tasks.values()]
    for part in stream.parts:
        if part["type"] == "markdown_text":
            lines.append(read_markdown(str(part["text"])))
        elif part["type"] == "blocks":
            lines.append(read_blocks(part["blocks"]))
        elif stream.display_mode == "timeline":
            lines.append(_task(stream.tasks[str(part["id"])]))
    lines.append(read_blocks(stream.final_blocks))
    return "\n".join(line for line in lines if line)


def read_blocks(blocks: list[Json]) -> str:
    """Give the text of blocks, one a line."""
    return "\n".join(line for block in blocks for line in _read_block(block) if line)


def _read_block(block: Json) -> list[str]:
    kind = block.get("type")
    if kind == "divider":
        return ["---"]
    if kind == "markdown":
        return [read_markdown(str(block.get("text", "")))]
    if kind == "image":
        return [f"[image {block.get('alt_text', '')}]"]
    if kind == "table":
        return [" | ".join(_cell(cell) for cell in as_objects(row)) for row in _rows(block)]
    if kind == "rich_text":
        return [_rich(block)]
    if kind == "task_card":
        return [_task_card(block)]
    return _read_parts(block)


def _read_parts(block: Json) -> list[str]:
    lines = [_text(block.get(name)) for name in ("title", "subtitle", "text", "body")]
    lines += [_text(each) for each in as_objects(block.get("fields"))]
    accessory = as_object(block.get("accessory"))
    for element in [*as_objects(block.get("elements")), *([accessory] if accessory else [])]:
        lines += _read_element(element)
    for element in as_objects(block.get("actions")):
        lines += _read_element(element)
    for name in ("tasks", "child_blocks"):
        lines += [line for child in as_objects(block.get(name)) for line in _read_block(child)]
    return lines


def _read_element(element: Json) -> list[str]:
    kind = element.get("type")
    if kind in ("mrkdwn", "plain_text"):
        return [_text(element)]
    if kind == "feedback_buttons":
        sides = (as_object(element.get(name)) or {} for name in ("positive_button", "negative_button"))
        return [f"[{_text(side.get('text'))}]" for side in sides]
    if kind in ("card", "image"):
        return _read_block(element)
    label = _text(element.get("text")) or _text(element.get("placeholder")) or str(kind)
    return [f"[{label}]"]


def _task(task: Json) -> str:
    parts = [f"[{task['status']}] {task['title']}", str(task["details"]), str(task["output"])]
    parts += [str(source.get("text")) for source in as_objects(task.get("sources"))]
    return "\n".join(part for part in parts if part)


def _task_card(block: Json) -> str:
    details, output = as_object(block.get("details")), as_object(block.get("output"))
    parts = [f"[{block.get('status', 'pending')}] {block.get('title', '')}"]
    parts += [_rich(part) for part in (details, output) if part is not None]
    return "\n".join(parts)


def _rows(block: Json) -> list[object]:
    rows = block.get("rows")
    return cast("list[Any]", rows) if isinstance(rows, list) else []


def _cell(cell: Json) -> str:
    return _rich(cell) if cell.get("type") == "rich_text" else str(cell.get("text", ""))


def _rich(block: Json) -> str:
    lines = ["".join(_rich_part(part) for part in as_objects(each.get("elements"))) for each in _sections(block)]
    return "\n".join(lines)


def _sections(block: Json) -> list[Json]:
    sections: list[Json] = []
    for element in as_objects(block.get("elements")):
        sections += as_objects(element.get("elements")) if element.get("type") == "rich_text_list" else [element]
    return sections


def _rich_part(part: Json) -> str:
    if part.get("type") == "user":
        return f"<@{part.get('user_id')}>"
    if part.get("type") == "emoji":
        return f":{part.get('name')}:"
    return str(part.get("text") or part.get("url") or "")


def _text(value: object) -> str:
    """Give a text object as it reads; mrkdwn is unescaped, mentions stay for `name_ids`."""
    found = as_object(value)
    if found is None:
        return value if isinstance(value, str) else ""
    text = str(found.get("text", ""))
    return _read_mrkdwn(text) if found.get("type") == "mrkdwn" else text


def _read_mrkdwn(text: str) -> str:
    return _unescape(_TOKEN.sub(lambda found: _read_token(found[0]), text))


def _read_token(token: str) -> str:
    found = _TOKEN.match(token)
    if found is None:
        return token
    sign, target, label = found.groups()
    if sign == "@":
        return f"<@{target}>"
    return f"@{label or target.partition('^')[0]}" if sign == "!" else f"{sign}{label or target}"


def _unescape(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text
