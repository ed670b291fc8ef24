"""What the demo model says: chosen by words of the question, Chinese or English."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.messages import AssistantMessage, Message, ToolMessage, UserMessage
from engine.models.base import ModelRequest
from engine.models.demo_answer import Seen, answer, points, together
from engine.models.demo_long import long_answer
from engine.models.demo_steps import asked, demo_step
from engine.models.demo_texts import greeting, reasoning, revised, sample, words

_FAIL = re.compile(r"\b(fail|break|crash)\b|失败|出错|故障", re.I)
_SLOW = re.compile(r"\bslow(ly)?\b|慢", re.I)
_LONG = re.compile(r"\b(long|essay)\b|长文|很长|长一点|详细", re.I)
_SCAN = re.compile(r"\b(scan|project|repo(sitory)?|code ?base)\b|扫描|项目|代码库|工程", re.I)
_COUNT = re.compile(
    r"\blines?\b.*\b(folder|director(y|ies)|workspace|files?|code)\b|(多少|统计|几).*行|代码行数|行数", re.I
)
_LANGUAGES = {
    ".py": re.compile(r"\bpython\b", re.I | re.A),
    ".js": re.compile(r"\bjavascript\b", re.I | re.A),
    ".ts": re.compile(r"\btypescript\b", re.I | re.A),
    ".go": re.compile(r"\bgolang\b", re.I | re.A),
    ".md": re.compile(r"\bmarkdown\b", re.I | re.A),
}
_READ = re.compile(r"\bread\b|读取|读一下|看看文件|打开文件|阅读", re.I)
_NOTE = re.compile(r"\b(send|note|notify)\b|发送|通知|便签|发个|发一条", re.I)
_SEND = re.compile(r"\bsend\b.*\bfile\b|发.*文件|文件.*发", re.I)
_ASK = re.compile(r"\bask me\b|问我|先问我", re.I)
_STEPS = re.compile(r"\bstep by step\b|\bprogress\b|分步|进度", re.I)
_REVISE = re.compile(r"\brevise\b|修改你上一次", re.I)
_HELLO = re.compile(
    r"^\W*(hi|hello|hey|help|thanks?|thank you|who are you|what can you do|你好|您好|嗨|哈喽|谢谢|早上好|晚上好|在吗"
    r"|帮助|你是谁|你能做什么|你会做什么|介绍一下你自己)?(\s*niuma)?\W*$",
    re.I,
)
_WAY_OUT = "work_with_tools"
"""What a model is offered that is asked for its answer at once."""
_LANE = re.compile(r"^<<< (\S+) \((\w+)[^)\n]*\)\n(.*?)\n>>>$", re.M | re.S)
"""How the results of domain agents are given to a model."""
_FILE = re.compile(r"[\w./-]+\.[A-Za-z0-9]{1,8}", re.A)
_RECEIVED = re.compile(r"lies in the workspace at ([^\]\n]+)\]")
"""How a file that came with the question is told to a model."""
_QUOTED = re.compile('["“「『]([^"”」』]{1,200})["”」』]')
_CHINESE = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Script:
    """One turn of the demo model."""

    reasoning: str = ""
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    slow: bool = False
    fails: bool = False


def script_for(request: ModelRequest) -> Script:
    """Choose what to say to the last question of `request`, given the tool results since."""
    place = max((at for at, message in enumerate(request.messages) if isinstance(message, UserMessage)), default=-1)
    question = request.messages[place].text.strip() if place >= 0 else ""
    chinese, slow = bool(_CHINESE.search(question)), bool(_SLOW.search(question))
    if lanes := _LANE.findall(question):
        asked = next((each.text for each in reversed(request.messages[:place]) if isinstance(each, UserMessage)), "")
        return Script(text=together(lanes, bool(_CHINESE.search(asked))))
    if _FAIL.search(question):
        return Script(reasoning=reasoning("fail", chinese), fails=True)
    results = _results(request.messages[place + 1 :])
    if _STEPS.search(question) and (step := demo_step(results, request, chinese)) is not None:
        return Script(text=step[1], calls=(step[0],), slow=slow)
    calls = _calls(question, request, {result.name for result in results})
    if calls and calls[0][0] == _WAY_OUT:
        return Script(calls=calls)
    if calls:
        names = tuple(name for name, _ in calls)
        kind = names[0] if len(names) == 1 else "several"
        first = "" if results else reasoning(kind, chinese)
        return Script(reasoning=first, text=words(names, chinese), calls=calls, slow=slow)
    if results:
        return Script(text=answer(results, chinese), slow=slow)
    kind, text = _words(question, request.messages[: max(place, 0)], chinese)
    return Script(reasoning=reasoning(kind, chinese), text=text, slow=slow)


def _words(question: str, before: Sequence[Message], chinese: bool) -> tuple[str, str]:
    """Give an answer without tools, and the kind of reasoning that leads to it."""
    if _HELLO.match(question):
        return "hello", greeting(chinese)
    if _LONG.search(question):
        return "answer", long_answer(chinese)
    said = next((m.text for m in reversed(before) if isinstance(m, AssistantMessage) and not m.calls), "")
    if _REVISE.search(question) and (kept := points(said)):
        return "revise", revised(kept, chinese)
    return "answer", sample(question, chinese)


def _results(since: Sequence[Message]) -> list[Seen]:
    asked: dict[str, str] = {}
    found: list[Seen] = []
    for message in since:
        if isinstance(message, AssistantMessage):
            asked |= {call.id: call.arguments for call in message.calls}
        elif isinstance(message, ToolMessage) and message.name != _WAY_OUT:
            found.append(Seen(message.name, message.text, _arguments(asked.get(message.call_id, ""))))
    return found


def _arguments(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        return {}


def _calls(question: str, request: ModelRequest, done: set[str]) -> tuple[tuple[str, str], ...]:
    """Give the calls still to make: those that only look come first and together, the one that asks comes alone."""
    offered = {tool.name for tool in request.tools} - done
    if offered == {_WAY_OUT}:
        return (
            ((_WAY_OUT, "{}"),) if any(wish.search(question) for wish in (_SCAN, _COUNT, _READ, _NOTE, _SEND)) else ()
        )
    looking: list[tuple[str, str]] = []
    if (_SCAN.search(question) or _COUNT.search(question)) and "project_scan" in offered:
        looking.append(("project_scan", _scanned(question)))
    if _ASK.search(question) and "ask_user" in offered:
        return (("ask_user", json.dumps(asked(bool(_CHINESE.search(question))), ensure_ascii=False)),)
    if _READ.search(question) and "read_file" in offered:
        looking.append(
            ("read_file", json.dumps({"file_path": _file_in(question, request) or "README.md"}, ensure_ascii=False))
        )
    if looking:
        return tuple(looking)
    if (file := _file_in(question, request)) and _SEND.search(question):
        return (("send_file", json.dumps({"path": file}, ensure_ascii=False)),) if "send_file" in offered else ()
    if _NOTE.search(question) and "send_note" in offered:
        quoted = _QUOTED.search(question)
        note = quoted.group(1) if quoted else question[:200]
        return (("send_note", json.dumps({"text": note}, ensure_ascii=False)),)
    return ()


def _scanned(question: str) -> str:
    """Give the arguments of a scan: only the languages that the question names."""
    kinds = [kind for kind, word in _LANGUAGES.items() if word.search(question)]
    return json.dumps({"extensions": kinds}) if kinds else "{}"


def _file_in(question: str, request: ModelRequest) -> str:
    """Give the file that is meant: one that came with the question, else one it names, else the last that came."""
    if found := _RECEIVED.search(question):
        return found.group(1)
    if named := _FILE.search(question):
        return named.group()
    earlier = (message.text for message in reversed(request.messages) if isinstance(message, UserMessage))
    return next((found.group(1) for text in earlier if (found := _RECEIVED.search(text))), "")
