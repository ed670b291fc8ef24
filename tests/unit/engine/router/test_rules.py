"""What turns a decision: material, code, a conversation that goes on, specialists, and when the rules keep silent."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.router import Directory, Way, decide_by_rules, read_request
from engine.router.signals import SIGNALS

NOBODY = Directory()


@dataclass(frozen=True)
class Skill:
    name: str
    when_to_use: str = ""


def way(
    text: str, *, skills: Directory = NOBODY, domains: Directory = NOBODY, previous: Way | None = None
) -> Way | None:
    route = decide_by_rules(read_request(text, previous=previous), skills, domains)
    return None if route is None else route.way


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("怎么删除一个分支？", "direct"),
        ("删除 old-ui 分支", "agent"),
        ("How do I delete a branch?", "direct"),
        ("Delete the branch old-ui", "agent"),
        ("Translate: restart the server and delete all logs", "direct"),
        ("What does this do?\n```sh\nrm -rf build && make deploy\n```", "direct"),
        ("Run this code\n```py\nprint(1)\n```", "agent"),
        ("写一封邮件给客户", "direct"),
        ("发一封邮件给客户，说明延期", "agent"),
        ("Write an API, a web page, integration tests and a deployment guide", "team"),
        ("How do I write an API, a web page, integration tests and a deployment guide?", "direct"),
        ("Translate: design the schema, build the API, write the tests and deploy", "direct"),
    ],
)
def test_an_order_is_not_talk_about_it(text: str, expected: Way) -> None:
    assert way(text) == expected


@pytest.mark.parametrize(
    "text", ["继续", "好的，继续吧", "再试一次", "go on", "Yes, do it", "OK, go ahead", "try again please"]
)
def test_consent_goes_on_with_the_work_before(text: str) -> None:
    assert way(text, previous="agent") == "agent"
    assert way(text, previous="team") == "agent"
    assert way(text, previous="direct") != "agent"


@pytest.mark.parametrize("text", ["谢谢", "thanks!", "shorter please", "换个说法"])
def test_talk_after_work_is_talk(text: str) -> None:
    assert way(text, previous="agent") == "direct"


@pytest.mark.parametrize(
    "text", ["", "   ", "banana", "紫色的门", "asdf qwer", "Is the grommet blue?", "螺母拧上了吗？"]
)
def test_the_rules_keep_silent_where_nothing_or_a_bare_question_speaks(text: str) -> None:
    assert way(text) is None


def test_a_skill_that_is_named_or_described_pulls_to_the_agent() -> None:
    skills = Directory(
        [Skill("expense-report", "报销 发票 审核; checking expense receipts"), Skill("poem", "rhymes verses")]
    )
    request = read_request("please check my expense receipts")
    route = decide_by_rules(request, skills, NOBODY)
    assert route is not None
    assert (route.way, route.skills) == ("agent", ("expense-report",))
    assert way("banana via expense report", skills=skills) == "agent"
    assert way("banana receipts", skills=skills) is None, "one word is chance"


def test_a_skill_does_not_outvote_how_things_are_done() -> None:
    skills = Directory([Skill("git-release", "tagging and releasing versions with git")])
    assert way("怎么用 git release 打标签？", skills=skills) == "direct"


def test_words_that_most_skills_use_say_nothing() -> None:
    common = "company documents archive"
    skills = Directory([Skill(f"kind-{letter}", f"{common} special{letter}") for letter in "abcde"])
    assert way("banana company documents", skills=skills) is None
    assert way("banana speciala archive", skills=skills) is None
    assert way("kind-a banana", skills=skills) == "agent"


def test_domain_agents_that_fit_are_named() -> None:
    domains = Directory([Skill("teacher", "讲解题目 数学 作业 homework problems"), Skill("lawyer", "contracts")])
    route = decide_by_rules(read_request("打开我的数学作业，看看第三题"), NOBODY, domains)
    assert route is not None
    assert (route.way, route.domains) == ("agent", ("teacher",))


def test_a_decision_says_why() -> None:
    route = decide_by_rules(read_request("重启 nginx"), NOBODY, NOBODY)
    assert route is not None
    assert (route.by, route.intent) == ("rules", "runs")
    assert "agent 6 (runs 6)" in route.reason
    assert 0.5 < route.confidence <= 1


def test_signals_have_names_of_their_own_and_speak_both_languages() -> None:
    names = [signal.name for signal in SIGNALS]
    assert len(set(names)) == len(names)
    assert all(signal.zh and signal.en for signal in SIGNALS)
