"""Where a value comes from, which source wins, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gateway.errors import ConfigInvalid
from gateway.settings import Settings, apply_overlay, load_settings


def load(home: Path, toml: str = "", env: dict[str, str] | None = None, **overrides: Any) -> Settings:
    if toml:
        (home / "niuma.toml").write_text(toml, encoding="utf-8")
    return load_settings(home, environ=env or {}, overrides={k.replace("__", "."): v for k, v in overrides.items()})


def refused(home: Path, toml: str = "", env: dict[str, str] | None = None, **overrides: Any) -> ConfigInvalid:
    with pytest.raises(ConfigInvalid) as raised:
        load(home, toml, env, **overrides)
    return raised.value


def test_defaults_work_alone(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert (settings.cards.refresh_ms, settings.cards.thinking) == (200, "off")
    assert (settings.server.host, settings.server.port) == ("127.0.0.1", 8787)
    assert settings.default_model == "demo"
    assert settings.accounts() == ()
    assert settings.origin("cards.refresh_ms") == "default"


def test_defaults_equal_the_models_own(tmp_path: Path) -> None:
    """The engine's defaults, used by its tests, and the file's are the same."""
    from engine.settings import EngineSettings

    engine = load(tmp_path).engine()
    plain = EngineSettings(home=tmp_path)
    assert engine.model_copy(update={"providers": {}, "rules_from": (), "agent_folders": ()}) == plain


def test_stronger_sources_win(tmp_path: Path) -> None:
    toml = "[cards]\nrefresh_ms = 300\nthinking = 'folded'\n[sessions]\nidle_hours = 1"
    settings = load(tmp_path, toml, {"NIUMA_CARDS__REFRESH_MS": "400"}, cards__refresh_ms=500)
    assert settings.cards.refresh_ms == 500
    assert settings.origin("cards.refresh_ms") == "command line"
    assert settings.origin("cards.thinking") == "file"
    settings = load(tmp_path, env={"NIUMA_CARDS__REFRESH_MS": "400"})
    assert (settings.cards.refresh_ms, settings.origin("cards.refresh_ms")) == (400, "environment")
    assert settings.source("cards.refresh_ms") == "NIUMA_CARDS__REFRESH_MS"
    assert settings.source("sessions.idle_hours") == str(tmp_path / "niuma.toml")


def test_other_file_instead_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "niuma.toml").write_text("[cards]\nrefresh_ms = 300", encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text("[cards]\nthinking = 'folded'", encoding="utf-8")
    settings = load_settings(tmp_path, other, environ={})
    assert (settings.cards.refresh_ms, settings.cards.thinking) == (200, "folded")
    assert load_settings(tmp_path, environ={}, user_file=False).cards.refresh_ms == 200
    with pytest.raises(ConfigInvalid, match="there is no such file"):
        load_settings(tmp_path, tmp_path / "missing.toml", environ={})


@pytest.mark.parametrize(
    ("toml", "path", "near"),
    [
        ("[cards]\nrefersh_ms = 1", "cards.refersh_ms", "cards.refresh_ms"),
        ("[card]\nrefresh_ms = 1", "card", "cards"),
        ("[models.main]\nmodle = 'x/y'", "models.main.modle", "models.main.model"),
        ("[channels.feisu]\nid = 'x'", "channels.feisu", "channels.feishu"),
        (
            "[[channels.feishu]]\nid = 'a'\napp_secert = ''",
            "channels.feishu.a.app_secert",
            "channels.feishu.a.app_secret",
        ),
        ("[server]\nrefresh_ms = 1", "server.refresh_ms", "cards.refresh_ms"),
    ],
)
def test_unknown_key_names_the_nearest(tmp_path: Path, toml: str, path: str, near: str) -> None:
    error = refused(tmp_path, toml)
    assert error.path == path
    assert error.fix == f"did you mean {near}?"
    assert near in str(error)
    assert str(tmp_path / "niuma.toml") in str(error)


def test_unknown_variable_names_the_nearest_variable(tmp_path: Path) -> None:
    error = refused(tmp_path, env={"NIUMA_CARDS__REFERSH_MS": "300"})
    assert error.fix == "did you mean NIUMA_CARDS__REFRESH_MS?"
    assert refused(tmp_path, env={"NIUMA_ZZZ__QQQ": "1"}).source == "NIUMA_ZZZ__QQQ"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("cards = 3", "cards .*: is a table"),
        ("[cards.refresh_ms]\nx = 1", "is one value, not a table"),
        ("[cards]\nrefresh_ms = 1", "cards.refresh_ms .*must be at least 50"),
        ("[cards]\nthinking = 'loud'", "cards.thinking .*'off' or 'folded'"),
        ("[cards", "is not TOML"),
        ("[channels.feishu]\nid = 'x'", "is a list of tables"),
        ("[[channels.feishu]]\napp_id = 'x'", "needs an id"),
        ("[[channels.feishu]]\nid = 'Ma-in'", "needs an id"),
        ("[[channels.feishu]]\nid = 'a'\n[[channels.feishu]]\nid = 'a'", "two tables with the id 'a'"),
        ("[models.gpt-4]\nmodel = 'a/b'", "is no name"),
        ("[models.default]\nmodel = 'a/b'", "models.default .*: is one value"),
        ("[models.main]\napi_key = 'x'", "models.main.model .*: is missing"),
        ("[models]\ndefault = 'dmo'", "no model 'dmo'; did you mean 'demo'"),
        ("[models.main]\nmodel = 'a/b'\nfallbacks = ['c']", "models.main.fallbacks: there is no model 'c'"),
        ("[models.main]\nmodel = 'a/b'\nfallbacks = ['demo']", "cannot stand in for a real one"),
        ("[access]\nallow = ['ou_1']", "access.allow .*'ou_1' is neither channel:account:person nor"),
        ("[access]\nadmins = ['ou_1']", r"access.admins [^:]*: 'ou_1' is neither"),
        ("[access]\nadmins = ['fake:main:t:c']", "access.admins .* is not channel:account:person"),
        ("[access]\ngroups = 'all'", "access.groups"),
        ("[[access.conversations]]\nid = 'a'\nconversation = 'c'", "access.conversations.a.conversation .*neither"),
        ("[[access.conversations]]\nid = 'a'\nconversation = 'a:b:c:d'\ngroups = 'x'", "conversations.a.groups"),
        ("[[schedules]]\nid = 'a'\nprompt = 'x'\nto = []", "schedules.a: schedules are not run yet"),
    ],
)
def test_nonsense_is_refused_with_its_place(tmp_path: Path, toml: str, words: str) -> None:
    with pytest.raises(ConfigInvalid, match=words):
        load(tmp_path, toml)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("NIUMA_CARDS__REFRESH_MS", "fast", "not a whole number"),
        ("NIUMA_CARDS__REFRESH_MS", "true", "not a whole number"),
        ("NIUMA_CARDS__REFRESH_MS", "2.5", "not a whole number"),
        ("NIUMA_RUNS__RESUME", "yes", "not true or false"),
        ("NIUMA_RUNS__DRAIN_S", "''", "not a number"),
        ("NIUMA_ACCESS__ADMINS", "ou_1", "not a JSON list"),
        ("NIUMA_CHANNELS__FEISHU__MAIN", "x", "unknown setting"),
        ("NIUMA_CARDS__REFRESH_MS__X", "1", "unknown setting"),
    ],
)
def test_variables_have_kinds(tmp_path: Path, name: str, value: str, words: str) -> None:
    error = refused(tmp_path, env={name: value})
    assert words in str(error)
    assert error.source == name


def test_variables_are_read_by_the_kind_of_the_setting(tmp_path: Path) -> None:
    env = {
        "NIUMA_RUNS__RESUME": "false",
        "NIUMA_RUNS__DRAIN_S": "2.5",
        "NIUMA_ACCESS__ADMINS": '["fake:main:ou_1", "fake:main:ou_2"]',
        "NIUMA_SERVER__TOKEN": "123456",
        "NIUMA_MODELS__LOCAL__MODEL": "openai/qwen",
        "NIUMA_MODELS__LOCAL__API_BASE": "http://127.0.0.1:1/v1",
        "NIUMA_MODELS__DEFAULT": "local",
    }
    settings = load(tmp_path, env=env)
    assert (settings.runs.resume, settings.runs.drain_s) == (False, 2.5)
    assert settings.access.admins == ("fake:main:ou_1", "fake:main:ou_2")
    assert settings.server.token.get_secret_value() == "123456"
    assert settings.engine().default_model == "local"


def test_only_names_with_two_underscores_are_settings(tmp_path: Path) -> None:
    env = dict.fromkeys(
        ["NIUMA_HOME", "NIUMA_TOKEN", "NIUMA_FAILPOINT", "NIUMA_CLOCK", "NIUMA_TEST_A__B", "OTHER__X"], "1"
    )
    assert load(tmp_path, env=env).cards.refresh_ms == 200


def test_accounts_merge_by_id(tmp_path: Path) -> None:
    toml = "[[channels.feishu]]\nid = 'main'\napp_id = 'cli_a'\napp_secret = '${SECRET}'\n"
    env = {
        "SECRET": "file-secret",
        "NIUMA_CHANNELS__FEISHU__MAIN__APP_LIMIT": "exempt",
        "NIUMA_CHANNELS__FEISHU__LARK_2__APP_ID": "cli_b",
        "NIUMA_CHANNELS__FEISHU__LARK_2__APP_SECRET": "env-secret",
    }
    accounts = {account.id: account for account in load(tmp_path, toml, env).accounts()}
    assert {name: account.channel for name, account in accounts.items()} == {"main": "feishu", "lark_2": "feishu"}
    main, lark = (accounts[name].settings.model_dump() for name in ("main", "lark_2"))
    assert (main["app_id"], main["app_limit"], main["app_secret"]) == ("cli_a", "exempt", SecretStr("file-secret"))
    assert (lark["id"], lark["app_id"], lark["app_secret"]) == ("lark_2", "cli_b", SecretStr("env-secret"))


def test_an_account_in_one_variable(tmp_path: Path) -> None:
    env = {"NIUMA_CHANNELS__FEISHU": '[{"id": "main", "app_id": "a", "app_secret": "b"}]'}
    assert [account.id for account in load(tmp_path, env=env).accounts()] == ["main"]


def test_an_account_of_two_tokens(tmp_path: Path) -> None:
    env = {"BOT": "xoxb-1", "APP": "xapp-1"}
    text = "[[channels.slack]]\nid = 'main'\nbot_token = '${BOT}'\napp_token = '${APP}'\nnative_streams = 'off'\n"
    settings = load(tmp_path, text, env)
    (account,) = settings.accounts()
    assert (account.channel, account.id) == ("slack", "main")
    assert account.settings.model_dump()["bot_token"] == SecretStr("xoxb-1")
    assert {"xoxb-1", "xapp-1"} <= settings.secrets()


def test_the_database_fills_what_is_left_open(tmp_path: Path) -> None:
    settings = load(tmp_path, "[agent]\ntool_timeout_s = 300", {"NIUMA_SESSIONS__IDLE_HOURS": "2"})
    rows = {"agent.tool_timeout_s": 9, "agent.max_tool_rounds": 7, "sessions.idle_hours": 9}
    laid = apply_overlay(settings, rows)
    assert (laid.agent.tool_timeout_s, laid.agent.max_tool_rounds, laid.sessions.idle_hours) == (300, 7, 2)
    assert laid.origin("agent.max_tool_rounds") == "database"
    assert [laid.locked(key) for key in ("agent.tool_timeout_s", "agent.max_tool_rounds")] == [True, False]
    again = apply_overlay(laid, {"agent.max_tool_rounds": 3})
    assert again.agent.max_tool_rounds == 3
    assert settings.agent.max_tool_rounds == 5


def test_what_is_read_before_the_database_is_open_is_not_taken_from_it(tmp_path: Path) -> None:
    laid = apply_overlay(load(tmp_path), {"cards.refresh_ms": 999, "runs.drain_s": 1, "access.admins": ["x"]})
    assert (laid.cards.refresh_ms, laid.runs.drain_s, laid.access.admins) == (200, 20, ())


def test_rows_that_do_not_belong_are_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = {
        "cards.gone": 1,
        "server.host": "0.0.0.0",
        "database.url": "x",
        "models.main.api_key": "plain",
        "models.main.model": "openai/x",
    }
    laid = apply_overlay(load(tmp_path), rows)
    assert laid.server.host == "127.0.0.1"
    assert laid.engine().models["demo"].model == "demo/offline"
    assert laid.model_names()["main"] == "openai/x"
    assert sorted(vars(record)["setting"] for record in caplog.records) == [
        "cards.gone",
        "database.url",
        "models.main.api_key",
        "server.host",
    ]
    assert "plain'" not in caplog.text


def test_a_misspelled_key_beside_named_tables_is_not_taken_for_one_of_them(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match=r"models\.defalt .*unknown setting; did you mean models\.default\?"):
        load(tmp_path, '[models]\ndefalt = "main"\n')


def test_a_file_that_is_nested_without_end_is_not_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="is not TOML"):
        load(tmp_path, "[cards]\nrefresh_ms = " + "[" * 5000 + "]" * 5000)


def test_all_that_is_wrong_is_told_at_once_and_in_words(tmp_path: Path) -> None:
    problem = refused(tmp_path, "[cards]\nrefresh_ms = 'soon'\nthinking = 'loud'\n[runs]\nconcurrency = 0")
    assert "cards.refresh_ms" in str(problem) and "must be a whole number" in str(problem)
    assert "also cards.thinking: must be 'off' or 'folded'" in str(problem)
    problem = refused(tmp_path, "[cards]\nrefresh = 1\nthinkin = 2\n[runz]\na = 1")
    for wrong in ("cards.refresh", "cards.thinkin", "runz"):
        assert f"{wrong}" in str(problem) and "unknown setting" in str(problem)
    problem = refused(tmp_path, "[cards]\nrefresh_ms = -5")
    assert "must be at least" in str(problem) or "must be more than" in str(problem)


def test_access_is_read_with_all_its_modes_and_names_have_one_spelling(tmp_path: Path) -> None:
    toml = """
    [access]
    dm = "pairing"
    groups = "allowlist"
    threads = "mention"
    allow = ["fake:main:u 1", "fake:main:t2:*", "fake:main:t1:oc%2Fx"]
    [[access.conversations]]
    id = "team"
    conversation = "fake:main:t1:oc/team"
    groups = "open"
    """
    access = load(tmp_path, toml, {"NIUMA_ACCESS__CONVERSATIONS__TEAM__THREADS": "follow"}).access
    assert (access.dm, access.groups, access.threads) == ("pairing", "allowlist", "mention")
    assert access.allow == ("fake:main:u%201", "fake:main:t2:*", "fake:main:t1:oc%2Fx")
    rule = access.conversations[0]
    assert (rule.conversation, rule.groups, rule.threads) == ("fake:main:t1:oc%2Fteam", "open", "follow")
