"""The demo model's long answer: numbered sections, none of them equal, with tables and code in some."""

from __future__ import annotations

LONG_CHARS = 12_000
_TABLE_EVERY = 12
"""Sections from one table to the next: Feishu takes few tables on one card."""

_OPENING = {
    False: "# A long answer\n\nWritten by the offline demo model to show that long content arrives whole: no letter "
    "lost, none twice, however often the card is redrawn.\n\n",
    True: "# 一篇很长的回答\n\n由离线演示模型写成，用来说明很长的内容也会完整地到达：不丢字，也不重复，"
    "无论卡片刷新多少次。\n\n",
}
_CLOSING = {
    False: "## The end\n\nThat was all: exactly 12,000 characters. The rest of this line fills up: ",
    True: "## 结束\n\n以上就是全部内容：正好一万二千个字符。这一行余下的部分用来补足：",
}


def long_answer(chinese: bool) -> str:
    """Give exactly 12,000 characters that begin with words and end with the word that nothing follows."""
    text, number, closing = _OPENING[chinese], 1, _CLOSING[chinese]
    while len(text) + len(following := _section(number, chinese)) + len(closing) + 2 < LONG_CHARS:
        text += following
        number += 1
    text += closing
    return text + "·" * (LONG_CHARS - len(text) - 1) + "\n"


def _section(number: int, chinese: bool) -> str:
    square, total = number * number, number * (number + 1) // 2
    if chinese:
        words = f"## 第 {number} 节\n\n第 **{number}** 个平方数是 {square}，前 {number} 个自然数之和是 {total}。\n\n"
    else:
        words = (
            f"## Section {number}\n\nThe square of **{number}** is {square}, and the numbers from 1 to {number} add up "
            f"to {total}.\n\n"
        )
    return words + (_table(number, chinese) if number % _TABLE_EVERY == 2 else _code(number))


def _table(number: int, chinese: bool) -> str:
    head = "| 数 | 平方 | 立方 |" if chinese else "| Number | Square | Cube |"
    rows = "\n".join(f"| {n} | {n**2} | {n**3} |" for n in range(number, number + 4))
    return f"{head}\n|---:|---:|---:|\n{rows}\n\n"


def _code(number: int) -> str:
    if number % 3:
        return f"- `{number}`\n- `{number * number}`\n\n"
    return f"```python\nassert sum(range({number + 1})) == {number * (number + 1) // 2}\n```\n\n"
