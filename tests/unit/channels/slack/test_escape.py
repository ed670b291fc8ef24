"""What we write rings nobody's phone and says the same."""

from __future__ import annotations

import pytest

from channels.slack.escape import JOINER, code, markdown, mrkdwn, neutral, settled_tail


@pytest.mark.parametrize("token", ["<!channel>", "<!HERE>", "<!everyone|x>", "<!subteam^S1>", "<@U123>", "<#C1>"])
def test_f24_tokens_become_words(token: str) -> None:
    assert neutral(f"a {token} b") == f"a <{JOINER}{token[1:]} b"
    assert markdown(f"`{token}`") == f"`<{JOINER}{token[1:]}`"


@pytest.mark.parametrize("text", ["List<String>", "<!DOCTYPE html>", "<!-- note -->", "a < b", "a <@ b", "<config>"])
def test_f25_other_brackets_are_content(text: str) -> None:
    assert neutral(text) == text
    assert markdown(text) == text


def test_links_in_the_platforms_own_form_work() -> None:
    assert markdown("see <https://x.y/1|the build>.") == "see [the build](https://x.y/1)."
    assert markdown("![plot](https://x.y/p.png)") == "[plot](https://x.y/p.png)"


def test_whatever_the_cut_a_growing_text_only_grows() -> None:
    text = "x <!channel> y <@U1> z <!-- c --> <b> <!here>"
    shown = ""
    for size in range(len(text) + 1):
        now = settled_tail(neutral(text[:size]))
        assert now.startswith(shown), (shown, now)
        shown = now
    assert shown == neutral(text)


def test_mrkdwn_is_escaped_once() -> None:
    assert mrkdwn("a < b && <@U1>") == "a &lt; b &amp;&amp; &lt;@U1&gt;"
    assert code("```x```<y>") == "```ʼʼʼxʼʼʼ&lt;y&gt;```"
