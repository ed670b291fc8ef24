"""Public bug reports about what a model may write and a platform may not take, one script for every platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.scripted_model import Say
from tests.journeys.test_one_conversation import Chat, chat
from tests.journeys.test_reports_cards import EVERY_WAY, squeezed
from tests.journeys.towns.town import Look

ANGLES = "Use List<String> when a < b && c > d; the tag <config> is literal"
FAMILY, FLAG, RARE = "👨‍👩‍👧‍👦", "🇩🇪", "𠮷"


async def answer_of(c: Chat, where: str, text: str, *, every_s: float = 0.02) -> Look:
    """Have the model answer with a text, piece by piece; gives what a person sees at the end."""
    c.model.script([Say(text, piece=max(1, len(text) // 40), every_s=every_s)])
    return await c.finished(c.town.street.say("write", where=where))


def refusals(c: Chat) -> list[object]:
    return [(each.path, each.code) for each in c.town.street.refused()]


@EVERY_WAY
async def test_f20_six_tables_are_all_visible_in_order(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        tables = [f"Before {n}\n\n| name {n} | size {n} |\n|---|---|\n| a{n}a | b{n}b |\n" for n in range(6)]
        answer = await answer_of(c, where, "\n".join(tables) + "\nThe end.")
        wanted = [f"{left}{n}{right}" for n in range(6) for left, right in CELLS]
        at = 0
        for word in [*wanted, "The end."]:
            at = answer.text.find(word, at)
            assert at >= 0, (word, answer.text)
        assert len(refusals(c)) <= 1


CELLS = (("Before ", ""), ("name ", ""), ("size ", ""), ("a", "a"), ("b", "b"))


@EVERY_WAY
async def test_f21_a_picture_by_address_costs_no_text(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        address = "https://img.example.com/a.png"
        answer = await answer_of(c, where, f"Before the picture. ![chart]({address}) After the picture.")
        assert "Before the picture." in answer.text and "After the picture." in answer.text
        assert "chart" in answer.text and address in answer.text
        assert "![" not in answer.text and refusals(c) == []


@EVERY_WAY
async def test_f22_a_long_answer_is_complete_and_in_order(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        words = [f"word{n}" for n in range(1500)]
        text = "\n\n".join(" ".join(words[at : at + 60]) for at in range(0, len(words), 60))
        answer = await answer_of(c, where, text)
        at = 0
        for word in words:
            at = answer.text.find(word, at)
            assert at >= 0, word
        assert answer.text.count("word1499") == 1 and refusals(c) == []


@EVERY_WAY
async def test_f23_code_survives_being_divided(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        lines = [f"value_{n} = compute({n})" for n in range(330)]
        code = "\n".join(lines)
        answer = await answer_of(c, where, f"Some words first.\n\n```python\n{code}\n```\n\nWords after.")
        at = 0
        for line in lines:
            at = answer.text.find(line, at)
            assert at >= 0, line
        assert answer.text.count("```") % 2 == 0 and refusals(c) == []
        assert answer.text.count("Words after.") == 1


@EVERY_WAY
async def test_f24_a_model_rings_nobodys_phone(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        person = c.town.street.people["chen"]
        tags = f'<!channel> <!here> <@{person}> <at id=all></at> <at user_id="{person}">x</at> <a atId={person}>y</a>'
        answer = await answer_of(c, where, f"{tags} deploy done, see [the build](https://ci.example.com/1)")
        assert "deploy done" in answer.text and "channel" in answer.text
        assert "https://ci.example.com/1" in answer.text and refusals(c) == []
        assert c.town.rung() == []


@EVERY_WAY
async def test_f24_nor_does_a_question_that_is_repeated_in_a_title_or_an_answer(
    name: str, where: str, home: Path
) -> None:
    async with chat(name, home) as c:
        asked = c.town.street.say("repeat: <!channel> <at id=all></at> please", where=where)
        answer = await c.finished(asked)
        assert answer.text.count("please") >= 1 and answer.messages == 1
        assert c.town.rung() == []


@EVERY_WAY
async def test_f25_angle_brackets_are_content(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        answer = await answer_of(c, where, f"{ANGLES}\n\nand `{ANGLES}` and\n\n```\n{ANGLES}\n```\n\nthe end.")
        assert answer.text.count(ANGLES) == 3, answer.text
        assert "the end." in answer.text and refusals(c) == []


@EVERY_WAY
@pytest.mark.parametrize("shift", range(2))
async def test_f26_no_character_is_ever_cut(name: str, where: str, shift: int, home: Path) -> None:
    async with chat(name, home) as c:
        text = "x" * shift + (FAMILY + FLAG + RARE) * 400
        answer = await answer_of(c, where, text)
        shown = squeezed(answer.text)
        assert [shown.count(each) for each in (FAMILY, FLAG, RARE)] == [400, 400, 400], answer.messages
        assert "\ufffd" not in answer.text and answer.text.encode("utf-8")
        assert refusals(c) == []
