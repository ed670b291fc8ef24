"""The words of the demo model, in English and Chinese."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

LONG_CHARS = 12_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer is made of."""

    question: str
    results: tuple[tuple[str, str], ...]
    chinese: bool


_REASONING = {
    ("fail", False): "The question asks me to fail, so that you can see what a failed answer looks like.\n",
    ("fail", True): "这个问题要求我失败，好让你看到一次失败的回答是什么样子。\n",
    ("tools", False): (
        "The person wants facts about the workspace. I should not guess them: a tool can look. "
        "First the calls that only read, together; anything with an effect afterwards, and only if a person agrees.\n"
    ),
    ("tools", True): (
        "对方想知道工作区里的事实。我不该猜，而应该用工具去看。先一起执行只读的调用；"
        "凡是会产生影响的操作放在后面，并且要先得到人的同意。\n"
    ),
    ("answer", False): (
        "No tool is needed here. I am the offline demo model, so I will be honest about that, and answer in a shape "
        "that shows what a card can do: headings, a table, a list and some code.\n"
    ),
    ("answer", True): (
        "这里不需要工具。我是离线演示模型，应当如实说明这一点，然后用一个能展示卡片能力的形式来回答：标题、表格、列表和代码。\n"
    ),
}

_GREETING = {
    False: """Hello! I am niuma's **offline demo model**: scripted, no network, no key. Try one of these:

- *scan the project* - I count files and lines with a tool
- *read README.md* - I read a file of the workspace
- *send a note "see you at ten"* - I ask you before I do it
- *something long*, *something slow*, *please fail* - see how the card copes
""",
    True: """你好！我是 niuma 的**离线演示模型**：按脚本回答，不联网，也不需要密钥。可以试试：

- *扫描项目*：我用工具统计文件和行数
- *读取 README.md*：我读取工作区里的一个文件
- *发送便签“十点见”*：动手之前我会先问你
- *写一篇很长的回答*、*慢一点*、*请失败*：看看卡片如何应对
""",
}

_WORDS = {
    ("project_scan", False): "Let me look at the project first.",
    ("project_scan", True): "我先看一下项目的情况。",
    ("read_file", False): "Let me read that file.",
    ("read_file", True): "我先读一下这个文件。",
    ("send_note", False): "I can send that note. I need your approval first.",
    ("send_note", True): "我可以发送这条便签，但需要先得到你的批准。",
}

_SAMPLE = {
    False: """## What you are looking at

You asked: *{question}*

I am the **offline demo model**, so I cannot really answer that. But this is how an answer arrives: on *one* card,
growing a few times a second, until the last word.

### The parts of a card

| Part | What it shows | While it grows |
|---|---|---|
| Thinking | the model's reasoning | folded |
| Tool panel | each call and its result | one line |
| Answer | markdown like this | every 200 ms |
| Buttons | Stop, Retry, Satisfied | always |

### Connect a real model

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${{OPENAI_API_KEY}}"
```

1. Put this into `niuma.toml`.
2. Start `niuma serve`.
3. Ask me again; *somebody smarter* will answer.

> Nothing was sent anywhere: this text was made on your machine.
""",
    True: """## 你正在看什么

你的问题是：*{question}*

我是**离线演示模型**，没法真正回答它。不过，回答就是这样到来的：始终在*同一张*卡片上，每秒刷新几次，直到最后一个字。

### 一张卡片的组成

| 部分 | 显示什么 | 生长过程中 |
|---|---|---|
| 思考 | 模型的推理 | 折叠 |
| 工具面板 | 每次调用和结果 | 一行 |
| 回答 | 像这样的 markdown | 每 200 毫秒 |
| 按钮 | 停止、重试、满意 | 一直可用 |

### 接入真正的模型

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${{OPENAI_API_KEY}}"
```

1. 把这段写进 `niuma.toml`。
2. 启动 `niuma serve`。
3. 再问我一次，这回由*更聪明的模型*来回答。

> 没有任何内容被发送出去：这段文字就是在你的机器上生成的。
""",
}


