"""F64: no secret in files, on the terminal, or in what libraries log themselves."""

from __future__ import annotations

import io
import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.logs import HIDDEN, Logging, Redactor, start_logging

SECRET = "marked-app-secret"
logger = logging.getLogger("niuma.test")


@pytest.fixture
def stderr() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def logs(tmp_path: Path, stderr: io.StringIO) -> Iterator[Logging]:
    logging_ = start_logging(tmp_path, level="DEBUG", secrets=[SECRET], stream=stderr)
    yield logging_
    logging_.close()


def _lines(logs: Logging) -> list[dict[str, object]]:
    assert logs.file is not None
    return [json.loads(line) for line in logs.file.read_text("utf-8").splitlines()]


def test_a_line_is_json_with_the_usual_keys(logs: Logging, stderr: io.StringIO) -> None:
    logger.info("card_closed", extra={"written": 7, "card": "c1", "run": "r1"})
    (line,) = _lines(logs)
    assert list(line)[4:] == ["run", "card", "written"]
    assert (line["event"], line["level"], line["logger"]) == ("card_closed", "info", "niuma.test")
    assert (line["run"], line["written"]) == ("r1", 7)
    assert str(line["at"]).endswith("+00:00")
    assert stderr.getvalue().rstrip().endswith("card_closed run=r1 card=c1 written=7")


@pytest.mark.parametrize(
    "words",
    [
        f"secret {SECRET} in text",
        "tenant token t-g1044qh8ABCDEFGHIJKLMNOPQRSTUVWX",
        "user token u-6xYzABCDEFGHIJKLMNOPQRSTUVWX.abc",
        "Authorization: Bearer marked-bearer.value",
        "wss://open.feishu.cn/ws?device_id=1&access_key=marked-key&ticket=marked-ticket&x=1",
        '{"app_secret":"marked-in-json","tenant_access_token":"marked-in-json"}',
        "xoxb-marked-slack-token xapp-1-marked-slack-token",
        "https://hooks.slack.com/commands/T1/marked/reply",
        "https://oapi.dingtalk.com/robot/sendBySession?session=marked-session",
        "postgresql://niuma:marked-password@db/niuma",
        "key sk-proj-markedABCDEFGHIJKLMNOP",
        "quoted marked%2Fslash",
    ],
)
def test_no_secret_gets_through_anywhere(logs: Logging, stderr: io.StringIO, words: str) -> None:
    logs.protect(["marked/slash"])
    logger.debug("message %s", words)
    logger.debug("field", extra={"url": words, "inner": {"list": [words]}, "odd": ValueError(words)})
    try:
        raise RuntimeError(words)
    except RuntimeError as error:
        logger.exception("failed", extra={"reason": error}, stack_info=True)
    written = stderr.getvalue() + (logs.file.read_text("utf-8") if logs.file else "")
    assert written.count(HIDDEN) >= 10
    for piece in ("marked", "g1044", "6xYz", "-proj-"):
        assert piece not in written


def test_handlers_of_libraries_get_clean_records(logs: Logging) -> None:
    own = io.StringIO()
    library = logging.getLogger("niuma.test.library")
    handler = logging.StreamHandler(own)
    library.addHandler(handler)
    try:
        raise RuntimeError(SECRET)
    except RuntimeError:
        library.exception("with %s", SECRET)
    library.removeHandler(handler)
    assert SECRET not in own.getvalue()
    assert own.getvalue().count(HIDDEN) == 2


def test_what_helps_to_diagnose_stays(logs: Logging) -> None:
    kept = "app cli_a1b2 chat oc_84983ff6516d731e5b5f68d4ea2e1da5 code 99991663 message om_dc13264520392913"
    logger.info("refused %s", kept, extra={"log_id": "202401010000000001"})
    (line,) = _lines(logs)
    assert line["event"] == f"refused {kept}"
    assert line["log_id"] == "202401010000000001"


def test_short_secrets_do_not_black_out_everything() -> None:
    redactor = Redactor()
    redactor.protect(["", "a", "abc", "abcd", "abcdef"])
    assert redactor.clean("a banana abc") == "a banana abc"
    assert redactor.clean("xabcdefx abcd") == f"x{HIDDEN}x {HIDDEN}"


def test_a_message_whose_arguments_do_not_fit_is_clean_too(logs: Logging, capsys: pytest.CaptureFixture[str]) -> None:
    logger.info("one %d", SECRET)
    (line,) = _lines(logs)
    assert line["event"] == f"one %d ('{HIDDEN}',)"
    assert capsys.readouterr().err == ""


def test_files_are_private_and_rotated(logs: Logging, tmp_path: Path) -> None:
    assert logs.file == tmp_path / "logs" / "niuma.log"
    assert stat.S_IMODE(logs.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(logs.file.parent.stat().st_mode) == 0o700
    for number in range(550):
        logger.debug("large %d", number, extra={"body": "x" * 19_000})
    assert sorted(file.name for file in logs.file.parent.iterdir()) == ["niuma.log", "niuma.log.1"]


def test_a_huge_text_is_cut_and_no_half_secret_is_left(logs: Logging) -> None:
    logger.info("huge", extra={"body": "x" * 19_995 + SECRET + "y" * 3_000_000})
    (line,) = _lines(logs)
    assert len(line["body"]) < 21_000
    assert SECRET[:6] not in line["body"]


def test_without_a_folder_only_stderr(stderr: io.StringIO) -> None:
    before = logging.getLogRecordFactory()
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    logs = start_logging(None, level="WARNING", stream=stderr)
    assert logs.file is None
    try:
        raise ValueError("last words")
    except ValueError:
        logger.warning("failed", exc_info=True)
    assert stderr.getvalue().rstrip().endswith("warning failed error='ValueError: last words'")
    logs.close()
    assert logging.getLogRecordFactory() is before
    assert logging.getLogger().handlers == handlers
    assert logging.getLogger().level == level
