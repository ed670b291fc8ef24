"""Importing litellm: about five seconds and 200 MB, so only on first need, in a thread, and without network calls."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
from typing import Any, cast

log = logging.getLogger(__name__)
_lock = threading.Lock()
_loaded: list[Any] = []


async def load() -> Any:
    """Give the litellm module; the event loop goes on while it is imported. Safe to call from several tasks."""
    return _loaded[0] if _loaded else await asyncio.to_thread(_load)


def is_loaded() -> bool:
    """Tell whether the import is behind us."""
    return bool(_loaded)


def _load() -> Any:
    with _lock:
        if not _loaded:
            _loaded.append(_import())
        return _loaded[0]


def _import() -> Any:
    # Set before the import: else it asks the network for its price list while being imported.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    was_enabled = gc.isenabled()
    gc.disable()  # the import makes a million objects and no garbage: a fifth of its time
    try:
        import litellm
    finally:
        if was_enabled:
            gc.enable()
    module = cast("Any", litellm)
    module.suppress_debug_info = True  # it prints to stdout otherwise
    module.modify_params = True  # histories with tool calls stay valid in a request without tools
    module.drop_params = True
    _warm(module)
    return module


def _warm(module: Any) -> None:
    """Let the first call's own imports happen here: they would hold up the event loop for more than a second."""
    question = [{"role": "user", "content": "warm"}]
    try:
        stream = module.completion(
            model="openai/gpt-4o-mini", messages=question, mock_response="no network", stream=True, api_key="none"
        )
        for _ in stream:
            pass
    except Exception as error:
        log.warning("litellm is not warm; its first call will be slow", extra={"reason": str(error)[:200]})
