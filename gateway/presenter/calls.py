"""The exact call that a person is asked to allow: a command as it would be typed, a change as a diff."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from channels.cards.model import ToolPanel
from channels.cards.shorten import head
from gateway.presenter.panels import title_of
from gateway.texts import Language, text

CALL_CHARS = 12_000
"""What of a call is shown; more of it is counted, and said."""
_TYPES: Mapping[str, str] = {
    "shell_command": "bash",
    "edit_file": "edit_file",
    "write_file": "edit_file",
    "create_file": "create_file",
    "delete_file": "delete_file",
}
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u2069\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
"""Signs that cannot be seen, or that make a line read otherwise than it runs."""
BodyKind = Literal["terminal", "diff", "text"]


@dataclass(frozen=True, slots=True)
class _Shown:
    lines: tuple[str, ...]
    kind: BodyKind
    counts: str = ""


def call_panel(name: str, tool: str, args: Mapping[str, Any], language: Language) -> ToolPanel:
    """Draw a call that waits for a person, open and whole; what does not fit is counted."""
    type = _TYPES.get(tool, "tool")
    shown = _shown(tool, args, language)
    # The subject of an unknown tool stands below, whole: two readings of one call would be one too many.
    named: Mapping[str, Any] = args if type != "tool" else {}
    title = " · ".join(part for part in (title_of(tool, type, named, language), shown.counts) if part)
    body = _bounded(seen("\n".join(shown.lines)), language)
    return ToolPanel(name, type, seen(title), "pending", body, shown.kind, is_open=True)


def _shown(tool: str, args: Mapping[str, Any], language: Language) -> _Shown:
    match tool:
        case "shell_command" if isinstance(args.get("command"), str):
            rest = _listed({key: value for key, value in args.items() if key != "command"})
            return _Shown((*rest, f"$ {args['command']}"), "terminal")
        case "edit_file" if isinstance(args.get("edits"), list):
            return _diff(tuple(_edits(cast("list[Any]", args["edits"]), language)), args, "edits")
        case "write_file" | "create_file" if isinstance(args.get("content"), str):
            lines = tuple(f"+{line}" for line in _lines(str(args["content"])))
            return _diff(lines, args, "content")
        case _:
            return _Shown(tuple(_listed(args)), "text")


def _diff(lines: tuple[str, ...], args: Mapping[str, Any], told: str) -> _Shown:
    rest = _listed({key: value for key, value in args.items() if key not in (told, "file_path")})
    counts = [f"{sign}{count}" for sign in "+-" if (count := sum(line.startswith(sign) for line in lines))]
    return _Shown((*rest, *lines), "diff", " ".join(counts))


def _edits(edits: list[Any], language: Language) -> Iterator[str]:
    """Give each replacement as what goes and what comes."""
    for number, edit in enumerate(edits, 1):
        if not isinstance(edit, dict):
            yield f"?{json.dumps(edit, ensure_ascii=False)}"
            continue
        fields = cast("dict[str, Any]", edit)
        key = "panel.part_everywhere" if fields.get("replace_all") else "panel.part"
        if len(edits) > 1 or fields.get("replace_all"):
            yield text(language, key, number=number, count=len(edits))
        old, new = str(fields.get("old_text", "")), str(fields.get("new_text", ""))
        yield from _side("-", old, new, language)
        yield from _side("+", new, old, language)


def _side(sign: str, words: str, other: str, language: Language) -> Iterator[str]:
    yield from (f"{sign}{line}" for line in _lines(words))
    if words and other.endswith("\n") and not words.endswith("\n"):
        yield text(language, "panel.no_line_end")


def _lines(words: str) -> list[str]:
    return words.removesuffix("\n").split("\n") if words else []


def _listed(args: Mapping[str, Any]) -> Iterator[str]:
    """Give arguments line by line, short ones first; lines within a value are moved in, so that none looks like one."""
    for key, value in sorted(args.items(), key=lambda item: len(str(item[1])) > 200):
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"{key}: " + "\n    ".join(told.split("\n"))


def _bounded(body: str, language: Language) -> str:
    if len(body) <= CALL_CHARS:
        return body
    begun = head(body, CALL_CHARS)
    return f"{begun}\n{text(language, 'panel.call_cut', chars=len(body) - len(begun))}"


def seen(words: str) -> str:
    """Spell out what cannot be seen, for words that a person decides by."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", words)
