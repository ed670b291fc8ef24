"""The words of the demo model that depend on nothing but the language, in English and Chinese."""

from __future__ import annotations

_REASONING = {
    ("fail", False): "The question asks me to fail, so that you can see what a failed answer looks like.\n",
    ("fail", True): "这个问题要求我失败，好让你看到一次失败的回答是什么样子。\n",
    ("hello", False): "Somebody says hello. I should say what I am, and what is worth trying here.\n",
    ("hello", True): "对方在打招呼。我应当说明自己是什么，以及在这里可以试些什么。\n",
    ("project_scan", False): "How large is this project? I should not guess: a tool can count the files and lines.\n",
    ("project_scan", True): "这个项目有多大？我不该猜：用工具数一数文件和行数就知道了。\n",
    ("read_file", False): "The answer stands in a file. I read it first and then say what is in it.\n",
    ("read_file", True): "答案就在文件里。我先读一遍，再说明里面写了什么。\n",
    ("send_note", False): (
        "A note is an effect that cannot be taken back. So I prepare the call, and a person decides whether it runs.\n"
    ),
    ("send_note", True): "发送便签是收不回来的操作。所以我只准备好这次调用，是否执行由人来决定。\n",
    ("send_file", False): "A file is wanted, not its text. The chat can show it as a file.\n",
    ("send_file", True): "对方要的是文件本身，而不是里面的文字。可以直接把文件发到聊天里。\n",
    ("ask_user", False): "I could guess what is wanted, but the person is here: I ask.\n",
    ("ask_user", True): "与其猜测，不如直接问对方。\n",
    ("several", False): (
        "This needs several facts. The calls that only look can run together; anything with an effect comes "
        "afterwards, and only if a person agrees.\n"
    ),
    ("several", True): "这里需要好几项事实。只读的调用可以一起执行；会产生影响的操作放在后面，并且要先得到人的同意。\n",
    ("revise", False): "My last answer was too long or beside the point. I keep what it rests on and drop the rest.\n",
    ("revise", True): "上一次的回答太长，或者没说到点子上。我留下要点，去掉其余的部分。\n",
    ("answer", False): (
        "No tool helps here. I am the offline demo model and should say so; then I can at least show what a card "
        "can do: headings, a table, a list and some code.\n"
    ),
    ("answer", True): (
        "这里用不上工具。我是离线演示模型，应当如实说明；不过至少可以展示卡片能做什么：标题、表格、列表和代码。\n"
    ),
}

_GREETING = {
    False: """Hello! I am niuma's **offline demo model**: scripted, no network, no key. \
What you can see here anyway is real: the card, the tools, the approval, the buttons. Try one of these:

| Write | and see |
|---|---|
| `scan the project` | a tool counts files and lines |
| `read README.md` | a tool reads a file |
| `send a note "see you at ten"` | I ask you before I do it |
| `ask me first` | a question with buttons and a field |
| `work step by step` | a bar that moves |
| `something long` | 12,000 characters, none lost |
| `something slow` | twenty seconds: press **Stop** |
| `please fail` | a failure with its reason, and Retry |

A real model takes a few lines in `~/.niuma/niuma.toml`:

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${OPENAI_API_KEY}"
```
""",
    True: """你好！我是 niuma 的**离线演示模型**：按脚本回答，不联网，也不需要密钥。\
不过你在这里看到的卡片、工具、审批和按钮都是真的。可以试试：

| 这样写 | 会看到 |
|---|---|
| `扫描项目` | 用工具统计文件和行数 |
| `读取 README.md` | 用工具读取一个文件 |
| `发送便签“十点见”` | 动手之前我会先问你 |
| `先问我` | 一个带按钮和输入框的问题 |
| `分步做` | 一条会前进的进度条 |
| `写一篇很长的回答` | 一万二千字，一个字也不丢 |
| `慢一点回答` | 整整二十秒：可以按**停止** |
| `请失败` | 失败的原因，以及重试按钮 |

接入真正的模型，只要在 `~/.niuma/niuma.toml` 里写几行：

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${OPENAI_API_KEY}"
```
""",
}

