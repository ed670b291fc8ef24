"""Slack's canned chats, and blocks that show every kind the page draws."""

from __future__ import annotations

from typing import Any

from tests.journeys.canned_page import CannedPage, Json

STATE: Json = {
    "people": [{"id": "U0LIN", "name": "Lin Wei"}, {"id": "U0CHEN", "name": "Chen Yu"}],
    "bots": [{"app_id": "A0NIUMA", "user_id": "U0NIUMA", "name": "niuma", "connections": 1}],
    "chats": [
        {
            "id": "C0TEAM",
            "name": "product-team",
            "type": "channel",
            "members": ["U0LIN", "U0CHEN"],
            "bots": ["A0NIUMA"],
        },
        {"id": "C0OPS", "name": "ops-private", "type": "group", "members": ["U0LIN", "U0CHEN"], "bots": ["A0NIUMA"]},
        {"id": "D0LIN", "name": "niuma", "type": "im", "members": ["U0LIN"], "bots": ["A0NIUMA"]},
    ],
    "statuses": [],
}


class CannedSlack(CannedPage):
    """A workspace with two people, a bot, a public and a private channel, and a direct chat."""

    def __init__(self) -> None:
        super().__init__("channels.simulators.slack", STATE)

    def add(self, chat_id: str = "C0TEAM", sender: str = "U0LIN", text: str = "", **more: Any) -> str:
        at_ms = self.next_ms()
        ts = f"{at_ms // 1000}.{len(self.messages):06d}"
        names = {each["id"]: each["name"] for each in STATE["people"]}
        is_bot = sender == "U0NIUMA"
        message: Json = {
            "id": f"{chat_id}/{ts}",
            "ts": ts,
            "chat_id": chat_id,
            "thread_ts": None,
            "subtype": None,
            "sender": {"type": "bot" if is_bot else "user", "id": sender, "name": names.get(sender, "niuma")},
            "text": text,
            "blocks": [],
            "chunks": None,
            "streaming": False,
            "stream_end": "",
            "edited": False,
            "deleted": False,
            "ephemeral_to": None,
            "reactions": [],
            "files": [],
            "create_time_ms": at_ms,
        }
        return self.put({**message, **more})

    def stream(self, root: str, parts: list[Json], **more: Any) -> str:
        """Begin a streamed answer in the thread of a message."""
        chat_id, ts = root.split("/")
        return self.add(chat_id, "U0NIUMA", thread_ts=ts, streaming=True, chunks=chunks(parts), **more)

    def acted(self, name: str, body: Json) -> Json:
        if name == "send":
            more = {key: body[key] for key in ("thread_ts",) if key in body}
            return {"message_id": self.add(body["chat_id"], body["as"], body["text"], **more)}
        if name == "edit":
            self.change(body["message_id"], text=body["text"], edited=True)
        if name == "delete":
            self.change(body["message_id"], deleted=True)
        if name == "upload":
            file = {"id": "F0FILE", "name": body["name"], "mimetype": "text/plain", "size": 5}
            return {"message_id": self.add(body["chat_id"], body["as"], files=[file])}
        return {}


def chunks(parts: list[Json], **more: Any) -> Json:
    """What a stream holds; tasks are given whole among the parts."""
    tasks = [part["task"] for part in parts if part["type"] == "task"]
    order = [{"type": "task", "id": part["task"]["id"]} if part["type"] == "task" else part for part in parts]
    facts: Json = {"plan_title": "", "tasks": tasks, "parts": order, "final_blocks": [], "display_mode": "timeline"}
    return {**facts, "recipient": "U0LIN", **more}


def text_part(words: str) -> Json:
    return {"type": "markdown_text", "text": words}


def task(task_id: str, title: str, status: str, **more: Any) -> Json:
    return {
        "type": "task",
        "task": {"id": task_id, "title": title, "status": status, "details": "", "output": "", **more},
    }


def plain(words: str) -> Json:
    return {"type": "plain_text", "text": words}


def button(action_id: str, words: str, **more: Any) -> Json:
    return {"type": "button", "action_id": action_id, "text": plain(words), "value": action_id, **more}


