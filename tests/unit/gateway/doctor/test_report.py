"""How findings are told."""

from __future__ import annotations

from channels.base import Finding
from gateway.doctor.examination import Detail, Examined
from gateway.doctor.report import as_data, as_lines, has_failed, width

WELL = Examined("folder", "", Finding("ok", "folder_writable", {"folder": "/data"}))
SHORT = Examined("space", "", Finding("warn", "space_short", {"free": "5 MB"}, "space_short"))
UNSEEN = Examined("revision", "", Finding("skipped", "needs_database"))
REFUSED = Examined("credentials", "feishu:main", Finding("fail", "refused", {"reason": "no"}, "auth_failed"))
EVERY = [REFUSED, WELL, SHORT, UNSEEN]


def plain(text: str) -> str:
    return text


def test_the_worst_stands_last_and_columns_are_aligned() -> None:
    lines = as_lines(EVERY, "en", plain, colour=False, every=False)
    assert lines == [
        "ok    Data folder              /data can be written",
        "warn  Disk space               only 5 MB free",
        "      → Make room on this disk; without it no message can be stored.",
        "FAIL  Credentials feishu:main  no",
        "      → Compare app id and secret with the console: …",
        "",
        "1 failed, 1 to look at, 1 fine, 1 not examined.",
    ]


def test_chinese_takes_two_columns() -> None:
    assert width("凭证 ab") == 7
    lines = as_lines(EVERY, "zh", plain, colour=False, every=True)
    starts = {width(line.split("feishu:main")[0]) for line in lines if "feishu:main" in line}
    assert starts == {width("失败  凭证 ")}
    texts = ("/data", "只剩", "未检查：", "no")
    columns = {width(line[: line.index(each)]) for line, each in zip(_rows(lines), _sorted(texts), strict=True)}
    assert len(columns) == 1


def _rows(lines: list[str]) -> list[str]:
    return [line for line in lines[:-2] if "→" not in line]


def _sorted(texts: tuple[str, str, str, str]) -> list[str]:
    well, short, unseen, refused = texts
    return [well, unseen, short, refused]


def test_what_a_library_says_at_length_is_cut_to_a_line() -> None:
    long = Examined("credentials", "", Finding("fail", "refused", {"reason": "so\n" * 200}))
    short, whole = (as_lines([long], "en", plain, colour=False, every=every)[0] for every in (False, True))
    assert len(short) < 220 and short.endswith("…") and "\n" not in short + whole
    assert whole.count("so") == 200


def test_colours_are_for_terminals_only() -> None:
    assert "\x1b[31;1mFAIL\x1b[0m" in "\n".join(as_lines(EVERY, "en", plain, colour=True, every=False))
    assert "\x1b" not in "\n".join(as_lines(EVERY, "en", plain, colour=False, every=True))


def test_details_that_nobody_asked_for_are_told_on_demand() -> None:
    details = [Detail("a.b", 1, "file", "/x/niuma.toml"), Detail("c.d", 2, "default", "default.toml", usual=True)]
    result = [Examined("settings", "", Finding("ok", "settings_default", {"file": "f"}), details)]
    short, long = (as_lines(result, "en", plain, colour=False, every=every) for every in (False, True))
    assert short[1] == "          a.b = 1  (niuma.toml)"
    assert "c.d = 2" not in "\n".join(short) and "c.d = 2" in "\n".join(long)


def test_secrets_are_taken_out_of_everything() -> None:
    def clean(text: str) -> str:
        return text.replace("marker", "[hidden]")

    facts = {"reason": "marker", "console": "marker"}
    details = [Detail("k", "marker", "file", "marker")]
    result = [Examined("credentials", "x", Finding("fail", "refused", facts, "auth_failed"), details)]
    data = as_data(result, "en", clean)
    assert "marker" not in str(data) and str(data).count("[hidden]") == 4
    assert "marker" not in str(as_lines(result, "en", clean, colour=True, every=True))


def test_what_failed_and_what_was_mended() -> None:
    assert has_failed(EVERY) and not has_failed([WELL, SHORT, UNSEEN])
    mended = Examined("folder", "", Finding("ok", "folder_writable", {"folder": "/data"}), fixed=True)
    assert as_lines([mended], "en", plain, colour=False, every=False)[0].endswith("(mended)")


def test_a_finding_of_another_version_is_still_a_line() -> None:
    strange = Examined("from_the_future", "", Finding("fail", "odd", {}, "odder"))
    lines = as_lines([strange], "en", plain, colour=False, every=False)
    assert lines[0] == "FAIL  from_the_future  odd"
    assert lines[1].strip().startswith("→ The gateway's log")
