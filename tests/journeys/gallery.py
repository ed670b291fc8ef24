"""Cards that are hard to show: full, long, deep, and cut where characters are long."""

from __future__ import annotations

from channels.cards.model import (
    Action,
    Card,
    CardStatus,
    Footer,
    Header,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    TodoItem,
    Todos,
    ToolPanel,
    WorkStatus,
)

RUN = "01k0000000000000000000run1"
STATES: tuple[WorkStatus, ...] = ("success", "success", "in_progress", "pending", "fail")
FAMILY = "👨‍👩‍👧‍👦"
"""One character for a reader, seven code points, 25 bytes."""


def lanes() -> Card:
    """Three lanes of twenty to-dos each, as a team shows them."""
    return _card("Prepare the release", *(_lane(name) for name in ("Research", "Build", "Check")))


def _lane(name: str) -> Lane:
    items = tuple(TodoItem(f"{name}{n}", f"{name} item {n:02d}", STATES[n % len(STATES)]) for n in range(20))
    return Lane(
        name,
        f"{name} team",
        "in_progress",
        (Todos(f"{name}-todos", items), Text(f"{name}-text", f"{name} says hello.")),
    )


def thinking() -> Card:
    """A long thought, folded, over a short answer."""
    thought = " ".join(f"Step {n} follows from the one before." for n in range(600))
    return _card("Why?", Thinking("think", thought), Text("answer", "Because of **one** thing."))


def tools() -> Card:
    """Ten tool panels in all states."""
    panels = (_panel(n) for n in range(10))
    return _card("Look at everything", *panels, Text("answer", "All ten were tried."))


def _panel(n: int) -> ToolPanel:
    body = "\n".join(f"line {line} of tool {n}: {'=' * 70}" for line in range(40))
    return ToolPanel(f"tool{n}", "bash", f"Tool number {n}", STATES[n % len(STATES)], body, "terminal")


def long_answer() -> Card:
    """Forty kilobytes, numbered so that nothing can be missing unseen."""
    return _card("Tell me all", Text("answer", long_text()))


def long_text() -> str:
    """Give about 40 KB in paragraphs that each begin with a number."""
    paragraphs = [f"Paragraph {n:03d}. " + "Words that fill a line and then another one. " * 5 for n in range(170)]
    return "\n\n".join(paragraph.strip() for paragraph in paragraphs)


def tables() -> Card:
    """More tables than a card allows, in the text and as blocks, one of them wide and one long."""
    grown = "\n\n".join(f"Table {n}\n\n| name | value |\n|---|---|\n| a{n} | 1 |\n| b{n} | 2 |" for n in range(7))
    wide = Table("wide", tuple(f"column {n}" for n in range(12)), (tuple(f"cell {n}" for n in range(12)),))
    long = Table("long", ("row", "what"), tuple((f"r{n}", f"row number {n}") for n in range(120)))
    return _card("Figures", Text("answer", grown), wide, long)


def chinese(shift: int) -> Card:
    """Chinese and emoji over every cut, moved by `shift` characters."""
    return _card("中文与表情", Text("answer", chinese_text(shift)))


def chinese_text(shift: int) -> str:
    """Give about 30 KB without a space, so that cuts must fall between characters."""
    return "a" * shift + "".join(f"第{n}句话说明了一切{FAMILY}🇨🇳𠮷。" for n in range(450))


def odd() -> Card:
    """Words that are markup elsewhere, a note of each tone, a table with bars, code in code."""
    text = "Use List<String> when a < b && c > d; the tag <config> is literal, _so_ is snake_case_name.\n\n"
    text += "````markdown\n```python\nprint('<b>')\n```\n````\n\n> quoted *words*\n\n1. one\n   - deeper\n2. two"
    notes = (Note(f"n{tone}", f"A note, {tone}.", tone) for tone in ("info", "success", "warning", "error"))
    table = Table("t", ("a | b", "c"), (("1 | 2", "<x>"), ("**no bold**", "`no code`")))
    return _card("Odd words & <signs>", Text("answer", text), *notes, table)


def _card(title: str, *blocks: object) -> Card:
    actions = tuple(Action(name, name.title(), RUN, name) for name in ("retry", "satisfied", "revise", "abandon"))
    return Card(
        Header(title, CardStatus.DONE, "Done"),
        blocks,  # pyright: ignore[reportArgumentType]
        actions,
        Footer(text="demo/offline · 12.3 s · 1,234 tokens"),
        summary=title,
        labels={"thinking": "Thinking", "continued": "continued"},
    )


GALLERY = {
    "lanes": lanes,
    "thinking": thinking,
    "tools": tools,
    "long": long_answer,
    "tables": tables,
    "chinese": lambda: chinese(0),
    "odd": odd,
}
