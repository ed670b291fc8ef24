"""Where a card goes: `openSpaceId`, the deliver models, and what became of each delivery.

Source: open.dingtalk.com "Create and deliver cards", read 2026-08.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.world import App, Chat, World
from channels.simulators.jsons import Json, as_object

SPACE = re.compile(r"(IM_ROBOT|IM_GROUP)\.(.+)")
MODELS = {"IM_ROBOT": "imRobotOpenDeliverModel", "IM_GROUP": "imGroupOpenDeliverModel"}
SUMMARIES = {"IM_ROBOT": "imRobotOpenSpaceModel", "IM_GROUP": "imGroupOpenSpaceModel"}
DEFAULT_SUMMARY = "[交互卡片消息]"


@dataclass
class Space:
    """One place: a person's chat with the robot, or a group."""

    type: str
    id: str
    model: Json
    summary: str

    @property
    def recipients(self) -> list[str]:
        """Who alone sees the card in a group; empty means everybody."""
        return [str(each) for each in cast("list[object]", self.model.get("recipients") or [])]

    @property
    def mentioned(self) -> list[str]:
        """Who is mentioned with the card."""
        return list(as_object(self.model.get("atUserIds")) or {})


def parse_spaces(body: Json, app: App) -> list[Space]:
    """Read the places a card is to go to.

    Raises:
        ApiError: `param.openSpaceIdEmpty`, `.openSpaceIdInvalid`, `.openDeliverModelEmpty`, `.openDeliverModelError`.
    """
    text = body.get("openSpaceId")
    if not isinstance(text, str) or not text:
        raise ApiError("param.openSpaceIdEmpty")
    if not text.startswith("dtv1.card//"):
        raise ApiError("param.openSpaceIdInvalid")
    return [_space(part, body, app) for part in text.removeprefix("dtv1.card//").split(";")]


def place(space: Space, app: App, world: World) -> Chat | None:
    """Give the chat of a space; None when the id is none of that kind, or the robot is not there."""
    if space.type == "IM_ROBOT":
        person = world.people.get(space.id)
        return world.direct_chat(app.app_id, space.id) if person is not None and not person.is_outside else None
    chat = world.chats.get(space.id)
    return chat if chat is not None and chat.type == "group" and app.app_id in chat.bots else None


def _space(part: str, body: Json, app: App) -> Space:
    match = SPACE.fullmatch(part)
    if match is None:
        raise ApiError("param.openSpaceIdInvalid")
    kind = match[1]
    model = as_object(body.get(MODELS[kind]))
    if model is None:
        raise ApiError("param.openDeliverModelEmpty")
    _check_model(kind, model, app)
    last = as_object((as_object(body.get(SUMMARIES[kind])) or {}).get("lastMessageI18n")) or {}
    return Space(kind, match[2], model, str(last.get("ZH_CN") or next(iter(last.values()), DEFAULT_SUMMARY)))


def _check_model(kind: str, model: Json, app: App) -> None:
    """A group's model needs the robot's code; a person's may leave it out but not name another robot."""
    code = model.get("robotCode")
    is_named = code == app.app_id or (kind == "IM_ROBOT" and code in (None, ""))
    if not is_named or (kind == "IM_ROBOT" and model.get("spaceType") != "IM_ROBOT"):
        raise ApiError("param.openDeliverModelError")
