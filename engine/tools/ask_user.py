"""The tool that asks the person: with answers to choose from, with room for words, or both."""

from __future__ import annotations

from typing import Any, cast

from engine.errors import ToolFailed, ToolRetry
from engine.events import EventType
from engine.messages import Value
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.cut import clean, cut

MOST_OPTIONS = 6
"""As many buttons as every platform's card has room for."""
QUESTION_CHARS = 1_000
OPTION_CHARS = 60
ANSWER_CHARS = 4_000


class Question(Value):
    """What the person is asked. `takes_words`: an answer in their own words counts as well."""

    text: str
    options: tuple[str, ...] = ()
    takes_words: bool = True
    hint: str = ""
    """What stands in the empty field."""


class AskUser:
    """Gives the model the person's answer. The agent does the asking, for it may take an hour and a restart."""

    name = "ask_user"
    description = (
        "Ask the person you work for, and wait for the answer. Use it when you cannot go on without a decision or a "
        "fact that only they have; never to ask for permission, which is asked for by itself."
    )
    effect: Effect = "none"
    asks = False
    is_foreign = False
    event_type: EventType = "choice"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The question, whole and understandable by itself."},
            "options": {
                "type": "array",
                "items": {"type": "string"},
                "description": f"Answers to choose from, at most {MOST_OPTIONS}, each of a few words.",
            },
            "free_text": {
                "type": "boolean",
                "description": "Whether an answer in own words counts as well. Default: true.",
            },
            "placeholder": {"type": "string", "description": "A hint in the empty text field."},
        },
        "required": ["question"],
        "additionalProperties": False,
    }

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`: nothing."""
        return Touches()

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Refuse: who calls this has no person to ask.

        Raises:
            ToolFailed: always.
        """
        raise ToolFailed("there is nobody to ask here")


def question_of(args: dict[str, Any]) -> Question:
    """Read a question.

    Raises:
        ToolRetry: it is empty, or its answers make no sense.
    """
    text = clean(str(args["question"])).strip()
    if not text:
        raise ToolRetry("the question is empty")
    given = cast("list[object]", args.get("options") or [])
    options = tuple(" ".join(clean(str(each)).split()) for each in given)
    if len(options) > MOST_OPTIONS:
        raise ToolRetry(f"options: at most {MOST_OPTIONS}, there are {len(options)}")
    if not all(options) or len({each.casefold() for each in options}) != len(options):
        raise ToolRetry("options: each must have words of its own")
    if long := [each for each in options if len(each) > OPTION_CHARS]:
        raise ToolRetry(f"options: at most {OPTION_CHARS} characters each, {long[0][:20]!r}... has {len(long[0])}")
    takes_words = bool(args.get("free_text", True)) or not options
    hint = " ".join(clean(str(args.get("placeholder") or "")).split())
    return Question(text=cut(text, QUESTION_CHARS), options=options, takes_words=takes_words, hint=cut(hint, 100))


def chosen(options: tuple[str, ...] | list[str], words: str) -> int | None:
    """Give the place, from 0, of the answer that words name: by its number, or as it is written."""
    said = " ".join(words.split()).strip(".)。、）").casefold()
    if said.isdecimal() and 1 <= int(said) <= len(options):
        return int(said) - 1
    return next((place for place, option in enumerate(options) if option.casefold() == said), None)
