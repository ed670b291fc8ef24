"""`niuma channels NAME manifest` prints what an app is made from."""

from __future__ import annotations

import json

import pytest

from gateway.cli.main import main


def test_it_is_json_with_the_wanted_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["channels", "slack", "manifest", "--command", "/ask", "--name", "helper"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["features"]["slash_commands"][0]["command"] == "/ask"
    assert told["features"]["bot_user"]["display_name"] == "helper"
    assert {"chat:write", "app_mentions:read", "im:history"} <= set(told["oauth_config"]["scopes"]["bot"])
    assert "agent_session_stopped" in told["settings"]["event_subscriptions"]["bot_events"]


def test_an_impossible_command_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["channels", "slack", "manifest", "--command", "ask me"]) == 2
    assert "a slash and a word" in capsys.readouterr().err
