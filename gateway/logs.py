"""Logging of the process: JSON lines in the data folder, short lines on stderr, and no secret in either.

Code logs an event and fields: `log.info("card closed", extra={"run": run, "card": card})`. The keys `run`,
`conversation`, `channel`, `account` and `card` mean the same everywhere.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TextIO, cast
from urllib.parse import quote

from gateway.paths import create_private_folder, logs_folder

KEYS = ("run", "conversation", "channel", "account", "card")
HIDDEN = "[hidden]"
FILE = "niuma.log"
_FILE_BYTES = 10_000_000
_FILES_KEPT = 5
_SHORTEST_SECRET_CHARS = 4
_LONGEST_TEXT_CHARS = 20_000
"""More of one text is no log line; looking for secrets in megabytes would hold up the process."""
_LONGEST_SECRET_CHARS = 4_000
"""How far beyond a cut secrets are looked for, so that no half of one is left before it."""
_NOISY = ("aiohttp.access", "LiteLLM", "httpx", "asyncio", "alembic", "apscheduler", "slack_bolt", "Lark")

# What secrets of the platforms look like, for those nobody registered: tokens made at run time, one-time addresses.
# Each pattern with texts of which one must be there: looking for those first is what makes a clean line cheap.
_PATTERNS = tuple(
    (tuple(markers), re.compile(pattern))
    for markers, pattern in (
        (("t-", "u-", "a-"), r"[tua]-(?<![\w-][tua]-)[A-Za-z0-9_.-]{20,}"),  # Feishu tenant, user and app tokens
        (("xox", "xapp-"), r"(?<![\w-])(?:xox[a-z]|xapp)-[\w-]{8,}"),  # Slack
        (("sk-",), r"(?<![\w-])sk-[\w-]{16,}"),  # model providers
        (("earer ", "EARER "), r"(?i:(?<=bearer ))[^\s\"',;]{6,}"),
        (
            ("ticket=", "access_key=", "access_token=", "app_secret=", "session="),
            r"(?:(?<=ticket=)|(?<=access_key=)|(?<=access_token=)|(?<=app_secret=)|(?<=session=))[^&\s\"']+",
        ),
        (
            ('ticket":"', 'access_key":"', 'app_secret":"', '_token":"'),
            r"(?:(?<=ticket\":\")|(?<=access_key\":\")|(?<=app_secret\":\")|(?<=_token\":\"))[^\"]+",
        ),
        (
            ("key=", "token=", "secret=", "password=", "sig=", "signature="),  # of any address, as errors quote them
            r"(?:(?<=[?&]key=)|(?<=api_key=)|(?<=api-key=)|(?<=apikey=)|(?<=[?&_-]token=)|(?<=[?&_-]secret=)|(?<=[?&]password=)|(?<=[?&]sig=)"
            r"|(?<=signature=))[^&\s\"']+",
        ),
        (("hooks.slack.com",), r"(?<=https://hooks\.slack\.com/)\S+?(?=[\s\"']|$)"),
        (("://",), r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),  # user:password in an address
    )
)
_CLEANED = "niuma_cleaned"
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", _CLEANED}


class Redactor(logging.Filter):
    """Takes secrets out of log records: registered ones wherever they stand, and what looks like a token."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets: set[str] = set()
        self._longest_first: list[str] = []

    def protect(self, secrets: Iterable[str]) -> None:
        """Never let these through again, nor their URL-encoded form; those under 4 characters are not looked for."""
        for secret in secrets:
            if len(secret) >= _SHORTEST_SECRET_CHARS:
                self._secrets |= {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}
        self._longest_first = sorted(self._secrets, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """Give `text` with every secret replaced, cut at 20,000 characters."""
        if len(text) <= _LONGEST_TEXT_CHARS:
            return self._hide(text)
        clean = self._hide(text[: _LONGEST_TEXT_CHARS + _LONGEST_SECRET_CHARS])
        return f"{clean[:_LONGEST_TEXT_CHARS]}... ({len(text)} characters)"

    def _hide(self, text: str) -> str:
        for secret in self._longest_first:
            text = text.replace(secret, HIDDEN)
        for markers, pattern in _PATTERNS:
            if any(marker in text for marker in markers):
                text = pattern.sub(HIDDEN, text)
        return text

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean a record in place, once: message, fields, traceback. Lets every record through."""
        if not getattr(record, _CLEANED, False):
            self.clean_message(record)
            for key in vars(record).keys() - _STANDARD:
                setattr(record, key, self._clean_value(getattr(record, key)))
            setattr(record, _CLEANED, True)
        return True

    def clean_message(self, record: logging.LogRecord) -> None:
        """Clean what a record has when it is made; its fields come later."""
        record.msg, record.args = self.clean(_message(record)), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self.clean(record.exc_text)
        if record.stack_info:
            record.stack_info = self.clean(record.stack_info)

    def _clean_value(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, dict):
            return {str(k): self._clean_value(v) for k, v in cast(dict[Any, Any], value).items()}
        if isinstance(value, list | tuple):
            return [self._clean_value(item) for item in cast(list[Any], value)]
        return self.clean(str(value))


def _message(record: logging.LogRecord) -> str:
    """Give the whole message; of one whose arguments do not fit, both parts, which logging would print uncleaned."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args!r}"


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Give the record's own fields, the standard keys first."""
    extra = {key: value for key, value in vars(record).items() if key not in _STANDARD}
    return {key: extra[key] for key in KEYS if key in extra} | extra


class JsonFormatter(logging.Formatter):
    """One JSON object a line: at (UTC), level, logger, event, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_fields(record),
        }
        if record.exc_text:
            line["error"] = record.exc_text
        return json.dumps(line, ensure_ascii=False, default=str)


class ShortFormatter(logging.Formatter):
    """For a person at a terminal: time, level, event, fields; a traceback only at debug level."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line."""
        fields = "".join(f" {key}={value}" for key, value in _fields(record).items())
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        line = f"{time} {record.levelname.lower():7} {record.getMessage()}{fields}"
        if record.exc_text:
            whole = logging.getLogger().isEnabledFor(logging.DEBUG)
            line += f"\n{record.exc_text}" if whole else f" error={record.exc_text.splitlines()[-1]!r}"
        return line


class Logging:
    """The logging of this process, from `start_logging` to `close`."""

    def __init__(
        self, handlers: list[logging.Handler], redactor: Redactor, file: Path | None, levels: dict[str, int]
    ) -> None:
        self._handlers = handlers
        self._levels = levels
        self._factory = logging.getLogRecordFactory()
        self._redactor = redactor
        self.file = file
        """The log file, if one is written."""
        logging.setLogRecordFactory(_cleaning(self._factory, redactor))

    def protect(self, secrets: Iterable[str]) -> None:
        """Keep these out of everything that is logged from now on."""
        self._redactor.protect(secrets)

    def close(self) -> None:
        """Write out, take the handlers away, and set the levels back."""
        logging.setLogRecordFactory(self._factory)
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)


