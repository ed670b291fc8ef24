from __future__ import annotations

import pytest

from channels.cards.links import honest_link, host_of, inert, misleads, unlinked

Z = "\u200b"


@pytest.mark.parametrize(
    "link",
    [
        "[the docs](https://docs.example.com/a?b=c#d)",
        "[docs.example.com](https://docs.example.com/a)",
        "[https://www.example.com/x](https://example.com/x)",
        "[write to us](mailto:team@example.com)",
        "[version 2.0](https://example.com)",
        "[](https://example.com)",
    ],
)
def test_an_honest_link_stays_as_it_was_written(link: str) -> None:
    assert honest_link(link) == link


@pytest.mark.parametrize(
    "words", ["https://bank.example", "bank.example/login", "www.bank.example", "go to bank.example now"]
)
def test_words_that_look_like_another_address_have_the_host_beside_them(words: str) -> None:
    assert honest_link(f"[{words}](https://evil.test/x)") == f"[{words}](https://evil.test/x) (evil.test)"


def test_signs_that_are_not_seen_hide_nothing() -> None:
    assert (
        honest_link("[ba\u200bnk.exa\u202emple](https://evil.test)") == "[bank.example](https://evil.test) (evil.test)"
    )


def test_a_name_before_an_at_is_not_the_host() -> None:
    assert host_of("https://bank.example@evil.test/x") == "evil.test"
    assert host_of("https://bank.example\\@evil.test") == "bank.example", "as browsers read it"
    assert misleads("bank.example", "evil.test") and not misleads("bank.example", "www.bank.example")
    assert host_of("http://[broken") == ""


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "dtmd://x", "a/b.md", ""]
)
def test_what_leads_to_no_web_address_is_no_link_and_hides_nothing_r14(target: str) -> None:
    assert honest_link(f"[report]({target})") == f"[report]{Z}({target})"


def test_pointed_brackets_become_none() -> None:
    assert honest_link("[a](<https://x.test/a b(c)>)") == "[a](https://x.test/a%20b%28c%29)"


def test_plain_text_makes_no_link_where_it_stands_in_markdown() -> None:
    assert (
        inert("[Approve](https://x) [a][b] [c]: d list[int]")
        == f"[Approve]{Z}(https://x) [a]{Z}[b] [c]{Z}: d list[int]"
    )


@pytest.mark.parametrize("at", range(0, 12))
def test_halves_of_links_are_parted_wherever_the_text_is_cut(at: int) -> None:
    text = "[a [b]](xyz)"
    assert unlinked(text, 0, text[:at]) + unlinked(text, at, text[at:]) == f"[a [b]]{Z}(xyz)"


def test_only_what_defines_a_link_is_parted_from_its_colon() -> None:
    for text, wanted in (("[1]: x", f"[1]{Z}: x"), ("> [1]: x", f"> [1]{Z}: x"), ("see a[1]: x", "see a[1]: x")):
        assert unlinked(text, 0, text) == wanted
