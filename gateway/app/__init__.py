"""The composition root: what is built, in which order it starts and stops."""

from __future__ import annotations

from gateway.app.demo import demo
from gateway.app.running import running, serve

__all__ = ["demo", "running", "serve"]
