"""What was found, for a person and for programs; no secret in either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from channels.base import Verdict
from gateway.doctor.examination import Detail, Examined
from gateway.texts import Language, fix_for, text

Clean = Callable[[str], str]
"""Takes secrets out of a text."""

_LONGEST_CHARS = 180
_ORDER: tuple[Verdict, ...] = ("ok", "skipped", "warn", "fail")
"""The worst comes last: it stands next to the prompt."""
FOLLOWS = "needs_"
"""Beginning of the code of what was not examined because of another finding, which says enough."""
_COLOURS: dict[Verdict, str] = {"ok": "32", "skipped": "2", "warn": "33", "fail": "31;1"}


def has_failed(found: Sequence[Examined]) -> bool:
    """Tell whether anything does not work."""
    return any(each.finding.verdict == "fail" for each in found)


def as_data(found: Sequence[Examined], lang: Language, clean: Clean) -> dict[str, Any]:
    """Give all findings; other programs rely on this form, to which keys are only added."""
    return {
        "v": 1,
        "ok": not has_failed(found),
        "counts": {verdict: _counted(found)[verdict] for verdict in _ORDER},
        "findings": [_datum(each, lang, clean) for each in found],
    }


def as_lines(found: Sequence[Examined], lang: Language, clean: Clean, *, colour: bool, every: bool) -> list[str]:
    """Give the lines for a person: aligned, the worst last; with `every`, also what only programs ask for."""
    titles = {id(each): _title(each, lang) for each in found}
    marks = {verdict: text(lang, f"verdict_mark.{verdict}") for verdict in _ORDER}
    mark_width, title_width = max(map(width, marks.values())), max(map(width, titles.values()), default=0)
    indent = " " * (mark_width + 2)
    lines: list[str] = []
    shown = [each for each in found if every or not each.finding.code.startswith(FOLLOWS)]
    for each in sorted(shown, key=lambda each: _ORDER.index(each.finding.verdict)):
        verdict = each.finding.verdict
        mark = _coloured(_padded(marks[verdict], mark_width), _COLOURS[verdict] if colour else "")
        fixed = f" {text(lang, 'doctor.fixed')}" if each.fixed else ""
        evidence = _short(clean(evidence_of(each, lang)), every)
        lines.append(f"{mark}  {_padded(titles[id(each)], title_width)}  {evidence}{fixed}")
        details = [detail for detail in each.details if every or not detail.usual]
        lines += [f"{indent}    {clean(_detail(detail))}" for detail in details]
        fix = fix_of(each, lang)
        if fix and verdict != "ok":
            lines.append(f"{indent}→ {clean(fix)}")
    return [*lines, "", _summary(found, lang)]


def evidence_of(each: Examined, lang: Language) -> str:
    """Give what was seen, in words."""
    return text(lang, f"found.{each.finding.code}", **each.finding.params)


def fix_of(each: Examined, lang: Language) -> str:
    """Give what to do about it, in words; empty when there is nothing to do."""
    finding = each.finding
    return fix_for(lang, finding.advice, **finding.params).strip() if finding.advice else ""


def _short(words: str, every: bool) -> str:
    """Give one line of a text that a library may have made long; all of it stands in the data."""
    line = " ".join(words.split())
    return line if every or len(line) <= _LONGEST_CHARS else f"{line[: _LONGEST_CHARS - 1]}…"


def _datum(each: Examined, lang: Language, clean: Clean) -> dict[str, Any]:
    finding = each.finding
    return {
        "name": each.name,
        "about": each.about,
        "status": finding.verdict,
        "code": finding.code,
        "evidence": clean(evidence_of(each, lang)),
        "advice": finding.advice,
        "fix": clean(fix_of(each, lang)),
        "fixed": each.fixed,
        "elapsed_ms": each.elapsed_ms,
        "details": [
            {
                "name": detail.name,
                "value": _clean_value(detail.value, clean),
                "origin": detail.origin,
                "source": clean(detail.source),
            }
            for detail in each.details
        ],
    }


def _clean_value(value: Any, clean: Clean) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else clean(str(value))


def _title(each: Examined, lang: Language) -> str:
    title = text(lang, f"check.{each.name}", check=each.name)
    return f"{title} {each.about}" if each.about else title


def _detail(detail: Detail) -> str:
    source = Path(detail.source).name if detail.source else detail.origin
    return f"{detail.name} = {detail.value}" + (f"  ({source})" if source else "")


def _summary(found: Sequence[Examined], lang: Language) -> str:
    counts = _counted(found)
    return text(lang, "doctor.summary", **{verdict: counts[verdict] for verdict in _ORDER})


def _counted(found: Sequence[Examined]) -> Counter[Verdict]:
    return Counter(each.finding.verdict for each in found)


def width(words: str) -> int:
    """Give the columns that words take on a terminal: a Chinese character takes two."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in words)


def _padded(words: str, to: int) -> str:
    return words + " " * (to - width(words))


def _coloured(words: str, colour: str) -> str:
    return f"\x1b[{colour}m{words}\x1b[0m" if colour else words
