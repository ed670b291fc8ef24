"""A text that grows on cards: what is shown is never rewritten, and nothing is paid for twice."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from channels.cards.model import Action, Card, CardStatus, Footer, Header, Lane, Text, Thinking, ToolPanel
from channels.cards.ports import Write
from channels.feishu.cards import CARD_TABLES, Page, render_card
from channels.feishu.elements import Piece
from channels.feishu.growth import ELEMENT_CHARS, Texts
from channels.feishu.markdown import TABLES_PER_ELEMENT
from channels.feishu.recalls import Recalls
from channels.feishu.sheet import Sheet
from channels.feishu.stream import Desk, FeishuSink
from channels.simulators.feishu.rules import CardRules
from gateway.clock import FakeClock

TABLE = "| a | b |\n| --- | --- |\n| 1 | <2> |\n"
PIECES = [
    *("word ", "中文句子。", "**bold** ", "**", "_it_ ", "`code` ", "`a < b` ", "`", "\n", "\n\n", "# head\n"),
    *("```python\nif a < b:\n    pass\n```\n", "```\n", "- x\n  ```\n  y\n  ```\n", "> quote <b>\n", "> > a\n"),
    *(TABLE, f"\n{TABLE}\n", "\n| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "| half", "> ```\n> x\n> ```\n"),
    *("[link](https://e.example/x) ", "[half](http", "![i](https://e.example/a.png) ", "![](https://e.example/b.png)"),
    *("![k](img_v2_1)", "<config> ", "a < b && c ", "&amp; ", "\\* ", "\\< ", "<https://e.example> ", "!", "- > b\n"),
    *("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e8\U0001f1f3", "e\u0301", "汉字" * 200, "    indented\n"),
    *("word " * 150, "- item\n"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
STEPS = st.integers(1, 400)
MOST_TICKS = 100


class Nobody:
    """A platform that takes everything."""

    def __getattr__(self, name: str) -> Any:
        async def call(*_args: Any) -> None:
            return None

        return call


class Opener:
    """Puts every further card up."""

    send_method = "message.reply"

    async def put_up(self, number: int, page: Page, sheets: list[Sheet]) -> None:
        if number == len(sheets):
            sheets.append(Sheet(1, f"c{number}", page=page, streaming=page.streaming))
        else:
            sheets[number].is_sent = True


def snapshot(text: str, status: CardStatus = CardStatus.WORKING, *, lane: bool = False, thinking: bool = False) -> Card:
    streaming = status is CardStatus.WORKING
    answer = Thinking("t", text, streaming) if thinking else Text("t", text, streaming)
    block = Lane("l", "Lane", "in_progress", (answer,)) if lane else answer
    panel = ToolPanel("p", "bash", "ls", "success", "x")
    return Card(Header("q", status), (panel, block), (Action("stop", "Stop", "r", "n"),), Footer(text="f"))


def live(card: Card) -> FeishuSink:
    page = render_card(card)[0]
    sheet = Sheet(1, "c0", "m0", True, page, page.streaming)
    return FeishuSink(Desk(Nobody(), FakeClock(), Recalls()), Opener(), [sheet], "stream")  # pyright: ignore[reportArgumentType]


def rewritten(sink: FeishuSink, write: Write) -> list[str]:
    """Give what of a write takes back something that was shown."""
    step = write.payload
    if write.kind == "content":
        return [] if step.text.is_growth else [f"{step.text.old!r} -> {step.text.new!r}"]
    if write.kind == "replace":
        return ["the whole card"]
    page = sink._sheets[step.number].page if step.actions else None
    return [str(action) for action in step.actions if page is None or not only_adds(page, action)]


def only_adds(page: Page, action: dict[str, Any]) -> bool:
    if action["action"] == "add_elements":
        return True
    params = action["params"]
    old = next((each for each in page.elements if each["element_id"] == params.get("element_id")), None)
    return (
        "partial_element" in params
        and old is not None
        and params["partial_element"]["content"].startswith(old["content"])
    )


async def grow(text: str, step: int, **how: bool) -> FeishuSink:
    sink = live(snapshot(text[:1], **how))
    for end in [*range(1, len(text), max(step, len(text) // MOST_TICKS)), len(text)]:
        for _ in range(6):
            plan = sink.plan(snapshot(text[:end], **how), final=False)
            assert [each for write in plan for each in rewritten(sink, write)] == []
            for write in plan:
                await sink.send(write)
            if not plan:
                break
        else:
            raise AssertionError("never quiet")
    return sink


def shown(sink: FeishuSink) -> list[tuple[dict[str, Any], ...]]:
    return [sheet.page.elements for sheet in sink._sheets if sheet.page is not None]


@settings(max_examples=150, deadline=None)
@given(TEXTS, STEPS)
async def test_every_write_of_a_growing_answer_only_adds(text: str, step: int) -> None:
    text += "\n\nthe end"
    sink = await grow(text, step)
    once = render_card(snapshot(text))
    assert shown(sink) == [page.elements for page in once]


@settings(max_examples=60, deadline=None)
@given(TEXTS, STEPS)
async def test_thinking_only_adds_too(text: str, step: int) -> None:
    await grow(text[:2500], step, thinking=True)


@settings(max_examples=100, deadline=None)
@given(TEXTS, STEPS)
def test_the_end_is_the_same_however_the_text_came(text: str, step: int) -> None:
    texts = Texts()
    for end in range(0, len(text), max(step, len(text) // MOST_TICKS)):
        render_card(snapshot(text[:end]), texts=texts)
    grown = render_card(snapshot(text, CardStatus.DONE), texts=texts)
    assert grown == render_card(snapshot(text, CardStatus.DONE))
    rules = CardRules(lambda key: True)
    for page in grown:
        rules.check(page.native())


def pieces(text: str, *, growing: bool = False) -> list[Piece]:
    return Texts().of("b_t").pieces(text, growing=growing)


def test_an_element_holds_as_many_tables_as_the_platform_takes_and_loses_no_cell() -> None:
    (piece,) = pieces("\n\n".join([TABLE] * 6))
    content = piece.native["content"]
    assert piece.tables == TABLES_PER_ELEMENT
    assert content.count("| 1 | <2> |") == 2, "code shows what was written"
    assert content.count("| 1 | &#60;2&#62; |") == 4
    assert piece.fewer is not None
    assert piece.fewer(1).tables == 1


def test_tables_of_several_texts_share_the_card() -> None:
    blocks = tuple(Text(f"t{n}", "\n".join([TABLE] * 2), streaming=True) for n in range(4))
    card = Card(Header("q", CardStatus.WORKING), blocks)
    (page,) = render_card(card)
    whole = "\n\n".join(element["content"] for element in page.elements)
    assert whole.count("| --- | --- |") == CARD_TABLES


def test_what_did_not_change_is_the_same_object_and_is_not_converted_again() -> None:
    text = "\n\n".join(f"paragraph {n} with <words>" * 8 for n in range(60))
    texts = Texts()
    before = texts.of("b_t").pieces(text, growing=True)
    after = texts.of("b_t").pieces(text + "\n\nmore words", growing=True)
    assert len(before) > 3
    assert all(one is other for one, other in zip(before[:-1], after, strict=False))
    assert texts.of("b_t").pieces(text + "\n\nmore words", growing=True)[-1] is after[-1]


def test_a_text_that_is_replaced_is_shown_anew() -> None:
    texts = Texts()
    texts.of("b_t").pieces("first " * 1000, growing=True)
    assert [piece.native["content"] for piece in texts.of("b_t").pieces("second", growing=True)] == ["second"]


def test_an_element_that_grows_has_room_to_its_end() -> None:
    (piece,) = pieces("汉字" * 300, growing=True)
    assert piece.room >= ELEMENT_CHARS * 3
    (piece,) = pieces("word " * 300, growing=True)
    assert ELEMENT_CHARS <= piece.room < ELEMENT_CHARS * 1.2


async def test_a_lane_that_grows_is_typed_as_well() -> None:
    await grow("a lane with **bold** words and <tags> " * 20, 30, lane=True)
