"""A person presses a button on a card: the push, the answer within two seconds, and what it changes."""

from __future__ import annotations

from channels.simulators.dingtalk import callbacks
from channels.simulators.dingtalk.card_calls import CardCalls
from channels.simulators.dingtalk.cards import Card, Cards
from channels.simulators.dingtalk.deliveries import Deliveries
from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.frames import Ack
from channels.simulators.dingtalk.gate import Gate
from channels.simulators.dingtalk.params import apply_update
from channels.simulators.dingtalk.people import Refused
from channels.simulators.dingtalk.templates import Button
from channels.simulators.dingtalk.world import World
from channels.simulators.jsons import Json, as_object


class Presses:
    """Presses buttons as the members of the organisation."""

    def __init__(self, gate: Gate, world: World, cards: Cards, calls: CardCalls, deliveries: Deliveries) -> None:
        self._gate = gate
        self._world = world
        self._cards = cards
        self._calls = calls
        self._deliveries = deliveries

    async def click(self, body: Json) -> Json:
        """Press a button: `message_id` or `out_track_id`, `as`, `button_id`, and `params` that differ from its own.

        Returns:
            `{"ok", "reason", "answer"}`: reason is empty, `no_button`, `not_stream`, `timeout`, `code` or `bad_answer`.

        Raises:
            Refused: no such card.
        """
        card, person_id = self._card(body), str(body.get("as"))
        button = self._button(card, str(body.get("button_id")), person_id)
        if button is None:
            return _outcome("no_button")
        if card.callback_type != "STREAM":
            return _outcome("not_stream")
        message = self._world.messages[card.message_id or ""]
        params = {**card.button_params(button, person_id), **(as_object(body.get("params")) or {})}
        options, chat = self._gate.options, self._world.chats[message.chat_id]
        action_id = button.id + options.action_suffix
        data = callbacks.press_data(card, chat, person_id, action_id, params, sparse=options.sparse_clicks)
        ack = await self._deliveries.press(self._world.apps[card.app_id], data)
        return self._apply(card, person_id, ack)

    def _apply(self, card: Card, person_id: str, ack: Ack | None) -> Json:
        if ack is None:
            return _outcome("timeout")
        if ack.code != 200:
            return _outcome("code")
        answer = ack.response or {}
        update = {name: answer[name] for name in ("cardData", "cardUpdateOptions") if name in answer}
        if "userPrivateData" in answer:
            update["privateData"] = {person_id: answer["userPrivateData"]}
        if not update:
            return _outcome("", answer)
        try:
            apply_update(card, update, self._gate.options)
        except ApiError:
            return _outcome("bad_answer", answer)
        self._calls.show(card, "press")
        return _outcome("", answer)

    def _card(self, body: Json) -> Card:
        message = self._world.messages.get(str(body.get("message_id")))
        out_track_id = body.get("out_track_id") if message is None else message.out_track_id
        card = self._cards.by_id.get(str(out_track_id))
        if card is None or card.message_id is None:
            raise Refused("no such card")
        return card

    def _button(self, card: Card, button_id: str, person_id: str) -> Button | None:
        """Give a button the person can press: visible, not disabled, on a card that was not recalled."""
        if self._world.messages[card.message_id or ""].recalled:
            return None
        for button in card.template.buttons:
            is_off = bool(button.disabled_key) and card.value(button.disabled_key, person_id) == "true"
            if button.id == button_id and not is_off and card.is_shown(button.visible_key, person_id):
                return button
        return None


def _outcome(reason: str, answer: Json | None = None) -> Json:
    return {"ok": not reason, "reason": reason, "answer": answer}
