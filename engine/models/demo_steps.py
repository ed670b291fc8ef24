"""What the demo model asks, and how it works in steps, to show a question and a bar on the card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from engine.models.base import ModelRequest
from engine.models.demo_answer import Seen

_TITLES = {False: ("Look around", "Count", "Sum up"), True: ("先看一看", "数一数", "总结")}
_SAID = {
    False: ("I begin with the first step.", "The first one is done.", "Nearly there.", "All steps are done."),
    True: ("先做第一步。", "第一步完成了。", "快好了。", "所有步骤都完成了。"),
}


def asked(chinese: bool) -> dict[str, Any]:
    """Give the arguments of a question to the person."""
    if chinese:
        return {"question": "你想先看哪一部分？", "options": ["卡片", "工具", "审批"], "placeholder": "或者别的"}
    return {
        "question": "Which part do you want to see first?",
        "options": ["Cards", "Tools", "Approvals"],
        "placeholder": "or something else",
    }


def demo_step(results: Sequence[Seen], request: ModelRequest, chinese: bool) -> tuple[tuple[str, str], str] | None:
    """Give the next call that moves the bar, with a word to it; `None` when all steps are done or there is no bar."""
    moved = sum(each.name == "progress" for each in results)
    if "progress" not in {tool.name for tool in request.tools} or moved > len(_TITLES[chinese]):
        return None
    titles = _TITLES[chinese]
    if moved == 0:
        steps = [{"title": title, "status": "in_progress" if title == titles[0] else "pending"} for title in titles]
        args: dict[str, Any] = {"steps": steps}
    else:
        args = {"step": str(moved), "status": "success"}
    return ("progress", json.dumps(args, ensure_ascii=False)), _SAID[chinese][moved]
