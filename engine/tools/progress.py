"""The tool that shows on the card how far the work is: named steps, each with its state, and a bar over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast, get_args

from engine.errors import ToolRetry
from engine.events import EventType
from engine.messages import Value
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.cut import clean, cut

MOST_STEPS = 30
TITLE_CHARS = 120
StepStatus = Literal["pending", "in_progress", "success", "fail"]
_STATES = get_args(StepStatus)
_PERCENT: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 100}


class Step(Value):
    """One step. `percent`, 0 to 100, says how far one is that is in work."""

    title: str
    status: StepStatus = "pending"
    percent: int | None = None


class Steps(Value):
    """All steps of a run in their order, as they stand; `name` is that of the list they came from."""

    name: str = ""
    items: tuple[Step, ...] = ()

    @property
    def percent(self) -> int:
        """Give how far all of it is, 0 to 100: 100 only when every step ended well."""
        if not self.items:
            return 0
        done = sum(100 if each.status == "success" else _part(each) for each in self.items)
        return done // len(self.items)

    def content(self) -> dict[str, Any]:
        """Give it as a `todos` event tells it."""
        items = [
            {"id": str(place), "title": each.title, "status": each.status}
            | ({"percent": each.percent} if each.status == "in_progress" and each.percent is not None else {})
            for place, each in enumerate(self.items, 1)
        ]
        return {"items": items, "percent": self.percent, "name": self.name}


class Progress:
    """Moves the bar. `lists` are the step lists of the settings, by name."""

    name = "progress"
    effect: Effect = "none"
    asks = False
    is_foreign = False
    event_type: EventType = "todos"

    def __init__(self, lists: Mapping[str, Sequence[str]] | None = None) -> None:
        self._lists = {name: tuple(titles) for name, titles in (lists or {}).items()}
        self.description = (
            "Show the person on the card how far a longer task is. Begin with all steps (or the name of a list), then "
            "tell each change of one step. It does no work by itself; one call beside the work's own calls is enough."
        )
        if self._lists:
            self.description += f" Lists: {', '.join(sorted(self._lists))}."
        self.parameters = self._schema()

    def _schema(self) -> dict[str, Any]:
        status = {"type": "string", "enum": list(_STATES)}
        step = {
            "type": "object",
            "properties": {"title": {"type": "string"}, "status": status, "percent": _PERCENT},
            "required": ["title"],
            "additionalProperties": False,
        }
        properties: dict[str, Any] = {
            "steps": {"type": "array", "items": step, "description": f"All steps, at most {MOST_STEPS}; begins anew."},
            "step": {"type": "string", "description": "The one step that changed: its title, or its number from 1."},
            "status": {**status, "description": "The state of that step."},
            "percent": {**_PERCENT, "description": "How far that step is."},
        }
        if self._lists:
            properties["list"] = {
                "type": "string",
                "enum": sorted(self._lists),
                "description": "Begin with the steps of this list.",
            }
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`: nothing."""
        return Touches()

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Give the steps as they stand after this call.

        Raises:
            ToolRetry: it names a step that is not there, or too many.
        """
        steps = Steps.model_validate(context.kept.get("steps") or {})
        if "list" in args:
            name = str(args["list"])
            steps = Steps(name=name, items=tuple(Step(title=title) for title in self._lists[name]))
        if "steps" in args:
            steps = Steps(items=_read(cast("list[dict[str, Any]]", args["steps"])))
        if "step" in args:
            steps = _moved(steps, str(args["step"]), args)
        elif "status" in args or "percent" in args:
            raise ToolRetry("say which step it is about: step")
        if not steps.items:
            raise ToolRetry("there are no steps yet; give all of them first: steps" + (" or list" * bool(self._lists)))
        done = sum(each.status == "success" for each in steps.items)
        summary = f"{done} of {len(steps.items)} steps, {steps.percent} %"
        return ToolResult(
            success=True, summary=summary, text=f"shown: {summary}", parsed={"steps": steps.model_dump(mode="json")}
        )


def _part(step: Step) -> int:
    return min(99, step.percent or 0) if step.status == "in_progress" else 0


def _read(given: Iterable[dict[str, Any]]) -> tuple[Step, ...]:
    steps = tuple(
        Step(title=_title(str(each["title"])), status=each.get("status", "pending"), percent=each.get("percent"))
        for each in given
    )
    if not 1 <= len(steps) <= MOST_STEPS:
        raise ToolRetry(f"steps: 1 to {MOST_STEPS}, there are {len(steps)}")
    titles = [each.title.casefold() for each in steps]
    if not all(titles) or len(set(titles)) != len(titles):
        raise ToolRetry("steps: each needs a title of its own")
    return steps


def _title(text: str) -> str:
    return cut(" ".join(clean(text).split()), TITLE_CHARS)


def _moved(steps: Steps, named: str, args: dict[str, Any]) -> Steps:
    """Give the steps after a change of one."""
    place = _place_of(steps, named)
    before = steps.items[place]
    percent = args.get("percent", before.percent)
    usual = before.status if before.status != "pending" or "percent" not in args else "in_progress"
    moved = Step(title=before.title, status=args.get("status", usual), percent=percent)
    return steps.model_copy(update={"items": (*steps.items[:place], moved, *steps.items[place + 1 :])})


def _place_of(steps: Steps, named: str) -> int:
    wanted = _title(named).casefold()
    for place, each in enumerate(steps.items):
        if each.title.casefold() == wanted:
            return place
    if wanted.isdecimal() and 1 <= int(wanted) <= len(steps.items):
        return int(wanted) - 1
    titles = ", ".join(repr(each.title) for each in steps.items)
    raise ToolRetry(f"there is no step {named!r}; there are: {titles or 'none'}")
