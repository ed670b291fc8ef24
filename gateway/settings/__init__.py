"""All settings: read with `load_settings`, seen as `Settings`."""

from __future__ import annotations

from gateway.settings.load import apply_overlay, load_settings
from gateway.settings.loaded import Account, Settings
from gateway.settings.root import is_refused_root, refuse_root
from gateway.settings.token import ServerToken, is_loopback, server_token

__all__ = [
    "Account",
    "ServerToken",
    "Settings",
    "apply_overlay",
    "is_loopback",
    "is_refused_root",
    "load_settings",
    "refuse_root",
    "server_token",
]
