"""Where in a text a model wrote JSON: the outermost bracketed parts, and the marked calls of older formats.

Nothing here understands what it finds. One pass over the text, however hostile it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_SPANS = 64
"""So many bracketed parts are looked at; a text with more is no answer to what was asked."""
_CLOSES = {"{": "}", "[": "]"}
_ENDS_MISSING = frozenset({"{", "{[", "{[{", "[", "[{"})
"""What may be open at the end of a plan whose calls are all there."""
_BEFORE_STRING = frozenset("{[,:")
_AFTER_STRING = frozenset(",:}]")
_OPENING = re.compile(r"""\{(?=\s*(?:["'{}]|[A-Za-z_]\w*\s*:))|\[(?=\s*[\[\]{"'\d-])""")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_MATERIAL = re.compile(r"<tool_result\b.*?(?:</tool_result>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(r"\[TOOL_CALL\](.*?)(?:\[/TOOL_CALL\]|(?=\[TOOL_CALL\])|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A bracketed part. `open` are the brackets that were never closed, outermost first; `in_string` at its end."""

    text: str
    open: str = ""
    in_string: bool = False

    @property
    def closed(self) -> str | None:
        """Give it with what only its end lacks; `None` when it breaks off inside of something: half a call is none."""
        if not self.open:
            return self.text
        rest = self.text.rstrip().rstrip(",").rstrip()
        if self.in_string or self.open not in _ENDS_MISSING or not rest.endswith(("}", "]")):
            return None
        return rest + "".join(_CLOSES[each] for each in reversed(self.open))


def own_words(text: str) -> str:
    """Give the text without thoughts and without results it repeats: neither says what is to be done."""
    return _MATERIAL.sub(" ", _THOUGHT.sub(" ", text))


def marked_calls(text: str) -> tuple[list[str], str]:
    """Give the contents of `[TOOL_CALL]` blocks, and the text without them."""
    return [match[1].strip() for match in _MARKED.finditer(text)], _MARKED.sub(" ", text)


def spans(text: str) -> list[Span]:
    """Give the outermost bracketed parts, at most `MAX_SPANS`."""
    found: list[Span] = []
    at = 0
    while len(found) < MAX_SPANS:
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        span = _span(text, opening.start())
        found.append(span)
        at = opening.start() + len(span.text)
    return found


def _span(text: str, start: int) -> Span:
    stack: list[str] = []
    before, at = "", start
    while at < len(text):
        char = text[at]
        if char == '"' or (char == "'" and before in _BEFORE_STRING):
            at = _end_of_string(text, at)
            if at < 0:
                return Span(text[start:], "".join(stack), in_string=True)
        elif char in _CLOSES:
            stack.append(char)
        elif char == _CLOSES[stack[-1]]:
            # A bracket of the other kind closes nothing: a slip that mending may put right.
            stack.pop()
        if not stack:
            return Span(text[start : at + 1])
        before = before if char.isspace() else char
        at += 1
    return Span(text[start:], "".join(stack))


def _end_of_string(text: str, at: int) -> int:
    """Give the place of the quote that ends the string that begins at `at`; -1 when it does not end."""
    quote = text[at]
    at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == quote and _closes(text, at, quote):
            return at
        at += 1
    return -1


def _closes(text: str, at: int, quote: str) -> bool:
    """Tell whether this quote ends its string: an apostrophe inside of a single-quoted one does not."""
    if quote == '"':
        return True
    rest = at + 1
    while rest < len(text) and text[rest].isspace():
        rest += 1
    return rest >= len(text) or text[rest] in _AFTER_STRING
