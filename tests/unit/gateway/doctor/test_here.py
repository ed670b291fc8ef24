"""What the doctor finds on this machine: settings, folder, database, process, packages, proxies, sandbox."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from engine.runtime import DATABASE_FILE, Database, FolderLock
from gateway.doctor.machine import fits, packages, proxies, python
from gateway.doctor.sandbox import sandbox
from gateway.migrations import migrate
from tests.unit.gateway.doctor.subjects import PretendedDisk, found, said, subject


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


@pytest.fixture
def migrated(home: Path) -> Path:
    database = Database("sqlite", home)
    migrate(database)
    database.close()
    return home


def execute(home: Path, statement: str) -> None:
    with sqlite3.connect(home / DATABASE_FILE) as connection:
        connection.execute(statement)
    connection.close()


async def test_settings_tell_each_value_with_its_origin_and_hide_secrets(home: Path) -> None:
    (home / "niuma.toml").write_text('[cards]\nrefresh_ms = 300\n[models.main]\nmodel = "openai/x"\napi_key = "marker"')
    result = await found(subject(home, {"NIUMA_RUNS__DRAIN_S": "3"}), "settings")
    assert said(result) == ("ok", "settings_read")
    own = {each.name: (each.value, each.origin, Path(each.source).name) for each in result.details if not each.usual}
    assert own["cards.refresh_ms"] == (300, "file", "niuma.toml")
    assert own["runs.drain_s"] == (3, "environment", "NIUMA_RUNS__DRAIN_S")
    assert own["models.main.api_key"][0] == "(hidden)"
    assert any(each.usual and each.name == "sessions.idle_hours" for each in result.details)
    secrets = await found(subject(home), "secrets")
    assert said(secrets) == ("warn", "secrets_plain")
    assert secrets.finding.params["keys"] == "models.main.api_key"
    assert said(await found(subject(home / "none"), "settings")) == ("ok", "settings_without_file")


@pytest.mark.parametrize("text", ["[cards\n", "[cards]\nrefersh_ms = 3\n", "[access]\nallow = ['x']\n"])
async def test_broken_settings_are_a_finding_and_the_rest_is_examined(home: Path, text: str) -> None:
    (home / "niuma.toml").write_text(text)
    result = await found(subject(home), "settings")
    assert said(result) == ("fail", "settings_refused")
    assert str(home / "niuma.toml") in str(result.finding.params["reason"]) or "access" in text
    assert said(await found(subject(home), "folder")) == ("ok", "folder_writable")


async def test_rules_that_serve_would_not_start_with(home: Path) -> None:
    assert said(await found(subject(home), "permissions")) == ("ok", "permissions_read")
    (home / "permissions.toml").write_text('[[rules]]\nid = "a"\nverdict = "denny"\n')
    result = await found(subject(home), "permissions")
    assert said(result) == ("fail", "permissions_refused") and "did you mean 'deny'" in str(
        result.finding.params["reason"]
    )


async def test_an_open_door_and_accounts_that_lack_something(home: Path) -> None:
    assert said(await found(subject(home), "server")) == ("ok", "server_set")
    assert said(await found(subject(home, server__host="0.0.0.0"), "server")) == ("fail", "server_open")
    assert said(await found(subject(home), "accounts")) == ("warn", "accounts_none")
    table = '[[channels.feishu]]\nid = "{0}"\napp_id = "cli_{0}"\napp_secret = "${{SECRET_{0}}}"\n'
    (home / "niuma.toml").write_text(table.format("a") + table.format("b"))
    result = await found(subject(home, {"SECRET_a": "marker"}, offline=True), "accounts")
    assert said(result) == ("fail", "accounts_refused")
    assert "SECRET_b" in str(result.finding.params["reason"])
    both = subject(home, {"SECRET_a": "marker", "SECRET_b": "marker"}, offline=True)
    assert said(await found(both, "accounts")) == ("ok", "accounts_set")


async def test_a_missing_folder_is_made_on_demand_and_what_waited_for_it_is_examined(tmp_path: Path) -> None:
    who = subject(tmp_path / "new" / "home")
    assert said(await found(who, "folder")) == ("warn", "folder_missing")
    assert said(await found(who, "space")) == ("skipped", "needs_folder")
    assert not who.home.exists()
    made = await found(who, "folder", fix=True)
    assert (said(made), made.fixed) == (("ok", "folder_writable"), True)
    assert who.home.stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").touch()
    assert said(await found(subject(tmp_path / "file"), "folder")) == ("fail", "folder_no_folder")


async def test_what_was_skipped_is_seen_in_the_same_run_that_made_it_possible(tmp_path: Path) -> None:
    assert said(await found(subject(tmp_path / "home"), "privacy", fix=True)) == ("ok", "folder_private")


async def test_a_read_only_and_a_full_disk(home: Path) -> None:
    read_only = subject(home, disk=PretendedDisk(writable=False))
    assert said(await found(read_only, "folder")) == ("fail", "folder_read_only")
    for free, verdict in ((10**11, "ok"), (5 * 10**8, "warn"), (10**7, "fail")):
        assert (await found(subject(home, disk=PretendedDisk(free=free)), "space")).finding.verdict == verdict


async def test_rights_of_others_are_found_and_taken_away(home: Path) -> None:
    assert said(await found(subject(home), "privacy")) == ("ok", "folder_private")
    (home / "token").write_text("x")
    home.chmod(0o755)
    (home / "token").chmod(0o644)
    result = await found(subject(home), "privacy")
    assert said(result) == ("fail", "folder_not_private")
    assert str(home / "token") in str(result.finding.params["paths"])
    assert (await found(subject(home), "privacy", fix=True)).fixed
    assert (home.stat().st_mode & 0o777, (home / "token").stat().st_mode & 0o777) == (0o700, 0o600)


async def test_a_repair_that_fails_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.chmod(0o755)

    def refuse(_self: Path, _mode: int) -> None:
        raise PermissionError("not yours")

    monkeypatch.setattr(Path, "chmod", refuse)
    result = await found(subject(home), "privacy", fix=True)
    assert said(result) == ("fail", "repair_failed")


async def test_the_database_is_sound_or_not_and_nothing_is_left_beside_it(migrated: Path) -> None:
    before = sorted(os.listdir(migrated))
    assert said(await found(subject(migrated), "database")) == ("ok", "database_sound")
    assert said(await found(subject(migrated), "revision")) == ("ok", "revision_right")
    assert sorted(os.listdir(migrated)) == before
    (migrated / DATABASE_FILE).write_bytes(b"no database at all" * 100)
    assert said(await found(subject(migrated), "database")) == ("fail", "database_broken")
    assert said(await found(subject(migrated), "revision")) == ("skipped", "needs_database")
    (migrated / DATABASE_FILE).unlink()
    assert said(await found(subject(migrated), "database")) == ("skipped", "database_none")
    assert not (migrated / DATABASE_FILE).exists()


async def test_a_database_in_use_is_read_beside_its_user(migrated: Path) -> None:
    with sqlite3.connect(migrated / DATABASE_FILE, isolation_level=None) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("CREATE TABLE more (x)")
        assert said(await found(subject(migrated), "database")) == ("ok", "database_sound")
        writer.execute("ROLLBACK")
    writer.close()


async def test_a_server_that_is_away_is_named_without_its_password(home: Path) -> None:
    who = subject(home, database__url="postgresql://me:marker@127.0.0.1:9/niuma")
    result = await found(who, "database")
    assert said(result) == ("fail", "database_unreachable")
    assert result.finding.params["place"] == "127.0.0.1:9/niuma"
    assert "marker" not in str(result.finding)


async def test_an_old_schema_is_brought_up_to_date_unless_somebody_works_on_it(home: Path) -> None:
    Database("sqlite", home).close()
    sqlite3.connect(home / DATABASE_FILE).execute("CREATE TABLE other (x)").connection.close()
    assert said(await found(subject(home), "revision")) == ("fail", "revision_old")
    lock = FolderLock(home)
    lock.take()
    assert said(await found(subject(home), "revision", fix=True)) == ("fail", "repair_failed")
    lock.release()
    mended = await found(subject(home), "revision", fix=True)
    assert (said(mended), mended.fixed) == (("ok", "revision_right"), True)
    execute(home, "UPDATE nm_revision SET version_num = '9999'")
    assert said(await found(subject(home), "revision", fix=True)) == ("warn", "revision_newer")


async def test_who_holds_the_folder_is_told_and_no_lock_is_taken(home: Path) -> None:
    assert said(await found(subject(home), "process")) == ("ok", "process_none")
    assert os.listdir(home) == []
    lock = FolderLock(home)
    lock.take()
    result = await found(subject(home), "process")
    assert said(result) == ("ok", "process_holds")
    assert result.finding.params["pid"] == os.getpid()
    lock.release()
    assert said(await found(subject(home), "process")) == ("ok", "process_none")


@pytest.mark.parametrize(
    ("held", "answer", "expected"),
    [
        (True, {"ready": True, "checks": []}, ("ok", "process_ready")),
        (True, {"ready": False, "checks": [{"name": "x", "ok": False, "code": "lost"}]}, ("warn", "process_not_ready")),
        (False, {"ready": True, "checks": []}, ("warn", "process_elsewhere")),
        (False, "<html>", ("warn", "process_elsewhere")),
    ],
)
async def test_the_running_gateway_is_asked(home: Path, held: bool, answer: object, expected: tuple[str, str]) -> None:
    async def readyz(_request: web.Request) -> web.Response:
        return web.json_response(answer) if isinstance(answer, dict) else web.Response(text=str(answer))

    app = web.Application()
    app.add_routes([web.get("/readyz", readyz)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    lock = FolderLock(home)
    if held:
        lock.take()
    who = subject(home, server__port=str(runner.addresses[0][1]))
    assert said(await found(who, "process")) == expected
    lock.release()
    await runner.cleanup()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"ready": True, "checks": []}, ("ok", "replica_ready")),
        ({"ready": False, "checks": [{"name": "x", "ok": False, "code": "late"}]}, ("warn", "replica_not_ready")),
        ({"hello": "world"}, ("warn", "process_elsewhere")),
    ],
)
async def test_a_replica_takes_no_lock_and_is_no_stranger(
    home: Path, answer: dict[str, Any], expected: tuple[str, str]
) -> None:
    async def readyz(_request: web.Request) -> web.Response:
        return web.json_response(answer)

    app = web.Application()
    app.add_routes([web.get("/readyz", readyz)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    shared = {"database__url": "postgresql://nobody@127.0.0.1:1/none"}
    assert said(await found(subject(home, server__port=str(runner.addresses[0][1]), **shared), "process")) == expected
    await runner.cleanup()


async def test_a_holder_that_does_not_answer(home: Path) -> None:
    lock = FolderLock(home)
    lock.take()
    assert said(await found(subject(home, server__port="9"), "process")) == ("warn", "process_mute")
    lock.release()


async def test_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await python()).verdict == "ok"
    right = await packages()
    assert right.finding.verdict == "ok"
    assert {"aiohttp", "lark-oapi"} <= {each.name for each in right.details}
    assert "pytest" not in {each.name for each in right.details}
    monkeypatch.setattr("gateway.doctor.machine.metadata.version", lambda _name: "0.0.1")
    wrong = await packages()
    assert (wrong.finding.verdict, wrong.finding.code) == ("fail", "packages_wrong")
    monkeypatch.setattr("gateway.doctor.machine.sys.version_info", (3, 10, 1))
    assert (await python()).code == "python_old"


@pytest.mark.parametrize(
    ("version", "limits", "kept"),
    [
        ("3.4.2", ">=3.4,<3.5", True),
        ("3.5", ">=3.4,<3.5", False),
        ("1.7.5", "==1.7.5", True),
        ("1.7.50", "==1.7.5", False),
        ("3.12", ">=3.12.0", True),
        ("80.9.0.post1", "<81", True),
        ("10.0", ">=9", True),
        ("1", "", True),
    ],
)
def test_limits_of_versions(version: str, limits: str, kept: bool) -> None:
    assert fits(version, limits) is kept


async def test_proxies_are_named_without_their_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    assert (await proxies()).code == "proxies_none"
    monkeypatch.setenv("HTTPS_PROXY", "http://me:marker@proxy.local:3128")
    monkeypatch.setenv("NO_PROXY", "localhost")
    result = await proxies()
    assert (result.verdict, result.params["no_proxy"]) == ("ok", "localhost")
    assert "proxy.local:3128" in str(result.params["proxies"]) and "marker" not in str(result)
    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy.local:1080")
    assert (await proxies()).code == "proxies_unusable"


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are a matter of Linux")
async def test_the_sandbox_works_or_says_why_not(tmp_path: Path) -> None:
    def program(text: str) -> str:
        file = tmp_path / "bwrap"
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o700)
        return str(file)

    assert (await sandbox(program("exit 0"))).verdict == "ok"
    broken = await sandbox(program("echo no user namespaces >&2; exit 1"))
    assert (broken.verdict, broken.params["reason"]) == ("warn", "no user namespaces")
    assert (await sandbox(str(tmp_path / "none"))).code == "sandbox_missing"
    # What is switched off or has no walls by will is said so, whatever is installed.
    assert (await sandbox(str(tmp_path / "none"), shell="off")).code == "shell_off"
    bare = await sandbox(program("exit 0"), shell="unconfined")
    assert (bare.verdict, bare.code, bare.advice) == ("warn", "shell_unconfined", "shell_unconfined")
