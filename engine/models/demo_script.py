"""What the demo model says: chosen by words of the question, Chinese or English."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from engine.messages import AssistantMessage, ToolMessage, UserMessage
from engine.models.base import ModelRequest
from engine.models.demo_texts import Answer, answer, greeting, long_answer, reasoning, words

_FAIL = re.compile(r"\b(fail|break|crash)\b|失败|出错|故障", re.I)
_SLOW = re.compile(r"\bslow(ly)?\b|慢", re.I)
_LONG = re.compile(r"\b(long|essay)\b|长文|很长|长一点|详细", re.I)
_SCAN = re.compile(r"\b(scan|project|repo(sitory)?|code ?base)\b|扫描|项目|代码库|工程", re.I)
_READ = re.compile(r"\bread\b|读取|读一下|看看文件|打开文件|阅读", re.I)
_NOTE = re.compile(r"\b(send|note|notify)\b|发送|通知|便签|发个|发一条", re.I)
_HELLO = re.compile(r"^\W*(hi|hello|hey|thanks?|thank you|你好|您好|嗨|哈喽|谢谢|早上好|晚上好|在吗)?\W*$", re.I)
_FILE = re.compile(r"[\w./-]+\.[A-Za-z0-9]{1,8}")
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
    question, results = _question(request)
    chinese = bool(_CHINESE.search(question))
    slow = bool(_SLOW.search(question))
    if _FAIL.search(question):
        return Script(reasoning=reasoning("fail", chinese), fails=True)
    if _HELLO.match(question):
        return Script(text=greeting(chinese), slow=slow)
    calls = _calls(question, request, {name for name, _ in results})
    if calls:
        names = tuple(name for name, _ in calls)
        first = "" if results else reasoning("tools", chinese)
        return Script(reasoning=first, text=words(names, chinese), calls=calls, slow=slow)
    thinking = "" if results else reasoning("answer", chinese)
    if _LONG.search(question):
        return Script(reasoning=thinking, text=long_answer(chinese), slow=slow)
    facts = Answer(question=question, results=tuple(results), chinese=chinese)
    return Script(reasoning=thinking, text=answer(facts), slow=slow)


def _question(request: ModelRequest) -> tuple[str, list[tuple[str, str]]]:
    results: list[tuple[str, str]] = []
    for message in reversed(request.messages):
        if isinstance(message, UserMessage):
            return message.text.strip(), results[::-1]
        if isinstance(message, ToolMessage):
            results.append((message.name, message.text))
        elif isinstance(message, AssistantMessage) and not message.calls:
            break
    return "", results[::-1]


def _calls(question: str, request: ModelRequest, done: set[str]) -> tuple[tuple[str, str], ...]:
    """Give the calls still to make: those that only look come first and together, the one that asks comes alone."""
    offered = {tool.name for tool in request.tools} - done
    looking: list[tuple[str, str]] = []
    if _SCAN.search(question) and "project_scan" in offered:
        looking.append(("project_scan", "{}"))
    if _READ.search(question) and "read_file" in offered:
        file = _FILE.search(question)
        looking.append(("read_file", json.dumps({"file_path": file.group() if file else "README.md"})))
    if looking:
        return tuple(looking)
    if _NOTE.search(question) and "send_note" in offered:
        quoted = _QUOTED.search(question)
        note = quoted.group(1) if quoted else question[:200]
        return (("send_note", json.dumps({"text": note}, ensure_ascii=False)),)
    return ()
