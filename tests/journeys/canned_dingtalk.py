"""DingTalk's canned chats, and messages that show every kind the page draws."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.journeys.canned_page import CannedPage, Json

BOT: Json = {"app_id": "dingdemo", "name": "niuma", "connections": 1}
TEAM, DIRECT = "cidteam==", "cidlin/niuma+1=="
STATE: Json = {
    "people": [{"id": "0147lin", "name": "Lin Wei"}, {"id": "0258chen", "name": "Chen Yu"}],
    "bots": [BOT],
    "chats": [
        {"id": TEAM, "name": "Product team", "type": "group", "members": ["0147lin", "0258chen"], "bots": ["dingdemo"]},
        {"id": DIRECT, "name": "niuma", "type": "single", "members": ["0147lin"], "bots": ["dingdemo"]},
    ],
}
VARIABLES: list[Json] = [
    {"name": "title", "kind": "text", "visible_key": ""},
    {"name": "status", "kind": "text", "visible_key": ""},
    {"name": "panel", "kind": "markdown", "visible_key": "show_panel", "private": True},
    {"name": "content", "kind": "markdown", "visible_key": ""},
    {"name": "footer", "kind": "markdown", "visible_key": ""},
    {"name": "show_panel", "kind": "hidden", "visible_key": "", "private": True},
]

CARD_MARKDOWN = """## What I found

A **bold** word, `code`, <font sizeToken=common_h4 colorTokenV2=common_red1_color>a red one</font>.<br>A line for
<a atId=0258chen>x</a>.

| name | lines |
|---|--:|
| app | 120 |
| store | 96 |

```python
print('hello')  # a long comment that goes on and on and on, further than any phone is wide
```

> quoted

1. one
2. two
"""

ROBOT_MARKDOWN = """### Report

- one
- **two** [link](https://example.com)

~~not struck~~

---

```
plain
```
"""


class CannedDingTalk(CannedPage):
    """An organisation with two people, a robot, a group and a single chat."""

    def __init__(self) -> None:
        super().__init__("channels.simulators.dingtalk", STATE)

    def add(self, chat_id: str = TEAM, sender: str = "0147lin", text: str = "", **more: Any) -> str:
        names = {each["id"]: each["name"] for each in STATE["people"]}
        is_bot = sender == "dingdemo"
        message: Json = {
            "id": f"msg{len(self.messages) + 1}==",
            "chat_id": chat_id,
            "sender": {"type": "bot" if is_bot else "user", "id": sender, "name": names.get(sender, "niuma")},
            "msg_type": "text",
            "text": text,
            "card": None,
            "emotions": [],
            "recalled": False,
            "files": [],
            "at_users": [],
            "recipients": [],
            "quotes": None,
            "create_time_ms": self.next_ms(),
        }
        return self.put({**message, **more})

    def add_card(self, chat_id: str = TEAM, **facts: Any) -> str:
        return self.add(chat_id, "dingdemo", msg_type="card", card=card(**facts))

    def acted(self, name: str, body: Json) -> Json:
        if name in ("send", "link"):
            more = {"quotes": body["quote"]} if "quote" in body else {}
            more |= {"msg_type": body["msg_type"]} if "msg_type" in body else {}
            return {"message_id": self.add(body["chat_id"], body["as"], body.get("text", ""), **more), "robots": 1}
        if name == "recall":
            self.change(body["message_id"], recalled=True)
        return {"id": "@lAfile"} if name == "upload" else {}


def card(flow: str = "3", buttons: list[Json] | None = None, **params: Any) -> Json:
    """Give a card of the default template; `flow` is its flowStatus."""
    extra = {name: params.pop(name) for name in ("private", "personal_buttons", "blank") if name in params}
    return {
        "out_track_id": "run1",
        "template_id": "niuma-ai-card.schema",
        "variables": VARIABLES,
        "params": params,
        "private": {},
        "flow_status": flow,
        "streaming_key": "content",
        "buttons": buttons or [],
        "personal_buttons": {},
        "blank": False,
        **extra,
    }


def button(name: str, label: str, *, visible: bool = True, **more: Any) -> Json:
    return {
        "id": f"btn_{name}",
        "label": label,
        "visible": visible,
        "disabled": False,
        "params": {"action": name},
        **more,
    }


def says(text: str) -> str:
    """Give the link that sends a text as the person who presses it."""
    return f"dtmd://dingtalkclient/sendMessage?content={quote(text)}"


def fill(canned: CannedDingTalk) -> None:
    """Put one message of every kind into the group."""
    asked = canned.add(text="@niuma scan this project", emotions=[{"name": "🤔思考中", "by": "dingdemo"}])
    canned.add(sender="0258chen", text="I need that too, see https://example.com/doc", quotes=asked)
    canned.add(sender="dingdemo", msg_type="markdown", title="Report", markdown=ROBOT_MARKDOWN)
    links = [{"title": "Approve", "url": says("/approve 1")}, {"title": "Deny", "url": says("/deny 1")}]
    canned.add(
        sender="dingdemo", msg_type="actionCard", title="May I?", markdown="### May I?\n\nRun `make`", buttons=links
    )
    canned.add(sender="dingdemo", msg_type="link", title="A page", text="what it says", url="https://example.com")
    canned.add(msg_type="file", files=[{"id": "@lA1", "name": "report.pdf", "kind": "file", "bytes": 81234}])
    canned.add(sender="0258chen", msg_type="audio", recognition="count the files", duration=4000)
    canned.add(text="gone", recalled=True)
    canned.add_card(flow="1", title="niuma")
    canned.add_card(flow="5", title="niuma", content="Half an answ", buttons=[button("retry", "Retry")])
    canned.add_card(blank=True, content="x" * 4000)
    done = {
        "title": "Scan this project",
        "status": "✅ done",
        "show_panel": "true",
        "panel": "- ✅ Read the files\n- ⏳ Count",
    }
    votes = [button("good", "Satisfied"), button("bad", "Not right")]
    canned.add_card(**done, content=CARD_MARKDOWN, footer="12.4 s · demo/offline · 1,234 tokens", buttons=votes)
    growing = "Counting the **files** of the project, one after ano"
    canned.add_card(flow="2", title="Count", status="⏳ working", content=growing, buttons=[button("stop", "Stop")])