FEEDBACK: Json = {
    "type": "context_actions",
    "block_id": "verdict",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {"text": plain("Good answer"), "value": "good"},
            "negative_button": {"text": plain("Bad answer"), "value": "bad"},
        }
    ],
}

CONFIRM = {
    "title": plain("Delete all?"),
    "text": plain("Every file goes."),
    "confirm": plain("Delete"),
    "deny": plain("Keep"),
}


def _rich(*elements: Json) -> Json:
    return {"type": "rich_text_section", "elements": list(elements)}


MRKDWN = """*Bold* and _italic_, `code`, ~gone~, <https://example.com|a link>, <@U0CHEN> in <#C0OPS>.
&gt; a quote of &lt;two&gt;
&gt; lines
• a line"""

MARKDOWN = """## Standard markdown

1. one
2. **two**

| name | lines |
|---|--:|
| app | 120 |
| store | 96 |

```python
print('hello')  # a long comment that goes on and on and on, further than any phone is wide
```
"""

GALLERY: list[Json] = [
    {"type": "header", "text": plain("Weekly report")},
    {
        "type": "section",
        "text": {
            "type": "mrkdwn",
            "text": MRKDWN,
        },
        "accessory": {
            "type": "static_select",
            "action_id": "pick",
            "placeholder": plain("Choose"),
            "options": [{"text": plain("One"), "value": "1"}, {"text": plain("Two"), "value": "2"}],
        },
    },
    {
        "type": "section",
        "fields": [
            {"type": "mrkdwn", "text": "*Owner*\nLin Wei"},
            {"type": "mrkdwn", "text": "*State*\n:white_check_mark: done"},
        ],
    },
    {"type": "divider"},
    {
        "type": "markdown",
        "text": MARKDOWN,
    },
    {
        "type": "rich_text",
        "elements": [
            _rich(
                {"type": "text", "text": "Rich "},
                {"type": "text", "text": "text", "style": {"bold": True}},
                {"type": "emoji", "name": "eyes"},
                {"type": "user", "user_id": "U0LIN"},
            ),
            {
                "type": "rich_text_list",
                "style": "bullet",
                "indent": 0,
                "elements": [
                    _rich({"type": "text", "text": "first"}),
                    _rich({"type": "link", "url": "https://example.com", "text": "second"}),
                ],
            },
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "$ make check"}]},
            {"type": "rich_text_quote", "elements": [{"type": "text", "text": "quoted"}]},
        ],
    },
    {
        "type": "table",
        "column_settings": [{"align": "left"}, {"align": "right"}],
        "rows": [
            [{"type": "raw_text", "text": "module"}, {"type": "raw_text", "text": "lines"}],
            *(
                [{"type": "raw_text", "text": f"module {n}"}, {"type": "raw_text", "text": str(n * 100)}]
                for n in range(1, 8)
            ),
        ],
    },
    {"type": "image", "title": plain("A picture"), "image_url": "/_sim/static/icon.svg", "alt_text": "the sign"},
    {"type": "image", "image_url": "https://example.com/x.png", "alt_text": "elsewhere"},
    {
        "type": "plan",
        "title": "Scan the project",
        "tasks": [
            {
                "type": "task_card",
                "task_id": "a",
                "title": "Read the files",
                "status": "complete",
                "details": {"type": "rich_text", "elements": [_rich({"type": "text", "text": "42 files"})]},
            },
            {"type": "task_card", "task_id": "b", "title": "Count the lines", "status": "in_progress"},
            {"type": "task_card", "task_id": "c", "title": "Write it down", "status": "pending"},
            {"type": "task_card", "task_id": "d", "title": "Ask the network", "status": "error"},
        ],
    },
    {
        "type": "input",
        "block_id": "why",
        "label": plain("What should change?"),
        "element": {"type": "plain_text_input", "action_id": "words", "multiline": True},
    },
    {
        "type": "actions",
        "block_id": "acts",
        "elements": [
            button("go", "Submit", style="primary"),
            button("stop", "Delete all", style="danger", confirm=CONFIRM),
            button("open", "Open", url="https://example.com/"),
        ],
    },
    FEEDBACK,
    {"type": "context", "elements": [{"type": "mrkdwn", "text": "12.4 s · demo/offline · 1,234 tokens"}]},
]
