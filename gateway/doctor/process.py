"""Who works on this data folder now, and whether it says that it is well."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import aiohttp

from channels.base import Finding
from engine.runtime import FolderLock
from gateway.doctor.examination import Examination
from gateway.doctor.subject import Subject

_ANSWER_WITHIN_S = 3.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


def process_examinations(subject: Subject) -> Sequence[Examination]:
    """Give the one examination."""
    return (Examination("process", lambda: process(subject)),)


async def process(subject: Subject) -> Finding:
    """Find the holder of the folder's lock and ask the api at its address; takes no lock.

    Replicas on one Postgres take no lock: there only the address tells. A second process on another folder or machine
    is beyond what can be seen from here.
    """
    pid = await asyncio.to_thread(lambda: FolderLock(subject.home).holder)
    url = _url(subject)
    ready = await _readiness(url) if url else None
    facts: dict[str, object] = {"pid": pid or 0, "url": url, "folder": subject.home}
    if pid is None and _is_shared(subject) and ready is not None and "checks" in ready:
        return _judged(ready, facts, "replica")
    if pid is None:
        if ready is not None:
            return Finding("warn", "process_elsewhere", facts, "process_elsewhere")
        return Finding("ok", "process_none", facts)
    if ready is None:
        return Finding("warn" if url else "ok", "process_mute" if url else "process_holds", facts, "process_mute")
    return _judged(ready, facts, "process")


def _is_shared(subject: Subject) -> bool:
    return subject.settings is not None and subject.settings.database.url != "sqlite"


def _judged(ready: dict[str, Any], facts: dict[str, object], who: str) -> Finding:
    """Say what a gateway says of itself; `who` names it in the texts."""
    if ready.get("ready"):
        return Finding("ok", f"{who}_ready", facts)
    red = [f"{each.get('name')} {each.get('code')}" for each in ready.get("checks", []) if not each.get("ok")]
    return Finding("warn", f"{who}_not_ready", {**facts, "red": ", ".join(red)}, "process_not_ready")


def _url(subject: Subject) -> str:
    settings = subject.settings
    if settings is None or not settings.server.port:
        return ""
    host = settings.server.host
    host = _EVERYWHERE.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{host}:{settings.server.port}"


async def _readiness(url: str) -> dict[str, Any] | None:
    """Give what `/readyz` says; `None` when nobody answers, empty when it is no gateway that does."""
    timeout = aiohttp.ClientTimeout(total=_ANSWER_WITHIN_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(f"{url}/readyz") as response:
            answer: object = await response.json(content_type=None)
    except (aiohttp.ClientError, TimeoutError):
        return None
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}  # pyright: ignore[reportUnknownVariableType]
