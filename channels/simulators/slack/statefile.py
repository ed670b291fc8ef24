"""The simulator's chats, messages and files in a file, so that a demo goes on where it was."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path

from channels.simulators.jsons import Json
from channels.simulators.slack.stream_state import Stream
from channels.simulators.slack.world import Chat, File, Message, Person, Reaction, World

VERSION = 1


class StateFileError(ValueError):
    """The file is not a state of this simulator."""


def save(path: Path, world: World) -> None:
    """Write the state; the old file is replaced at once or not at all."""
    state = {
        "v": VERSION,
        "people": [asdict(person) for person in world.people.values()],
        "chats": [asdict(chat) for chat in world.chats.values()],
        "messages": [asdict(message) for message in world.messages.values()],
        "files": [asdict(file) for file in world.files.values()],
        "contents": {key: base64.b64encode(data).decode() for key, data in world.contents.items()},
    }
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
    new.replace(path)


def load(path: Path, world: World) -> None:
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
        people = [Person(**raw) for raw in state["people"]]
        chats = [Chat(**raw) for raw in state["chats"]]
        messages = [_load_message(raw) for raw in state["messages"]]
        files = [File(**raw) for raw in state["files"]]
        contents = {key: base64.b64decode(data) for key, data in state["contents"].items()}
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise StateFileError(f"{path} is no state of this simulator") from error
    world.people.update({person.id: person for person in people})
    world.chats.update({chat.id: chat for chat in chats})
    for message in messages:
        world.keep(message)
    world.files.update({file.id: file for file in files})
    world.contents.update(contents)


def _load_message(raw: Json) -> Message:
    message = Message(**raw)
    message.reactions = [Reaction(**each) for each in raw["reactions"]]
    message.stream = Stream(**raw["stream"]) if raw["stream"] is not None else None
    return message
