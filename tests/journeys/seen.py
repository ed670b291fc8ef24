"""What a person sees of an answer: one message, or several where it was too long for one."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.processes.feishu import buttons_of

Json = dict[str, Any]
_FONT = re.compile(r"</?font[^>]*>")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
ENDS = {"Done", "Stopped", "Failed", "Interrupted", "已完成", "已停止", "失败", "已中断"}


@dataclass(frozen=True)
class Seen:
    """The messages that answer one question, in reading order, as they are now."""

    messages: Sequence[Json]

    @property
    def last(self) -> Json:
        """Give the message that has the buttons."""
        return self.messages[-1]

    @property
    def text(self) -> str:
        """Give everything a person reads, headers and buttons included."""
        return "\n".join(str(each["text"]) for each in self.messages)

    @property
    def body(self) -> str:
        """Give the contents alone: no header, no buttons, no footer."""
        return "\n".join(text for each in self.messages for text in _contents(_elements(each["card"])))

    @property
    def parts(self) -> list[str]:
        """Give the contents element by element."""
        return [text for each in self.messages for text in _contents(_elements(each["card"]))]

    @property
    def status(self) -> str:
        """Give the word under the title."""
        return str(self.last["card"]["header"].get("subtitle", {}).get("content", "")) if self.last["card"] else ""

    @property
    def title(self) -> str:
        """Give the title of the first card."""
        return str(self.messages[0]["card"]["header"]["title"]["content"])

    @property
    def buttons(self) -> list[str]:
        """Give what the buttons do, in reading order."""
        return [str(value.get("do")) for each in self.messages for value in buttons_of(each["card"])]

    def button(self, action: str) -> Json:
        """Give what the first button that does `action` carries."""
        return next(value for each in self.messages for value in buttons_of(each["card"]) if value["do"] == action)

    @property
    def looks_active(self) -> bool:
        """Tell whether anything still types, spins or can be stopped."""
        typing = any(each["card_state"] and each["card_state"]["streaming"] for each in self.messages)
        return typing or "stop" in self.buttons or self.status not in ENDS

    @property
    def card_ids(self) -> list[str]:
        """Give the platform's ids of the cards."""
        return [each["card_state"]["card_id"] for each in self.messages if each["card_state"]]

    @property
    def run(self) -> str:
        """Give the run the buttons speak of."""
        return next((str(value["run"]) for value in buttons_of(self.last["card"]) if value.get("run")), "")


def _elements(card: Json | None) -> list[Json]:
    elements = ((card or {}).get("body") or {}).get("elements") or []
    return [each for each in elements if each.get("element_id") not in ("actions", "footer")]


def read(markdown: str) -> str:
    """Give markdown as the platform's readers see its letters: entities decoded (not in code), colour tags gone."""
    parts = _CODE.split(markdown)
    return "".join(part if _CODE.fullmatch(part) else html.unescape(_FONT.sub("", part)) for part in parts)


def _contents(elements: list[Json]) -> list[str]:
    texts: list[str] = []
    for element in elements:
        texts += [read(str(element["content"]))] if "content" in element else []
        header = (element.get("header") or {}).get("title") or {}
        texts += [read(str(header["content"]))] if header.get("content") else []
        for key in ("elements", "columns"):
            texts += _contents(element.get(key) or [])
        if element.get("tag") == "table":
            texts += _table(element)
    return texts


def _table(element: Json) -> list[str]:
    rows = [[str(row.get(column["name"], "")) for column in element["columns"]] for row in element["rows"]]
    names = [str(column.get("display_name") or column["name"]) for column in element["columns"]]
    return [" | ".join(row) for row in (names, *rows)]
