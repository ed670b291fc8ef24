from __future__ import annotations

import subprocess
import sys

import pytest

from channels.feishu.settings import FeishuSettings
from channels.registry import build_channels, channel_names


def account(id: str, **more: object) -> FeishuSettings:
    return FeishuSettings.model_validate({"id": id, "app_id": "cli", "app_secret": "s", **more})


def test_enabled_accounts_become_channels_by_name_and_account(clock):
    channels = build_channels({"feishu": [account("main"), account("two"), account("off", enabled=False)]}, clock)
    assert list(channels) == [("feishu", "main"), ("feishu", "two")]
    assert all((channel.name, channel.account) == key for key, channel in channels.items())
    assert "feishu" in channel_names()


def test_names_must_be_known_and_accounts_apart(clock):
    with pytest.raises(KeyError):
        build_channels({"pigeon": [account("main")]}, clock)
    with pytest.raises(ValueError, match="main"):
        build_channels({"feishu": [account("main"), account("main")]}, clock)


def test_what_is_not_configured_is_not_imported():
    code = (
        "import sys; from channels.registry import build_channels; from gateway.clock import SystemClock;"
        "build_channels({}, SystemClock());"
        "print([n for n in sys.modules if n.startswith(('channels.feishu', 'lark_oapi', 'aiohttp'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"


def test_settings_refuse_what_they_do_not_know_and_hide_the_secret():
    with pytest.raises(ValueError, match="colour"):
        account("main", colour="red")
    with pytest.raises(ValueError, match="domain"):
        account("main", domain="https://open.feishu.cn/path")
    assert "s3cret" not in repr(account("main", app_secret="s3cret"))