_WORDS = {
    ("project_scan", False): "Let me look at the project first.",
    ("project_scan", True): "我先看一下项目的情况。",
    ("read_file", False): "Let me read that file.",
    ("read_file", True): "我先读一下这个文件。",
    ("send_note", False): "I can send that note. I need your approval first.",
    ("send_note", True): "我可以发送这条便签，但需要先得到你的批准。",
    ("ask_user", False): "One thing first.",
    ("ask_user", True): "先问你一件事。",
    ("send_file", False): "I send you that file.",
    ("send_file", True): "我把这个文件发给你。",
}

_SAMPLE = {
    False: """I am the **offline demo model**, so I cannot really answer *{question}*. \
But this is how an answer arrives: on *one* card, growing a few times a second, until the last word.

## What you are looking at

| Part | What it shows | While it grows |
|---|---|---|
| Thinking | the model's reasoning | folded |
| Tool panel | each call and its result | one line |
| Answer | markdown like this | about every 200 ms |
| Buttons | Stop; in the end Retry and more | at once |

## Connect a real model

1. Put this into `niuma.toml` in the data folder (`~/.niuma`):

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${{OPENAI_API_KEY}}"
```

2. Ask again with `niuma chat` in a terminal, or set up a channel and start `niuma serve`.
3. *Somebody smarter* will answer. This demo stays with me.

> Nothing was sent anywhere: this text was made on your machine.
""",
    True: """我是**离线演示模型**，没法真正回答“*{question}*”。不过，回答就是这样到来的：始终在*同一张*卡片上，\
每秒刷新几次，直到最后一个字。

## 你正在看什么

| 部分 | 显示什么 | 生长过程中 |
|---|---|---|
| 思考 | 模型的推理 | 折叠 |
| 工具面板 | 每次调用和结果 | 一行 |
| 回答 | 像这样的 markdown | 大约每 200 毫秒 |
| 按钮 | 停止；结束后有重试等 | 立即可用 |

## 接入真正的模型

1. 把这段写进数据目录（`~/.niuma`）里的 `niuma.toml`：

```toml
[models]
default = "main"

[models.main]
model = "openai/gpt-4o-mini"
api_key = "${{OPENAI_API_KEY}}"
```

2. 在终端用 `niuma chat` 再问一次，或配置渠道后启动 `niuma serve`。
3. 这回由*更聪明的模型*来回答；这个演示仍由我作答。

> 没有任何内容被发送出去：这段文字就是在你的机器上生成的。
""",
}

_REVISED = {
    False: """Here it is again, cut down to what it rests on.

## In short

{points}

> I am the offline demo model: my revision is a cut. A real model reads its last answer and writes a better one.
""",
    True: """这是修改后的版本，只留下要点。

## 简而言之

{points}

> 我是离线演示模型，所谓修改只是删减；真正的模型会重读上一次的回答，写出更好的版本。
""",
}


def reasoning(kind: str, chinese: bool) -> str:
    """Give the reasoning text of a kind: a tool's name, or `several`, `fail`, `hello`, `revise`, `answer`."""
    return _REASONING[kind, chinese]


def greeting(chinese: bool) -> str:
    """Say hello and what can be tried."""
    return _GREETING[chinese]


def words(tools: tuple[str, ...], chinese: bool) -> str:
    """Say what comes next, before the calls."""
    return (" " if not chinese else "").join(_WORDS[name, chinese] for name in tools)


def sample(question: str, chinese: bool) -> str:
    """Show what an answer can look like."""
    quoted = " ".join(question.split())
    shown = quoted if len(quoted) <= 120 else quoted[:119] + "…"
    return _SAMPLE[chinese].format(question=shown.replace("*", "").replace("|", "/"))


def revised(points: list[str], chinese: bool) -> str:
    """Say the points of an earlier answer once more."""
    return _REVISED[chinese].format(points="\n".join(f"- {point}" for point in points))