def _cleaning(make: Callable[..., logging.LogRecord], redactor: Redactor) -> Callable[..., logging.LogRecord]:
    """Clean records where they are made, so that handlers which libraries bring along get clean ones too."""

    def made(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        redactor.clean_message(record)
        return record

    return made


def start_logging(
    home: Path | None, *, level: str = "INFO", secrets: Iterable[str] = (), stream: TextIO | None = None
) -> Logging:
    """Log to stderr (or `stream`), and with `home` also to rotated files (10 MB, 5 kept) in its `logs/`.

    Raises:
        OSError: the file cannot be opened.
    """
    redactor = Redactor()
    redactor.protect(secrets)
    short = logging.StreamHandler(stream or sys.stderr)
    short.setFormatter(ShortFormatter())
    handlers: list[logging.Handler] = [short]
    file = None
    if home is not None:
        file = create_private_folder(logs_folder(home)) / FILE
        handlers.append(_file_handler(file))
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in ("", *_NOISY)}
    root.setLevel(level)
    for handler in handlers:
        handler.addFilter(redactor)
        root.addHandler(handler)
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    return Logging(handlers, redactor, file, levels)


def _file_handler(file: Path) -> RotatingFileHandler:
    def private(path: str, flags: int) -> int:
        return os.open(path, flags, 0o600)

    with open(file, "a", opener=private):
        pass
    handler = RotatingFileHandler(file, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8")
    handler.setFormatter(JsonFormatter())
    return handler
