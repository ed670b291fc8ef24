"""Every request of the adapter is taken from a budget that its capabilities name."""

from __future__ import annotations

import re
from pathlib import Path

import channels.feishu
from channels.feishu.limits import capabilities_of

_NAMES = re.compile(r"""(?:insist|acquire|turn|Write)\(\s*"([a-z.]+)\"""")
_ASKS = re.compile(r'Names\([^"\n]*"([a-z.]+)"')
_SENDS = re.compile(r'"(message\.(?:send|reply|patch))"')


def names_in_use() -> set[str]:
    folder = Path(next(iter(channels.feishu.__path__)))
    sources = [path.read_text("utf-8") for path in folder.glob("*.py") if path.name != "limits.py"]
    return {name for source in sources for pattern in (_NAMES, _ASKS, _SENDS) for name in pattern.findall(source)}


def test_every_method_has_its_limit_and_no_limit_is_for_nothing() -> None:
    named = set(capabilities_of("auto").methods)
    used = names_in_use() | {"image.upload", "file.upload"}
    assert used == named, f"not listed: {used - named}; not used: {named - used}"