def reasoning(kind: str, chinese: bool) -> str:
    """Give the reasoning text of a kind: `fail`, `tools` or `answer`."""
    return _REASONING[kind, chinese]


def greeting(chinese: bool) -> str:
    """Say hello and what can be tried."""
    return _GREETING[chinese]


def words(tools: tuple[str, ...], chinese: bool) -> str:
    """Say what comes next, before the calls."""
    return (" " if not chinese else "").join(_WORDS[name, chinese] for name in tools)


def answer(facts: Answer) -> str:
    """Answer from tool results, or with the sample when there are none."""
    if not facts.results:
        quoted = " ".join(facts.question.split())
        shown = quoted if len(quoted) <= 120 else quoted[:119] + "…"
        return _SAMPLE[facts.chinese].format(question=shown.replace("*", "").replace("|", "/"))
    parts = ["## 结果\n" if facts.chinese else "## What I found\n"]
    parts += [_section(name, text, facts.chinese) for name, text in facts.results]
    parts.append(
        "> 以上由离线演示模型按脚本整理，数字来自真实的工具调用。\n"
        if facts.chinese
        else "> Put together by the offline demo model from a script; the facts come from real tool calls.\n"
    )
    return "\n".join(parts)


def long_answer(chinese: bool) -> str:
    """Give exactly 12,000 characters in numbered sections, none of them equal."""
    parts = ["# 一篇很长的回答\n\n" if chinese else "# A long answer\n\n"]
    size, number = len(parts[0]), 0
    while size < LONG_CHARS:
        number += 1
        parts.append(_long_section(number, chinese))
        size += len(parts[-1])
    return "".join(parts)[: LONG_CHARS - 1] + "\n"


def _long_section(number: int, chinese: bool) -> str:
    square = number * number
    if chinese:
        return (
            f"## 第 {number} 节\n\n这是离线演示模型写的第 **{number}** 节，用来说明很长的内容也会完整地到达："
            f"既不会丢字，也不会重复。第 {number} 个平方数是 {square}，"
            f"前 {number} 个自然数之和是 {number * (number + 1) // 2}。\n\n"
            f"- 本节编号：`{number}`\n- 平方：{square}\n\n"
        )
    return (
        f"## Section {number}\n\nThis is section **{number}**, written by the offline demo model to show that long "
        f"content arrives whole: no letter lost, none twice. The square of {number} is {square}, and the first "
        f"{number} numbers add up to {number * (number + 1) // 2}.\n\n- section: `{number}`\n- square: {square}\n\n"
    )


def _section(name: str, text: str, chinese: bool) -> str:
    if name == "project_scan":
        return _scan_section(text, chinese)
    title = {"read_file": ("File", "文件"), "send_note": ("Note", "便签")}.get(name, (name, name))[chinese]
    lines = text.strip().splitlines()[:12]
    quoted = "\n".join(line.replace("```", "'''")[:160] for line in lines)
    return f"### {title}\n\n```text\n{quoted}\n```\n"


def _scan_section(text: str, chinese: bool) -> str:
    try:
        facts: dict[str, Any] = json.loads(text)
    except ValueError:
        return f"{text}\n"
    rows = cast("dict[str, int]", facts.get("by_extension", {}))
    head = "| 类型 | 文件数 |" if chinese else "| Type | Files |"
    table = "\n".join(f"| `{kind}` | {number} |" for kind, number in list(rows.items())[:8])
    files, lines = facts.get("total_files", 0), facts.get("total_lines", 0)
    line = f"共 **{files}** 个文件，**{lines}** 行。" if chinese else f"**{files}** files, **{lines}** lines in all."
    title = "项目" if chinese else "Project"
    return f"### {title}\n\n{line}\n\n{head}\n|---|---:|\n{table}\n" if table else f"### {title}\n\n{line}\n"
