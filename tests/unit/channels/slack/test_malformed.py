"""Whatever an envelope holds: it is acked unless the handler refused it, and nobody is called by what is no id."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from channels.events import Inbound, Toast
from channels.slack.dispatch import Dispatcher
from channels.slack.envelope import Reading
from channels.slack.identity import BotIdentity

Json = dict[str, Any]
_TS = "1796000000.000100"
_OLD: Json = {"text": "hi", "ts": _TS, "user": "U1"}


def _event(**event: Any) -> Json:
    return {"type": "event_callback", "team_id": "T0", "event_id": "Ev1", "event": event}


PAYLOADS: dict[str, Json] = {
    "message": _event(type="message", channel="C1", user="U1", text="hi", ts=_TS, files=[{"id": "F1", "name": "a"}]),
    "edit": _event(type="message", subtype="message_changed", channel="C1", message=_OLD | {"text": "no"}),
    "recall": _event(type="message", subtype="message_deleted", channel="C1", deleted_ts=_TS, previous_message=_OLD),
    "sign": _event(
        type="reaction_added", user="U1", reaction="x", item={"type": "message", "channel": "C1", "ts": _TS}
    ),
    "stop": _event(type="agent_session_stopped", channel="D1", thread_ts=_TS, user="U1"),
    "command": {"command": "/niuma", "team_id": "T0", "channel_id": "C1", "user_id": "U1", "text": "stop"},
    "press": {
        "type": "block_actions",
        "user": {"id": "U1", "team_id": "T0"},
        "team": {"id": "T0"},
        "container": {"type": "message", "message_ts": _TS, "channel_id": "C1"},
        "trigger_id": "t",
        "actions": [{"type": "button", "action_id": "stop_0", "value": '{"do":"stop","run":"r"}'}],
    },
}
BAD: tuple[Any, ...] = (None, {}, [], "", 5, True, [None], {"a": None})


class Listening:
    """A dispatcher and what its handler was given."""

    def __init__(self, raises: Exception | None = None) -> None:
        self.heard: list[Inbound] = []
        self._raises = raises
        reading = Reading(BotIdentity("main", "U0B", "B0B", "T0"), lambda _user: "", lambda: 5)
        self.dispatcher = Dispatcher("xoxb-1", reading, self._handle, self._tell, lambda _where, _url: None)

    async def is_acked(self, payload: Json) -> bool:
        return (await self.dispatcher.answer("envelope-1", payload, False)).is_due

    async def _handle(self, inbound: Inbound) -> Toast | None:
        self.heard.append(inbound)
        if self._raises is not None:
            raise self._raises
        return None

    async def _tell(self, *_told: object) -> None:
        return None


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _places(each, (*path, key))


def _spoiled(payload: Json, path: tuple[Any, ...], bad: Any) -> Json:
    spoiled: Any = copy.deepcopy(payload)
    place = spoiled
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = bad
    return spoiled


@pytest.mark.parametrize("name", PAYLOADS)
async def test_f10_what_nobody_can_read_is_acked_and_names_nobody(name: str) -> None:
    listening = Listening()
    for path in _places(PAYLOADS[name]):
        for bad in BAD:
            assert await listening.is_acked(_spoiled(PAYLOADS[name], path, bad)), (path, bad)
    for inbound in listening.heard:
        assert inbound.sender is None or inbound.sender.id == "U1", inbound
        assert inbound.conversation.chat in ("C1", "D1") and inbound.dedupe.key, inbound


@pytest.mark.parametrize("name", PAYLOADS)
async def test_only_what_the_handler_refused_comes_again(name: str) -> None:
    assert not await Listening(RuntimeError("the database is away")).is_acked(PAYLOADS[name])
    assert await Listening().is_acked(PAYLOADS[name])
