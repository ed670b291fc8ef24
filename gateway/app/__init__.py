"""The composition root: what is built, in which order it starts and stops. `demo` is apart: it needs the simulators."""

from __future__ import annotations

from gateway.app.running import running, serve

__all__ = ["running", "serve"]
