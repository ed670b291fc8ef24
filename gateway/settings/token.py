"""The api's token: given, or made once and kept in the data folder."""

from __future__ import annotations

import ipaddress
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path as File

from gateway.errors import ConfigInvalid, StartupFailed
from gateway.paths import create_private_folder, token_file
from gateway.settings.loaded import Settings


@dataclass(frozen=True, slots=True)
class ServerToken:
    """The token, and the file it is kept in when we made it ourselves."""

    value: str = field(repr=False)
    file: File | None = None


def server_token(settings: Settings) -> ServerToken:
    """Give the token of the api; without one in the settings, make one in the data folder, readable by its owner only.

    Raises:
        ConfigInvalid: the api is to be reachable from outside this machine and nobody chose a token.
        StartupFailed: the file cannot be read or written.
    """
    given = settings.server.token.get_secret_value()
    if given:
        return ServerToken(given)
    if not is_loopback(settings.server.host):
        fix = 'set NIUMA_TOKEN, or host = "127.0.0.1"'
        message = f"{settings.server.host!r} can be reached from other machines and there is no token; {fix}"
        raise ConfigInvalid(message, path="server.host", fix=fix, source=settings.source("server.host"))
    file = token_file(settings.home)
    try:
        return ServerToken(_kept(file) or _made(file), file)
    except OSError as error:
        raise StartupFailed(f"{file} cannot be used: {error}", component="token") from error


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach `host`. A name other than `localhost` counts as reachable."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _kept(file: File) -> str:
    if not file.exists():
        return ""
    file.chmod(0o600)
    return file.read_text(encoding="utf-8").strip()


def _made(file: File) -> str:
    create_private_folder(file.parent)
    token = secrets.token_urlsafe(32)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(token + "\n")
    return token
