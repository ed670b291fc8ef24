"""The simulator's chats, messages, files and cards in a file, so that a demo goes on where it was."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path

from channels.simulators.dingtalk.cards import Card, Cards
from channels.simulators.dingtalk.templates import TemplateWrong, parse_template
from channels.simulators.dingtalk.world import Chat, Message, StoredFile, World
from channels.simulators.jsons import Json

VERSION = 1


class StateFileError(ValueError):
    """The file is not a state of this simulator."""


def save(path: Path, world: World, cards: Cards) -> None:
    """Write the state; the old file is replaced at once or not at all."""
    state = {
        "v": VERSION,
        "chats": [asdict(chat) for chat in world.chats.values()],
        "messages": [asdict(message) for message in world.messages.values()],
        "files": [_save_file(stored) for stored in world.files.values()],
        "cards": [_save_card(card) for card in cards.by_id.values()],
    }
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
    new.replace(path)


def load(path: Path, world: World, cards: Cards) -> None:
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
        messages = [Message(**raw) for raw in state["messages"]]
        files = [_load_file(raw) for raw in state["files"]]
        found = [_load_card(raw) for raw in state["cards"]]
    except (KeyError, TypeError, TemplateWrong, json.JSONDecodeError) as error:
        raise StateFileError(f"{path} is no state of this simulator") from error
    world.chats.update({chat.chat_id: chat for chat in chats})
    world.messages.update({message.message_id: message for message in messages})
    world.files.update({stored.file_id: stored for stored in files})
    cards.by_id.update({card.out_track_id: card for card in found})


def _save_file(stored: StoredFile) -> Json:
    return {**vars(stored), "data": base64.b64encode(stored.data).decode()}


def _load_file(raw: Json) -> StoredFile:
    parts: Json = {**raw, "data": base64.b64decode(raw["data"])}
    return StoredFile(**parts)


def _save_card(card: Card) -> Json:
    kept = {name: value for name, value in vars(card).items() if name != "history"}
    return {**kept, "template": card.template.as_json(), "guids": sorted(card.guids)}


def _load_card(raw: Json) -> Card:
    parts: Json = {**raw, "template": parse_template(raw["template"]), "guids": set(raw["guids"])}
    return Card(**parts)
