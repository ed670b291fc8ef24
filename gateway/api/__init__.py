"""The HTTP api of the gateway."""

from __future__ import annotations

from gateway.api.server import ApiServer, build_api

__all__ = ["ApiServer", "build_api"]
