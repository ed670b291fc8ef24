from __future__ import annotations

from channels.feishu.markdown import escape, fenced, to_platform

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_angle_brackets_are_content_in_prose_and_untouched_in_code():
    prose = "Use List<String> when a < b && c > d; the tag <config> is literal"
    assert to_platform(prose) == prose.replace("<", "&#60;").replace(">", "&#62;")
    code = f"```java\n{prose}\n```"
    assert to_platform(code) == code
    assert to_platform(f"`{prose}` and <b>") == f"`{prose}` and &#60;b&#62;"


def test_quotes_stay_quotes():
    assert to_platform("> a < b\n> > c") == "> a &#60; b\n> > c"


def test_pictures_by_address_become_links_and_made_up_keys_words():
    assert to_platform('x ![chart](https://e.com/a.png "t") y') == "x [chart](https://e.com/a.png) y"
    assert to_platform("![](https://e.com/a.png)") == "[https://e.com/a.png](https://e.com/a.png)"
    assert to_platform("![k](img_v2_1)") == "k"
    assert to_platform("![](img_v2_1)") == "img_v2_1"
    assert to_platform("`![k](img_v2_1)`") == "`![k](img_v2_1)`"
    assert to_platform("`![c](https://e.com/a.png)` <") == "`![c](https://e.com/a.png)` &#60;"


def test_mention_of_everybody_cannot_be_smuggled_in():
    assert "<at" not in to_platform("hello <at id=all></at>")


def test_code_fences_move_to_the_first_column_with_their_code():
    assert to_platform("- x\n  ```py\n  if a:\n      b\n  ```\nend") == "- x\n```py\nif a:\n    b\n```\nend"


def test_code_in_a_quote_is_code() -> None:
    assert to_platform("> ```py\n> if a:\n>     b\n> ```\n> end") == "```py\nif a:\n    b\n```\n> end"


def test_tables_beyond_the_limit_become_code_with_every_cell():
    shown = to_platform("\n\n".join([TABLE] * 6))
    assert shown.count("| --- | --- |") == 4
    assert shown.count("| 1 | 2 |") == 6
    assert shown.endswith("```\n| a | b |\n| 1 | 2 |\n```")
    assert to_platform(f"```\n{TABLE}\n```", tables=0) == f"```\n{TABLE}\n```"
    assert to_platform(f"{TABLE}\nafter", tables=0) == "```\n| a | b |\n| 1 | 2 |\n```\nafter"


def test_cells_are_converted_like_prose_and_left_alone_in_code():
    table = "| a | b |\n|---|---|\n| `x<y>` | <b> ![i](https://e.com/a.png) |"
    assert to_platform(table).endswith("| `x<y>` | &#60;b&#62; [i](https://e.com/a.png) |")
    assert "| `x<y>` | <b> ![i](https://e.com/a.png) |" in to_platform(table, tables=0)


def test_addresses_in_pointed_brackets_are_addresses():
    assert to_platform("see <https://e.com/a?b=1> and [x](<https://e.com/y>)") == (
        "see https://e.com/a?b=1 and [x](https://e.com/y)"
    )


def test_escape_and_fence_show_plain_text_as_it_is():
    assert escape("a*b_c\n<d>") == "a&#42;b&#95;c &#60;d&#62;"
    assert fenced("a ``` b", "bash") == "````bash\na ``` b\n````"


def test_tables_without_a_gap_are_one_table_with_rows_of_dashes() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | - |\n"
    shown = to_platform(table * 6)
    assert shown.count("| --- | --- |") == 1
    assert shown.count("| &#45;&#45;&#45; | &#45;&#45;&#45; |") == 5
    assert shown.count("| 1 | - |") == 6


def test_a_rule_below_a_line_that_begins_no_table_of_ours_makes_none() -> None:
    assert to_platform("`code` | a | b |\n|---|---|\n") == "`code` | a | b |\n|---&#124;---&#124;\n"
    assert to_platform("a | b\n:-- | --:\n") == "a | b\n:-- &#124; --:\n"
    assert to_platform("pick x | y, or - | z") == "pick x | y, or - | z"
