"""What a model may write and a platform may not take: long, with tables, pictures, code and rare characters."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
import regex

from tests.journeys.house import House, house
from tests.journeys.scripted_model import Say
from tests.journeys.seen import Seen

MOST_SHOWN = 10_000
"""A markdown element shows no more than this. Source: reports of users, F22."""
FAMILY, FLAG, RARE = "👨‍👩‍👧‍👦", "🇩🇪", "𠮷"


async def answer_of(h: House, text: str, *, every_s: float = 0.0) -> Seen:
    """Have the model answer with `text`; gives what a person sees at the end."""
    h.model.script([Say(text, piece=max(1, len(text) // 40), every_s=every_s)])
    answer = await h.finished(await h.say("@niuma write"))
    assert answer.status == "Done" and not answer.looks_active
    assert len(h.messages()) == len(answer.messages)
    return answer


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def refusals(h: House) -> list[int]:
    return [each.code for each in h.calls("/open-apis/") if each.code]


@pytest.mark.parametrize("chars", [12_000, 40_000])
async def test_f22_a_long_answer_is_complete_and_in_order(home: Path, chars: int) -> None:
    async with house(home) as h:
        text = "\n\n".join(" ".join(f"word{n}" for n in range(at, at + 60)) for at in range(0, chars // 8, 60))[:chars]
        answer = await answer_of(h, text, every_s=0.02)
        assert squeezed(answer.body) == squeezed(text)
        assert len(answer.parts) > 2 and max(len(part) for part in answer.parts) < MOST_SHOWN
        assert all(part.strip() for part in answer.parts)
        assert refusals(h) == []
        assert [each for each in answer.buttons if each == "retry"] == ["retry"]


async def test_f20_six_tables_are_all_visible_in_order(home: Path) -> None:
    async with house(home) as h:
        tables = [
            f"Before {n}\n\n| name {n} | value {n} |\n|---|---|\n| a{n} | b{n} |\n| c{n} | d{n} |\n" for n in range(6)
        ]
        answer = await answer_of(h, "\n".join(tables) + "\nThe end.")
        wanted = [f"{word}{n}" for n in range(6) for word in ("Before ", "name ", "value ", "a", "b", "c", "d")]
        places, at = [], 0
        for word in wanted:
            at = answer.body.find(word, at)
            places.append(at)
        assert -1 not in places, answer.body
        assert len(refusals(h)) <= 1 and answer.body.rstrip().endswith("The end.")


@pytest.mark.parametrize("address", ["https://img.example.com/a.png", "http://127.0.0.1:9/missing.png"])
async def test_f21_a_picture_by_address_costs_no_text(home: Path, address: str) -> None:
    async with house(home) as h:
        answer = await answer_of(h, f"Before the picture. ![chart]({address}) After the picture.", every_s=0.02)
        assert "Before the picture." in answer.body and "After the picture." in answer.body
        assert "chart" in answer.body and address in answer.body
        assert "![" not in answer.body and refusals(h) == []


async def test_f23_code_survives_being_divided(home: Path) -> None:
    async with house(home) as h:
        lines = [f"    value_{n} = compute({n})  # line {n}" for n in range(200)]
        code = "\n".join(["def run():", *lines])
        answer = await answer_of(h, f"Some words first.\n\n```python\n{code}\n```\n\nWords after.", every_s=0.02)
        parts = [part for part in answer.parts if "```" in part]
        assert len(parts) >= 3 and all(part.strip() for part in answer.parts)
        assert all(part.count("```") % 2 == 0 for part in parts)
        blocks = [block for part in parts for block in re.findall(r"```(\w*)\n(.*?)\n?```", part, re.DOTALL)]
        assert {language for language, _ in blocks} == {"python"}
        assert "\n".join(text for _, text in blocks) == code
        assert answer.parts[0].startswith("Some words first.") and answer.parts[-1].rstrip().endswith("Words after.")


ANGLES = "Use List<String> when a < b && c > d; the tag <config> is literal"


async def test_f25_angle_brackets_are_content(home: Path) -> None:
    async with house(home) as h:
        answer = await answer_of(h, f"{ANGLES}\n\nand `{ANGLES}` and\n\n```\n{ANGLES}\n```\n\nthe end.", every_s=0.02)
        assert answer.body.count(ANGLES) == 3, answer.body
        assert answer.body.rstrip().endswith("the end.")
        fenced = next(part for part in re.findall(r"```\n(.*?)```", answer.body, re.DOTALL))
        assert fenced.strip() == ANGLES


@pytest.mark.parametrize("shift", range(3))
async def test_f26_no_character_is_ever_cut(home: Path, shift: int) -> None:
    async with house(home) as h:
        text = "x" * shift + (FAMILY + FLAG + RARE) * 600
        h.model.script([Say(text, piece=997)])
        question = "q" * (58 + shift) + FAMILY + FLAG + RARE
        answer = await h.finished(await h.say(f"@niuma {question}"))
        assert squeezed("".join(answer.parts)) == squeezed(text)
        for shown in answer.parts:
            assert {*characters(shown)} <= {"x", " ", FAMILY, FLAG, RARE}
        title = characters(answer.title.split(" (")[0].rstrip("…"))
        assert len(title) >= 58 and title == characters(question)[: len(title)]
        assert not any(unicodedata.category(char) == "Cs" or char == "\ufffd" for char in answer.text)


def characters(text: str) -> list[str]:
    """Give what a reader sees as single characters."""
    return regex.findall(r"\X", text)


async def test_words_that_look_like_markup_are_shown_as_the_model_wrote_them(home: Path) -> None:
    async with house(home) as h:
        text = "<at id=all></at> and <at user_id=\"ou_chen\">Chen</at>, <font color='red'>red</font>, 100 % & more"
        answer = await answer_of(h, text)
        assert "@all" not in answer.text and "@Chen" not in answer.text
        assert "<at id=all></at>" in answer.body and "red" in answer.body and "100 % & more" in answer.body
        assert refusals(h) == []


async def test_a_question_with_markup_does_no_harm_in_the_title(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma **bold** <at id=all></at> `code` | table |")
        answer = await h.finished(asked)
        assert answer.title == "**bold** <at id=all></at> `code` | table |"
        assert answer.status == "Done" and refusals(h) == []
