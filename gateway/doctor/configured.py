"""Settings: can they be used, where does each value come from, is anything in them careless."""

from __future__ import annotations

import os
from asyncio import to_thread
from collections.abc import Mapping, Sequence
from pathlib import Path

from channels.base import Finding
from engine.errors import SettingsInvalid
from engine.runtime import LivePolicy
from gateway.doctor.examination import Detail, Detailed, Examination
from gateway.doctor.subject import Subject
from gateway.doctor.tools import tools
from gateway.paths import USER_FILE
from gateway.settings import Settings, is_loopback, is_refused_root


def configured_examinations(subject: Subject) -> Sequence[Examination]:
    """Give the examinations of the settings; without settings only the first, which tells why."""
    settings = subject.settings
    if settings is None:
        return (Examination("settings", lambda: to_thread(refused, subject)),)
    return (
        Examination("settings", lambda: values(settings)),
        Examination("secrets", lambda: secrets(settings)),
        Examination("server", lambda: server(settings, subject.environ)),
        Examination("permissions", lambda: to_thread(permissions, settings)),
        Examination("accounts", lambda: accounts(settings)),
        Examination("tools", lambda: tools(settings)),
    )


def refused(subject: Subject) -> Finding:
    """Say why there are no settings."""
    problem = subject.problem
    reason = str(problem) if problem is not None else ""
    hint = problem.fix if problem is not None and problem.fix not in reason else ""
    source = problem.source if problem is not None else ""
    facts = {"reason": reason, "hint": hint, "source": source or USER_FILE}
    is_missing = problem is not None and not problem.path and not Path(problem.source).exists()
    return Finding("fail", "settings_refused", facts, "settings_missing" if is_missing else "settings_refused")


async def values(settings: Settings) -> Detailed:
    """Give every value that is set, secrets hidden, with the source it comes from."""
    details = [
        Detail(key, value, settings.origin(key), settings.source(key), usual=settings.origin(key) == "default")
        for key, value in settings.shown().items()
    ]
    own = sum(not each.usual for each in details)
    file = settings.config or settings.home / USER_FILE
    code = "settings_read" if settings.config else "settings_without_file" if own else "settings_default"
    return Detailed(Finding("ok", code, {"file": file, "own": own, "all": len(details)}), details)


async def secrets(settings: Settings) -> Finding:
    """Warn of secrets that are written out in a file."""
    plain = settings.plain_secrets()
    if plain:
        return Finding("warn", "secrets_plain", {"keys": ", ".join(plain)}, "secrets_plain")
    return Finding("ok", "secrets_referred")


async def server(settings: Settings, environ: Mapping[str, str] = os.environ) -> Finding:
    """Look for what `serve` refuses to start with: an api that others reach without a token, root in a container."""
    facts = {"host": settings.server.host, "port": settings.server.port}
    if not is_loopback(settings.server.host) and not settings.server.token.get_secret_value():
        return Finding("fail", "server_open", facts, "server_open")
    if is_refused_root(settings, environ):
        return Finding("fail", "server_root", facts, "server_root")
    return Finding("ok", "server_set", facts)


def permissions(settings: Settings) -> Finding:
    """Read the rules as `serve` does, which does not start with those it cannot read."""
    folders = settings.rule_folders
    try:
        LivePolicy(folders)
    except SettingsInvalid as error:
        return Finding("fail", "permissions_refused", {"reason": str(error)}, "permissions_refused")
    return Finding("ok", "permissions_read", {"folder": settings.home})


async def accounts(settings: Settings) -> Finding:
    """Look whether each enabled account has what it needs."""
    found, problems = settings.usable_accounts()
    if problems:
        reasons = "; ".join(str(problem) for problem in problems)
        return Finding("fail", "accounts_refused", {"reason": reasons}, "accounts_refused")
    if not found:
        file = settings.config or settings.home / USER_FILE
        return Finding("warn", "accounts_none", {"file": file}, "accounts_none")
    return Finding("ok", "accounts_set", {"accounts": ", ".join(f"{each.channel}:{each.id}" for each in found)})
