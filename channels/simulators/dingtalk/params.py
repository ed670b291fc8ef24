"""Card parameters: their limits, and how an update changes them.

Source: open.dingtalk.com "Create and deliver cards", "Update cards", read 2026-08.
"""

from __future__ import annotations

from channels.simulators.dingtalk.cards import Card
from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.options import Options
from channels.simulators.jsons import Json, as_object, dumps

KEY_BYTES = 100
FLOWS = ("1", "2", "3", "4", "5")


def read_params(data: Json, options: Options) -> dict[str, str]:
    """Read `{"cardParamMap": {name: text}}`.

    Raises:
        ApiError: `param.invalid` when a name is too long, or a value too long or no string.
    """
    given = as_object(data.get("cardParamMap")) or {}
    return {name: _value(name, value, options) for name, value in given.items()}


def apply_update(card: Card, body: Json, options: Options) -> None:
    """Change a card as an update call or the answer to a press says; everything is overwritten unless "by key".

    Raises:
        ApiError: `param.invalid`; the card is as it was.
    """
    how = as_object(body.get("cardUpdateOptions")) or {}
    public = as_object(body.get("cardData"))
    private = as_object(body.get("privateData")) or {}
    fresh = read_params(public, options) if public is not None else None
    personal = {person_id: read_params(as_object(data) or {}, options) for person_id, data in private.items()}
    flow = (fresh or {}).pop("flowStatus", card.flow_status)
    if flow not in FLOWS:
        raise ApiError("param.invalid", "flowStatus")
    if fresh is not None:
        card.params = {**card.params, **fresh} if how.get("updateCardDataByKey") is True else fresh
    for person_id, values in personal.items():
        kept = card.private.get(person_id, {}) if how.get("updatePrivateDataByKey") is True else {}
        card.private[person_id] = {**kept, **values}
    card.flow_status, card.stale = flow, None


def _value(name: str, value: object, options: Options) -> str:
    if len(name.encode()) > KEY_BYTES:
        raise ApiError("param.invalid", f"{name[:20]}... is too long")
    if not isinstance(value, str):
        if options.refuse_non_strings:
            raise ApiError("param.invalid", f"{name} is no string")
        return dumps(value)
    if options.param_value_bytes is not None and len(value.encode()) > options.param_value_bytes:
        raise ApiError("param.invalid", f"the value of {name} is too long")
    return value
