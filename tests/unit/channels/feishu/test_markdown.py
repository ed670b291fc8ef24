from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from channels.feishu.markdown import CHUNK_CHARS, chunks, escape, fenced, has_tables, to_platform

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_angle_brackets_are_content_in_prose_and_untouched_in_code():
    prose = "Use List<String> when a < b && c > d; the tag <config> is literal"
    assert to_platform(prose) == prose.replace("<", "&#60;").replace(">", "&#62;")
    code = f"```java\n{prose}\n```"
    assert to_platform(code) == code
    assert to_platform(f"`{prose}` and <b>") == f"`{prose}` and &#60;b&#62;"


def test_quotes_stay_quotes():
    assert to_platform("> a < b\n> > c") == "> a &#60; b\n> > c"


def test_pictures_by_address_become_links_and_uploaded_ones_stay():
    assert to_platform('x ![chart](https://e.com/a.png "t") y') == "x [chart](https://e.com/a.png) y"
    assert to_platform("![](https://e.com/a.png)") == "[https://e.com/a.png](https://e.com/a.png)"
    assert to_platform("![k](img_v2_1)") == "![k](img_v2_1)"
    assert to_platform("`![c](https://e.com/a.png)` <") == "`![c](https://e.com/a.png)` &#60;"


def test_mention_of_everybody_cannot_be_smuggled_in():
    assert "<at" not in to_platform("hello <at id=all></at>")


def test_code_fences_move_to_the_first_column_with_their_code():
    assert to_platform("- x\n  ```py\n  if a:\n      b\n  ```\nend") == "- x\n```py\nif a:\n    b\n```\nend"


def test_tables_beyond_the_limit_become_code_with_every_cell():
    text = "\n\n".join([TABLE] * 6)
    shown = to_platform(text)
    assert has_tables(shown) == 4
    assert shown.count("| 1 | 2 |") == 6
    assert has_tables("```\n" + TABLE + "\n```") == 0
    assert has_tables("a | b\n---") == 0


def test_a_table_growing_as_code_only_grows():
    before = "\n\n".join([TABLE] * 4)
    shown = [to_platform(before + "\n\n" + TABLE[:end], growing=True) for end in range(len(TABLE) - 6, len(TABLE) + 1)]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(shown))


def test_a_growing_text_is_never_rewritten_at_its_end():
    text = "Use `List<String>` for\n\n![chart](https://e.com/a.png) when a < b"
    shown = [to_platform(text[:end], growing=True) for end in range(len(text) + 1)]
    for earlier, later in itertools.pairwise(shown):
        assert later.startswith(earlier)


@given(st.text(alphabet="ab<>`|-!\n[]()~ ", max_size=120))
def test_converting_while_it_grows_ends_where_converting_at_once_does(text):
    assert to_platform(text + "\n\nx", growing=True) == to_platform(text + "\n\nx")


@given(st.text(alphabet="ab中|\n. ", min_size=1, max_size=40), st.integers(1, 400))
def test_chunks_hold_everything_and_keep_their_places_while_text_grows(unit, times):
    text = unit * times
    parts = chunks(text)
    assert all(len(part) <= CHUNK_CHARS + 50 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    for end in (len(text) // 2, len(text) - 1):
        early = chunks(text[:end])
        assert parts[: len(early) - 1] == early[:-1]


def test_a_code_block_cut_in_two_is_code_in_both():
    first, second = chunks("```python\n" + "x = 1\n" * 700 + "```")
    assert first.endswith("\n```")
    assert second.startswith("```python\n")


def test_escape_and_fence_show_plain_text_as_it_is():
    assert escape("a*b_c\n<d>") == "a&#42;b&#95;c &#60;d&#62;"
    assert fenced("a ``` b", "bash") == "````bash\na ``` b\n````"
