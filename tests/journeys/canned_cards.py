"""Cards the page's tests show."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

MARKDOWN = """## What the project does

niuma is a **chat-platform bot gateway**: it listens on *Feishu*, `Slack` and ***DingTalk***, see [the docs](https://example.com/docs).
中文和 English 混排，**加粗的中文。**后面继续。

1. It receives an event
   - checks who may talk
   - stores it in *one* transaction
2. It runs the agent

- [x] parse frames
- [ ] write tests

| Module | Lines | What it does |
|:--|--:|:-:|
| `gateway` | 4,120 | composes **everything** and more and more and more and more and more |
| `engine` | 11,000 | thinks |

```python
def main(path: str) -> int:
    # count
    return sum(1 for _ in Path(path).rglob("*.py")) + 42  # a very long line that certainly does not fit, does it?
```

> A quote with <font color='red'>red</font>, <text_tag color='green'>tag</text_tag> and <at id=ou_lin></at> &#42;

---

### An end

Averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword_without_a_break ~~no~~ yes."""


def plain(text: str) -> Json:
    return {"tag": "plain_text", "content": text}


def button(text: str, do: str, **more: Any) -> Json:
    return {"tag": "button", "text": plain(text), "behaviors": [{"type": "callback", "value": {"do": do}}], **more}


def answer_card(text: str, *, streaming: bool) -> Json:
    config: Json = {
        "update_multi": True,
        "streaming_mode": streaming,
        "streaming_config": {"print_frequency_ms": {"default": 20}, "print_step": {"default": 3}},
        "summary": {"content": "Working on it" if streaming else "Done"},
    }
    thoughts = {"tag": "markdown", "element_id": "thoughts", "content": "First I look."}
    panel: Json = {"tag": "collapsible_panel", "element_id": "thinking", "expanded": False}
    elements = [
        {**panel, "header": {"title": plain("Thinking")}, "elements": [thoughts]},
        {"tag": "markdown", "element_id": "answer", "content": text},
        {"tag": "hr"},
        button("Satisfied", "satisfied", type="primary", element_id="yes"),
    ]
    header = {"title": plain("hello"), "template": "blue" if streaming else "green"}
    return {"schema": "2.0", "config": config, "header": header, "body": {"elements": elements}}


def gallery_card() -> Json:
    confirm = {"title": plain("Delete everything?"), "text": plain("This cannot be undone.")}
    values = [{"day": day, "n": n} for day, n in (("Mon", 3), ("Tue", 9), ("Wed", 4), ("Thu", 7))]
    chart = {"type": "bar", "title": {"text": "Runs"}, "data": {"values": values}, "xField": "day", "yField": "n"}
    columns = [
        {"name": "name", "display_name": "Module", "data_type": "text"},
        {"name": "lines", "display_name": "Lines", "data_type": "number", "format": {"separator": True}},
    ]
    rows = [{"name": f"module {number}", "lines": 1000 * number} for number in range(1, 9)]
    label = {"tag": "input", "name": "why", "required": True, "label": plain("What should change?")}
    link: Json = {"tag": "button", "text": plain("Open"), "type": "primary_text"}
    submit = button("Submit", "submit", form_action_type="submit", name="go", type="primary_filled")
    return {
        "schema": "2.0",
        "config": {"update_multi": True, "summary": {"content": "A gallery"}},
        "header": {"title": plain("Gallery"), "subtitle": plain("of everything"), "template": "purple"},
        "body": {
            "elements": [
                {"tag": "div", "text": plain("Plain text"), "fields": []},
                {"tag": "table", "element_id": "modules", "page_size": 3, "columns": columns, "rows": rows},
                {"tag": "chart", "chart_spec": chart},
                {"tag": "img", "img_key": "img_1", "alt": plain("a picture")},
                {"tag": "form", "name": "f", "elements": [label, submit]},
                {**link, "behaviors": [{"type": "open_url", "default_url": "https://example.com/"}]},
                button("Delete all", "delete", type="danger", confirm=confirm),
            ]
        },
    }
