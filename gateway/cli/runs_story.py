"""A run's story as lines: when, what, how long it took, what it came to. What nobody knows is said to be unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from engine.runtime import Beat, Dossier, Tally, Totals, without_secrets
from gateway.texts import Language, text

_PARAM = {"for": "for_"}


class Words:
    """The texts of one language."""

    def __init__(self, language: str) -> None:
        self._language: Language = "zh" if language == "zh" else "en"

    def of(self, key: str, **params: object) -> str:
        """Give a text, filled in."""
        return text(self._language, key, **params)


def safe(written: str) -> str:
    """Give words of people and models without what looks like a secret."""
    return without_secrets(written)


def safe_value(value: Any) -> Any:
    """Do the same with every text in JSON data."""
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {name: safe_value(each) for name, each in cast("dict[str, Any]", value).items()}
    return [safe_value(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def story(dossier: Dossier, words: Words, *, with_text: bool) -> Iterator[str]:
    """Give a line for each thing that happened, and one below it with its words where they are asked for."""
    began_ms = dossier.run.created_at_ms
    for beat in dossier.story:
        line = f"{_clock(beat.at_ms)}  {_since(beat.at_ms - began_ms)}  {_told(beat, words)}"
        yield f"{line}  [{clean(beat.path)}]" if beat.path else line
        if with_text and beat.words:
            yield f"    {clean(beat.words)}"


def sums(totals: Totals, words: Words) -> Iterator[str]:
    """Give what the calls of each model and tool came to, and all models together where there are several."""
    several = [totals.used] if len(totals.models) > 1 else []
    for each in (*totals.models, *several):
        name = clean(each.name) if each.name else words.of("runs.story_all_models")
        params = {"tokens": _tokens_of(each, words), "cost": _cost_of(each, words)}
        yield words.of("runs.story_sum_model", name=name, **_made(each, words), **params)
    for each in totals.tools:
        yield words.of("runs.story_sum_tool", name=clean(each.name), **_made(each, words))


def _made(each: Tally, words: Words) -> dict[str, object]:
    unknown = words.of("runs.story_unknown")
    took = unknown if each.untimed == each.calls else f"{each.took_ms / 1000:.1f} s"
    more = f" + {words.of('runs.story_untimed', count=each.untimed)}" if 0 < each.untimed < each.calls else ""
    return {"calls": each.calls, "failed": each.failed, "took": took + more}


def _tokens_of(each: Tally, words: Words) -> str:
    if each.uncounted == each.calls:
        return words.of("runs.story_unknown")
    more = f" + {words.of('runs.story_uncounted', count=each.uncounted)}" if each.uncounted else ""
    return f"{each.input_tokens} + {each.output_tokens}{more}"


def _cost_of(each: Tally, words: Words) -> str:
    if each.cost is None:
        return words.of("runs.story_unknown")
    more = f" + {words.of('runs.story_unpriced', count=each.unpriced)}" if each.unpriced else ""
    return f"${each.cost:.4f}{more}"


def _told(beat: Beat, words: Words) -> str:
    special = _SPECIAL.get(beat.kind)
    if special is not None:
        return special(beat.facts, words)
    unknown = words.of("runs.story_unknown")
    facts = {_PARAM.get(name, name): unknown if value is None else _shown(value) for name, value in beat.facts.items()}
    return words.of(f"runs.story_{beat.kind}", **facts)


def _model(facts: Mapping[str, Any], words: Words) -> str:
    unknown = words.of("runs.story_unknown")
    read, wrote, cost = (facts[name] for name in ("input_tokens", "output_tokens", "cost"))
    retried = ", ".join(f"{clean(str(each['model']))}: {clean(str(each['error']))}" for each in facts["retried"])
    line = words.of(
        "runs.story_model",
        model=clean(str(facts["model"] or unknown)),
        took=_ms(facts["took_ms"], unknown),
        first=_ms(facts["first_ms"], unknown),
        tokens=unknown if read is None else f"{read} + {wrote}",
        cost=unknown if cost is None or read is None else f"${cost:.4f}",
        result=_result(facts, words),
    )
    return f"{line}; {words.of('runs.story_retried', what=retried)}" if retried else line


def _result(facts: Mapping[str, Any], words: Words) -> str:
    if facts["error"]:
        return words.of("runs.story_failed", error=clean(str(facts["error"])))
    if facts["calls"]:
        return words.of("runs.story_calls", names=clean(", ".join(map(str, facts["calls"]))))
    return words.of("runs.story_stopped" if facts["ended"] == "stopped" else "runs.story_answered")


def _tool(facts: Mapping[str, Any], words: Words) -> str:
    error = clean(str(facts["error"] or ""))
    result = words.of("runs.story_ok") if facts["status"] == "success" else words.of("runs.story_failed", error=error)
    took = _ms(facts["took_ms"], words.of("runs.story_unknown"))
    return words.of("runs.story_tool", name=clean(str(facts["name"])), took=took, result=result)


def _context(facts: Mapping[str, Any], words: Words) -> str:
    model = clean(str(facts["model"] or words.of("runs.story_default_model")))
    key = "runs.story_context_plans" if facts["is_staged"] else "runs.story_context"
    return words.of(key, session=clean(str(facts["session"])), model=model)


def _ended(facts: Mapping[str, Any], words: Words) -> str:
    took = _ms(facts["elapsed_ms"], words.of("runs.story_unknown"))
    return words.of("runs.story_ended", status=words.of(f"runs.state_{facts['status']}"), took=took)


def _delivery(facts: Mapping[str, Any], words: Words) -> str:
    kind, state = words.of(f"runs.kind_{facts['kind']}"), words.of(f"runs.delivery_{facts['state']}")
    reason = f" ({clean(str(facts['reason']))})" if facts["reason"] else ""
    return words.of("runs.story_delivery", kind=kind, state=state + reason, tries=facts["tries"])


_SPECIAL: dict[str, Callable[[Mapping[str, Any], Words], str]] = {
    "model": _model,
    "tool": _tool,
    "context": _context,
    "ended": _ended,
    "delivery": _delivery,
}


def clean(written: str) -> str:
    """Give it printable: what people wrote must not move the cursor of a terminal."""
    return "".join(char if char.isprintable() else " " for char in written)


def _shown(value: Any) -> str:
    return clean(", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)) or "-"


def _ms(value: int | None, unknown: str) -> str:
    return unknown if value is None else f"{value / 1000:.2f} s"


def _clock(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%H:%M:%S")


def _since(passed_ms: int) -> str:
    return f"+{max(0, passed_ms) / 1000:.2f} s"
