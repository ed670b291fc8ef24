"""The platform's text, decoded."""

from __future__ import annotations

import pytest

from channels.slack.tokens import decode, mentions

NAMES = {"U2": "Lin Wei"}


def read(text: str) -> str:
    return decode(text, me="UBOT", name_of=lambda user: NAMES.get(user, ""))


def test_f03_text_is_decoded_before_the_agent_sees_it() -> None:
    text = (
        "<@UBOT> is a &lt; b &amp;&amp; c &gt; d? see <https://docs.example.com/?x=1&amp;y=2|the docs> in <#C042|ops>"
    )
    assert read(text) == "is a < b && c > d? see [the docs](https://docs.example.com/?x=1&y=2) in #ops"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ask <@UBOT> or <@UBOT>", "ask  or @UBOT"),
        ("<@UBOT>: stop", "stop"),
        ("<@U2> and <@U3|chen> and <@U4>", "@Lin Wei and @chen and @U4"),
        ("<!here> <!channel|channel> <!subteam^S1|@devs> <!subteam^S2>", "@here channel @devs @group"),
        ("<!date^1392734382^{date}|Feb 18, 2014>", "Feb 18, 2014"),
        ("<https://a.b/c>", "https://a.b/c"),
        ("<http://a.b|a.b>", "http://a.b"),
        ("<mailto:x@y.z|x@y.z>", "x@y.z"),
        ("&amp;lt;", "&lt;"),
        ("raw <now> stays", "raw <now> stays"),
        ("```\nif a &lt; b:\n    pass\n```", "```\nif a < b:\n    pass\n```"),
    ],
)
def test_tokens(text: str, said: str) -> None:
    assert read(text) == said


def test_f02_only_our_own_id_is_a_mention() -> None:
    assert mentions("<@UBOT> hi", "UBOT") and mentions("<@UBOT|niuma> hi", "UBOT")
    assert not mentions("<@UBOTTLE> hi @niuma <!here>", "UBOT")
    assert not mentions("<@> hi", "")
