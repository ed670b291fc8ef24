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


def work() -> Card:
    """A plan, each kind of panel, a lane that is done and one that goes on."""
    items = (TodoItem("1", "Look", "success"), TodoItem("2", "Mend (The tool failed)", "fail"), TodoItem("3", "Tell"))
    diff = "@@ -1,2 +1,2 @@\n def total(orders):\n-    return 1\n+    return 2"
    panels = (
        ToolPanel("read", "read_file", "Read src/orders.py · lines 10-29", "success", "def total(orders):"),
        ToolPanel("edit", "edit_file", "Edit src/orders.py · +1 -1", "success", diff, "diff"),
        ToolPanel("create", "create_file", "Create tests/new.py · +1", "success", "@@ -0,0 +1,1 @@\n+x", "diff"),
        ToolPanel("delete", "delete_file", "Delete old.py · -1", "success", "@@ -1,1 +0,0 @@\n-x", "diff"),
        ToolPanel("bash", "bash", "Command pytest · exit code 0", "success", "$ pytest\n2 passed", "terminal"),
        ToolPanel("fail", "bash", "Command false · exit code 1", "fail", "$ false", "terminal"),
        ToolPanel("search", "search", "Search totals · results: 1", "success", "1. A page\n   https://example.com/q"),
        ToolPanel("out", "outputs", "Output files: 2", "success", "report.md\ndata.csv"),
    )
    done = Lane("done", "Research the market", "success", (Text("done-text", "Three sources."),))
    goes_on = Lane("on", "Write the code", "in_progress", (ToolPanel("make", "bash", "Command make", "in_progress"),))
    return _card("Mend the totals", Todos("plan", items, "Plan: 1 of 3 done"), *panels, done, goes_on)


def asked() -> Card:
    """A question for approval with a call that is longer than a card."""
    call = "\n".join(f"+line {n:03d} of what is written: {'=' * 60}" for n in range(120))
    panel = ToolPanel("call", "edit_file", "Write report.md · +120", "pending", call, "diff", is_open=True)
    return _card("Write it down", Note("ask", "May I run write_file?", "warning"), panel)


def hostile() -> Card:
    """Everything that would ring, lead elsewhere or pretend to be ours, wherever words can stand."""
    text = "\n\n".join(
        (
            '<!channel> <!here> <@U0LIN> <#C0TEAM> <at id=all></at> <at user_id="all">all</at> @all',
            "[https://bank.example](https://evil.example/x) [www.bank.example/login](<https://evil.example>)",
            "[bank.example](https://bank.example@evil.example/) <https://evil.example|https://bank.example>",
            "[run](javascript:alert(1)) [page](data:text/html,x) [go](dtmd://dingtalkclient/sendMessage?content=x)",
            "[two [in] one](javascript:alert(2)) [over\nlines](javascript:alert(3)) <javascript:alert(4)>",
            "[by name][1]\n\n[1]: javascript:alert(5)\n\n![pic](javascript:alert(6)) [fine](https://fine.example)",
            "<button>Approve</button> <font color='red'>Done</font>",
            "| a | b |\n|---|---|\n| [cell](javascript:alert(7)) | <at id=all></at> <!channel> |",
            "```\n<at id=all></at> <!channel> [code](javascript:alert(8))\n```",
        )
    )
    words = "<!channel> <at id=all></at> [Approve](https://evil.example) `x` **y**"
    panel = ToolPanel("hp", "bash", words, "fail", f"{words}\n```\n<at id=all></at>\n```", "terminal")
    todos = Todos("ht", (TodoItem("1", words, "success"),), words)
    table = Table("hb", (words, "b"), ((words, "<at id=all></at>"),))
    lane = Lane("hl", words, "in_progress", (Note("hn", words), panel))
    return _card(words, Text("answer", text), Note("hx", words, "warning"), panel, todos, table, lane)


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
    "work": work,
    "asked": asked,
    "hostile": hostile,
}
