"""The simulator's chats, messages and cards in a file, so that a demo goes on where it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from channels.simulators.clock import MovableClock
from channels.simulators.feishu.cards import Card, Cards
from channels.simulators.feishu.world import Chat, Message, Reaction, World
from channels.simulators.jsons import Json

VERSION = 1


class StateFileError(ValueError):
    """The file is not a state of this simulator."""


def save(path: Path, world: World, cards: Cards, clock: MovableClock) -> None:
    """Write the state; the old file is replaced at once or not at all."""
    state = {
        "v": VERSION,
        "chats": [asdict(chat) for chat in world.chats.values()],
        "messages": [asdict(message) for message in world.messages.values()],
        "cards": [_save_card(card, clock) for card in cards.by_id.values()],
    }
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
    new.replace(path)


def load(path: Path, world: World, cards: Cards, clock: MovableClock) -> None:
    """Read the state into the world; a missing file is an empty state.

    Raises:
        StateFileError: the file is broken or of another version.
    """
    if not path.exists():
        return
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if state["v"] != VERSION:
            raise StateFileError(f"{path} is of version {state['v']!r}")
        chats = [Chat(**raw) for raw in state["chats"]]
        messages = [_load_message(raw) for raw in state["messages"]]
        found = [_load_card(raw, clock) for raw in state["cards"]]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise StateFileError(f"{path} is no state of this simulator") from error
    world.chats.update({chat.chat_id: chat for chat in chats})
    world.messages.update({message.message_id: message for message in messages})
    for card in found:
        cards.by_id[card.card_id] = card


def _load_message(raw: Json) -> Message:
    message = Message(**raw)
    message.reactions = [Reaction(**each) for each in raw["reactions"]]
    return message


def _save_card(card: Card, clock: MovableClock) -> Json:
    now_s = clock.steady_s()
    since_s = card.streaming_since_s
    return {
        "card_id": card.card_id,
        "app_id": card.app_id,
        "tree": card.tree,
        "age_s": now_s - card.created_s,
        "streaming_age_s": None if since_s is None else now_s - since_s,
        "updated_at_ms": card.updated_at_ms,
        "sequence": card.sequence,
        "uuids": sorted(card.uuids),
        "message_id": card.message_id,
    }


def _load_card(raw: Json, clock: MovableClock) -> Card:
    now_s, streaming_age_s = clock.steady_s(), raw["streaming_age_s"]
    return Card(
        raw["card_id"],
        raw["app_id"],
        raw["tree"],
        now_s - raw["age_s"],
        raw["updated_at_ms"],
        sequence=raw["sequence"],
        uuids=set(raw["uuids"]),
        streaming_since_s=None if streaming_age_s is None else now_s - streaming_age_s,
        message_id=raw["message_id"],
    )
