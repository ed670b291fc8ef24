"""Nobody is called by what is no id: an event that lacks one is unreadable."""

from __future__ import annotations

from typing import Any

import pytest

from channels.feishu.inbound import parse_event
from channels.feishu.mentions import BotIdentity

Json = dict[str, Any]
ME = BotIdentity("feishu", "main", "ou_me")


def _event(kind: str, **event: Any) -> Json:
    header = {"event_id": "e1", "event_type": kind, "create_time": "1790000000000", "tenant_key": "t1"}
    return {"header": header, "event": event}


def _message(who: Any, chat: Any, name: Any) -> Json:
    body = {"message_id": name, "chat_id": chat, "chat_type": "p2p", "message_type": "text", "content": '{"text":"a"}'}
    return _event("im.message.receive_v1", sender={"sender_id": {"open_id": who}, "sender_type": "user"}, message=body)


def _press(who: Any, chat: Any, name: Any) -> Json:
    context = {"open_chat_id": chat, "open_message_id": name}
    return _event("card.action.trigger", operator={"open_id": who}, context=context, action={"value": {}})


def test_they_are_read_when_all_is_there() -> None:
    for make in (_message, _press):
        inbound = parse_event(make("ou_a", "oc_1", "om_1"), ME)
        assert inbound is not None and inbound.sender is not None and inbound.sender.id == "ou_a"


@pytest.mark.parametrize("bad", [None, "", {}, 5, True, [None]])
def test_f10_a_missing_id_makes_an_event_unreadable(bad: Any) -> None:
    spoiled = [_message(bad, "oc_1", "om_1"), _message("ou_a", bad, "om_1"), _message("ou_a", "oc_1", bad)]
    spoiled += [
        _press(bad, "oc_1", "om_1"),
        _press("ou_a", "oc_1", bad),
        _event("im.message.recalled_v1", message_id=bad),
    ]
    for event in spoiled:
        with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
            parse_event(event, ME)
