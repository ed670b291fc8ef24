"""The table of commands: a row here, its handler, and its texts are all there is to a command."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from gateway.commands import access_here, again, conversation, grants, pair, queue, runs, whoami
from gateway.commands.order import Desk, Order, Reply

Handler = Callable[[Desk, Order], Awaitable[Reply | None]]
"""Carries an order out, once for each `order.key`; `None` when there is nothing to say, because an answer says it."""
CODE = r"(?i:[0-9A-HJKMNP-TV-Z]{8})"
"""The end of a run's id, whose alphabet lacks I, L, O and U: few words look like it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A command. `usage` are its arguments as people read them, `pattern` what it takes; `command.<name>` is its text.

    `aliases` are further words for it, in lower case.
    """

    name: str
    handler: Handler
    aliases: tuple[str, ...] = ()
    usage: str = ""
    pattern: str = ""
    who: Literal["everybody", "admins"] = "everybody"

    def takes(self, rest: str) -> bool:
        """Tell whether these words can be its arguments."""
        return re.fullmatch(self.pattern, rest, re.DOTALL) is not None


async def show_help(desk: Desk, order: Order) -> Reply:
    """List the commands that the person may use."""
    rows = [row for row in TABLE if row.who == "everybody" or order.by.is_admin]
    lines = [Reply("reply.help_line", {"usage": _usage(row), "does": Reply(f"command.{row.name}")}) for row in rows]
    return Reply("reply.help", then=lines)


def _usage(row: Row) -> str:
    words = " ".join(f"/{word}" for word in (row.name, *row.aliases))
    return f"{words} {row.usage}".strip()


TABLE: tuple[Row, ...] = (
    Row("new", conversation.begin_anew, ("新会话",), "[…]", ".*"),
    Row("stop", runs.stop, ("停止",), "[code]", f"({CODE})?"),
    Row("retry", runs.retry, ("重试",), "[code]", f"({CODE})?"),
    Row("again", again.again, ("再发",), "[code]", f"({CODE})?"),
    Row("approve", runs.approve, ("批准",), "[code] [conversation | always]", rf"({CODE})?( ?\b{runs.LASTING})?"),
    Row("deny", runs.deny, ("拒绝",), "[code]", f"({CODE})?"),
    Row("grants", grants.grants, ("授权",), grants.USAGE, grants.PATTERN),
    Row("queue", queue.show_or_change, ("排队",), "[clear | mode queue|steer|interrupt]", r"|clear|mode( \w+)?"),
    Row("status", conversation.show_status, ("状态",)),
    Row("model", conversation.choose_model, ("模型",), "[name | default]", r"\S*"),
    Row("whoami", whoami.whoami, ("我是谁",)),
    Row("pair", pair.pair, ("配对",), pair.USAGE, pair.PATTERN, who="admins"),
    Row("access", access_here.access_here, ("权限",), access_here.USAGE, access_here.PATTERN, who="admins"),
    Row("help", show_help, ("帮助",)),
)
NAMES: dict[str, Row] = {word: row for row in TABLE for word in (row.name, *row.aliases)}
"""Every word with its row."""
