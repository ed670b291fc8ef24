"""Presses on buttons of our cards.

Source: developerpedia "card/intro", open.dingtalk.com "event callback of cards", dingtalk-stream 0.24.3
`card_callback.py`, read 2026-11-30. Only type, outTrackId, corpId, userId and content are documented.
"""

from __future__ import annotations

from typing import Any, cast

from channels.dingtalk.address import NAME, Place
from channels.dingtalk.shown import ShownCards
from channels.dingtalk.template import Template
from channels.events import CardAction, ConversationRef, DedupeKey, Sender, Toast
from channels.readable import Json, object_in, read_object, text_in

TRACK_MARK = "-"
"""Parts a run's id from the rest of a card's outTrackId."""


def parse_press(account: str, template: Template, shown: ShownCards, body: Json, now_ms: int) -> CardAction:
    """Read a press.

    What the button carried is taken from the press itself, else from what this process knows of the card.

    Raises:
        KeyError: it lacks what every press must have.
        ValueError: its content is no JSON.
    """
    track, user = body["outTrackId"], body["userId"]
    private = object_in(read_object(str(body.get("content") or body.get("value") or "{}")), "cardPrivateData")
    params = object_in(private, "params")
    payload = _payload(params, template)
    do = _action(template, private, params)
    nonce, audience = _carried(payload, shown, str(track), do)
    known = shown.get(str(track))
    run = text_in(payload, "run") or (known.run if known else str(track).partition(TRACK_MARK)[0])
    conversation = _conversation(account, body, payload, known.conversation if known else None)
    return CardAction(
        # A repeated push of one press, and a second press on the same button, are one action.
        dedupe=DedupeKey(NAME, account, "action", f"{track}:{user}:{do}:{nonce}"),
        conversation=conversation,
        message_id=str(track),
        sender=Sender(str(user), text_in(body, "corpId") or conversation.tenant),
        value={"do": do, "run": run, "nonce": nonce, "for": audience},
        created_at_ms=now_ms,
    )


def render_answer(template: Template, shown: ShownCards, action: CardAction, toast: Toast | None) -> Json:
    """Give the answer to a press: cards have no toast, so the words stand on the card, for this person only."""
    if toast is None or not template.notice or not toast.text:
        return {"response": {}}
    shown.told(action.message_id).add(action.sender.id)
    return {
        "response": {
            "userPrivateData": {"cardParamMap": {template.notice: toast.text}},
            "cardUpdateOptions": {"updateCardDataByKey": True, "updatePrivateDataByKey": True},
        }
    }


def _payload(params: Json, template: Template) -> Json:
    try:
        return read_object(text_in(params, template.payload) or "{}")
    except ValueError:
        return {}


def _action(template: Template, private: Json, params: Json) -> str:
    for name in template.buttons:
        if text_in(params, "action") == name:
            return name
    ids: Any = private.get("actionIds")
    for each in cast("list[object]", ids if isinstance(ids, list) else []):
        found = template.action_of(str(each))
        if found is not None:
            return found
    return ""


def _carried(payload: Json, shown: ShownCards, track: str, do: str) -> tuple[str, str]:
    """Give the button's nonce and whom it is for."""
    carried = object_in(object_in(payload, "buttons"), do)
    if carried:
        return text_in(carried, "nonce"), text_in(carried, "for")
    known = shown.get(track)
    action = next((each for each in known.actions if each.name == do), None) if known else None
    return (action.nonce, action.audience) if action is not None else (do, "")


def _conversation(account: str, body: Json, payload: Json, known: ConversationRef | None) -> ConversationRef:
    """Give where the card is: as we know it, as it says itself, else as the platform tells."""
    if known is not None:
        return known
    try:
        told = ConversationRef.parse(text_in(payload, "at"))
    except ValueError:
        told = None
    if told is not None and (told.channel, told.account) == (NAME, account):
        return told
    is_group = text_in(body, "spaceType") == "IM_GROUP" and bool(text_in(body, "spaceId"))
    place = Place("group", text_in(body, "spaceId")) if is_group else Place("user", str(body["userId"]))
    return ConversationRef(NAME, account, text_in(body, "corpId"), place.chat)
