"""The CardKit calls: entities and their elements.

Source: open.feishu.cn pages of cardkit-v1, read 2026-02.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from aiohttp import web

from channels.simulators.feishu import elements
from channels.simulators.feishu.cards import Card, Cards
from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.gate import Call, Gate, refuse_over
from channels.simulators.feishu.rules import CardRules, CardWrong
from channels.simulators.feishu.world import World
from channels.simulators.jsons import Json, as_object, as_objects, parse_object

MAX_SEQUENCE = 2**31 - 1
MAX_CONTENT_CHARS = 100_000
MAX_UUID_CHARS = 64
TEXT_TAGS = ("markdown", "plain_text")

Change = Callable[[Card], Json]


class CardKit:
    """Answers `/open-apis/cardkit/v1`."""

    def __init__(self, gate: Gate, world: World, cards: Cards, rules: CardRules) -> None:
        self._gate = gate
        self._world = world
        self._cards = cards
        self._rules = rules
        gate.is_exempt = lambda request: self._cards.is_streaming(request.match_info.get("card_id", ""))

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        root, api = "/open-apis/cardkit/v1/cards", self._gate.api
        one, element = root + "/{card_id}", root + "/{card_id}/elements/{element_id}"
        return [
            web.post(f"{root}/id_convert", api(self._convert)),
            web.post(root, api(self._create)),
            web.put(one, api(lambda call: self._write(call, "update", _update(call)))),
            web.patch(f"{one}/settings", api(lambda call: self._write(call, "settings", _settings(call)))),
            web.post(f"{one}/batch_update", api(lambda call: self._write(call, "batch_update", _batch(call)))),
            web.post(f"{one}/elements", api(lambda call: self._write(call, "add", self._add(call)))),
            web.put(f"{element}/content", api(lambda call: self._write(call, "content", self._content(call)))),
            web.put(element, api(lambda call: self._write(call, "replace", _replace(call)))),
            web.patch(element, api(lambda call: self._write(call, "patch", _patch(call)))),
            web.delete(element, api(lambda call: self._write(call, "delete", _delete(call)))),
        ]

    def _create(self, call: Call) -> Json:
        if call.body.get("type") != "card_json":
            raise ApiError(10002, "only type card_json is known here")
        tree = parse_object(call.body.get("data"))
        if tree is None:
            raise ApiError(200220, "ErrCode: 200621; ErrMsg: parse card json err")
        try:
            self._rules.check(tree)
        except CardWrong as error:
            raise error.for_cardkit() from error
        return {"card_id": self._cards.create(call.app.app_id, tree).card_id}

    def _convert(self, call: Call) -> Json:
        message = self._world.messages.get(str(call.body.get("message_id", "")))
        if message is None or message.card_id is None:
            raise ApiError(10002, "message_id is no card message")
        if message.sender_id != call.app.app_id:
            raise ApiError(300311)
        return {"card_id": message.card_id}

    def _write(self, call: Call, kind: str, change: Change) -> Json:
        card = self._cards.get(call.part("card_id"))
        if card.app_id != call.app.app_id:
            raise ApiError(300311)
        sequence, is_repeat = self._admit(card, call)
        if is_repeat:
            return {}
        try:
            tree = change(card)
            if kind != "content":
                self._rules.check(tree)
        except (ApiError, CardWrong) as error:
            if self._gate.options.failed_call_uses_sequence:
                card.sequence = sequence
            raise error.for_cardkit() if isinstance(error, CardWrong) else error from error
        if call.body.get("uuid"):
            card.uuids.add(str(call.body["uuid"]))
        if kind == "content":
            self._cards.stream(card, tree, sequence, call.part("element_id"), call.body["content"])
        else:
            self._cards.show(card, tree, kind, sequence)
        return {}

    def _admit(self, card: Card, call: Call) -> tuple[int, bool]:
        """Check lock, rate, uuid and sequence, in this order."""
        if card.clicks_waiting:
            raise ApiError(200810)
        refuse_over(self._gate.limits.take(("card", card.card_id), (self._gate.options.card_per_second, 1)))
        sequence, uuid = call.body.get("sequence"), call.body.get("uuid")
        if uuid is not None and not (isinstance(uuid, str) and 1 <= len(uuid) <= MAX_UUID_CHARS):
            raise ApiError(99992402, "uuid")
        if uuid in card.uuids:
            if self._gate.options.repeat_card_uuid == "ok":
                return card.sequence, True
            raise ApiError(200770)
        if type(sequence) is not int or sequence > MAX_SEQUENCE:
            raise ApiError(99992402, "sequence")
        if sequence <= card.sequence:
            raise ApiError(300317)
        return sequence, False

    def _content(self, call: Call) -> Change:
        content, element_id = call.body.get("content"), call.part("element_id")
        if not isinstance(content, str) or not 1 <= len(content) <= MAX_CONTENT_CHARS:
            raise ApiError(99992402, "content")

        def change(card: Card) -> Json:
            self._cards.require_streaming(card)
            tree = _edited(card.tree, element_id, lambda old: [{**_text_element(old), "content": content}])
            self._rules.check_text(tree, {"tag": "markdown", "content": content})
            return tree

        return change

    def _add(self, call: Call) -> Change:
        def change(card: Card) -> Json:
            if card.timeout_untold:
                self._cards.require_streaming(card, timeout_code=200510)
            return _added(card.tree, {**call.body, "elements": _parse_list(_loads(call.body.get("elements")))})

        return change


def _update(call: Call) -> Change:
    given = as_object(call.body.get("card")) or {}
    tree = parse_object(given.get("data"))
    if given.get("type") != "card_json" or tree is None:
        raise ApiError(200220, "ErrCode: 200621; ErrMsg: parse card json err")
    return lambda card: tree


def _settings(call: Call) -> Change:
    settings = _parse_settings(_loads(call.body.get("settings")))
    return lambda card: _with_settings(card.tree, settings)


def _batch(call: Call) -> Change:
    actions = _parse_list(_loads(call.body.get("actions")))

    def change(card: Card) -> Json:
        tree = card.tree
        for action in actions:
            tree = _apply(tree, str(action.get("action")), as_object(action.get("params")) or {})
        return tree

    return change


def _replace(call: Call) -> Change:
    new = _parse_element(_loads(call.body.get("element")))
    return lambda card: _edited(card.tree, call.part("element_id"), lambda old: [new])


def _patch(call: Call) -> Change:
    part = _parse_element(_loads(call.body.get("partial_element")))
    return lambda card: _edited(card.tree, call.part("element_id"), lambda old: [_merged(old, part)])


def _delete(call: Call) -> Change:
    return lambda card: _edited(card.tree, call.part("element_id"), lambda old: [], code=300314)


def _apply(tree: Json, action: str, params: Json) -> Json:
    element_id = str(params.get("element_id", ""))
    if action == "partial_update_setting":
        return _with_settings(tree, _parse_settings(params.get("settings")))
    if action == "add_elements":
        return _added(tree, {**params, "elements": _parse_list(params.get("elements"))})
    if action == "delete_elements":
        for each in _parse_ids(params.get("element_ids")):
            tree = _edited(tree, each, lambda old: [], code=300314)
        return tree
    if action == "partial_update_element":
        part = _parse_element(params.get("partial_element"))
        return _edited(tree, element_id, lambda old: [_merged(old, part)])
    if action == "update_element":
        new = _parse_element(params.get("element"))
        return _edited(tree, element_id, lambda old: [new])
    raise ApiError(10002, f"unknown action {action!r}")


def _added(tree: Json, body: Json) -> Json:
    new: list[Json] = body["elements"]
    where, target = body.get("type"), body.get("target_element_id")
    if where == "append" and not target:
        return elements.append(tree, new)
    if where not in ("insert_before", "insert_after", "append") or not isinstance(target, str):
        raise ApiError(10002, "type or target_element_id")

    def change(old: Json) -> list[Json]:
        if where == "append":
            if not isinstance(old.get("elements"), list):
                raise ApiError(300315, "the target holds no elements")
            return [{**old, "elements": [*old["elements"], *new]}]
        return [*new, old] if where == "insert_before" else [old, *new]

    return _edited(tree, target, change, code=300315)


def _edited(tree: Json, element_id: str, change: elements.Change, code: int = 300313) -> Json:
    new = elements.edit(tree, element_id, change)
    if new is None:
        raise ApiError(code, f"not find elementID {element_id}")
    return new


def _merged(old: Json, part: Json) -> Json:
    if part.get("tag", old.get("tag")) != old.get("tag"):
        raise ApiError(300312)
    return {**old, **part}


def _text_element(old: Json) -> Json:
    if old.get("tag") not in TEXT_TAGS:
        raise ApiError(300310)
    return old


def _with_settings(tree: Json, settings: Json) -> Json:
    tree = elements.with_config(tree, as_object(settings.get("config")) or {})
    return {**tree, "card_link": settings["card_link"]} if "card_link" in settings else tree


def _parse_settings(value: object) -> Json:
    settings = as_object(value)
    if not settings or set(settings) - {"config", "card_link"}:
        raise ApiError(300122, "settings")
    return settings


def _parse_element(value: object) -> Json:
    element = as_object(value)
    if not element:
        raise ApiError(10002, "element is no JSON object")
    return element


def _parse_list(value: object) -> list[Json]:
    items = as_objects(value)
    if not items or len(items) != len(cast("list[Any]", value)):
        raise ApiError(10002, "a JSON list of objects is needed")
    return items


def _parse_ids(value: object) -> list[str]:
    if not isinstance(value, list):
        raise ApiError(10002, "element_ids")
    return [str(item) for item in cast("list[Any]", value)]


def _loads(text: object) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
