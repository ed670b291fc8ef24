"""The robot calls: send without a webhook, recall, emotions.

Source: open.dingtalk.com "Batch send one-on-one messages", "Send group messages", "Recall", read 2026-08; the
emotion calls stand in no page and are known from several projects.
"""

from __future__ import annotations

from typing import cast

from aiohttp import web

from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.files import check_robot
from channels.simulators.dingtalk.gate import Call, Gate
from channels.simulators.dingtalk.messages import BadContent, Made, Messages, from_robot
from channels.simulators.dingtalk.world import Chat, Message, World, new_id
from channels.simulators.jsons import Json, as_object, parse_object

MOST_USERS = 20
MOST_KEYS = 20
EMOTION_TYPE = 2


class RobotCalls:
    """Answers `/v1.0/robot`; `slowed` are people whose messages the platform holds back."""

    def __init__(self, gate: Gate, world: World, messages: Messages) -> None:
        self._gate = gate
        self._world = world
        self._messages = messages
        self.slowed: set[str] = set()

    def routes(self) -> list[web.RouteDef]:
        """Give the routes; `otoMessages/batchRecall` is written in lower case, as the vendor has it."""
        api = self._gate.api
        return [
            web.post("/v1.0/robot/oToMessages/batchSend", api(self._send_people)),
            web.post("/v1.0/robot/groupMessages/send", api(self._send_group)),
            web.post("/v1.0/robot/otoMessages/batchRecall", api(self._recall_people)),
            web.post("/v1.0/robot/groupMessages/recall", api(self._recall_group)),
            web.post("/v1.0/robot/emotion/reply", api(self._add_emotion)),
            web.post("/v1.0/robot/emotion/recall", api(self._drop_emotion)),
        ]

    def _send_people(self, call: Call) -> Json:
        self._check_robot(call)
        ids = [str(each) for each in cast("list[object]", call.body.get("userIds") or [])]
        if not ids or len(ids) > MOST_USERS:
            raise ApiError(f"invalidParameter.userIds.{'overMax' if ids else 'empty'}")
        made, key = self._made(call), new_id("qk")
        unknown = [each for each in ids if each not in self._world.people or self._world.people[each].is_outside]
        if len(unknown) == len(ids) and any(each.startswith(("cid", "group:")) for each in ids):
            raise ApiError("staffId.notExisted")
        slowed = [each for each in ids if each in self.slowed]
        for person_id in ids:
            if person_id not in unknown + slowed:
                chat = self._world.direct_chat(call.app.app_id, person_id)
                self._put(call, chat, made, key)
        return {"processQueryKey": key, "invalidStaffIdList": unknown, "flowControlledStaffIdList": slowed}

    def _send_group(self, call: Call) -> Json:
        self._check_robot(call)
        chat = self._world.chats.get(str(call.body.get("openConversationId", "")))
        if chat is None or chat.type != "group" or call.app.app_id not in chat.bots:
            raise ApiError("invalid.openConversationId")
        if len(str(call.body.get("msgParam", "")).encode()) > self._gate.options.group_bytes:
            raise ApiError("invalidParameter.msgParam.tooLong")
        key = new_id("qk")
        self._put(call, chat, self._made(call), key)
        return {"processQueryKey": key}

    def _put(self, call: Call, chat: Chat, made: Made, key: str) -> None:
        """One key may stand for messages in several chats, so only the first has it as its id."""
        message = self._messages.put(call.app, chat, made, query_key=key if key not in self._world.messages else "")
        message.query_key = key

    def _made(self, call: Call) -> Made:
        param = parse_object(call.body.get("msgParam"))
        if param is None:
            raise ApiError("invalidParameter.msgParam.invalid")
        try:
            made = from_robot(str(call.body.get("msgKey", "")), param)
        except BadContent as error:
            part = "msgKey" if str(error) == "msgKey" else "msgParam"
            raise ApiError(f"invalidParameter.{part}.invalid", str(error)) from error
        media_id = str(made[1].get("media_id", ""))
        if media_id and not media_id.startswith("http") and media_id not in self._world.files:
            raise ApiError("resource.not.found")
        return made

    def _recall_people(self, call: Call) -> Json:
        return self._recall(call, None)

    def _recall_group(self, call: Call) -> Json:
        chat_id = str(call.body.get("openConversationId", ""))
        if chat_id not in self._world.chats:
            raise ApiError("invalid.openConversationId")
        return self._recall(call, chat_id)

    def _recall(self, call: Call, chat_id: str | None) -> Json:
        self._check_robot(call)
        keys = [str(each) for each in cast("list[object]", call.body.get("processQueryKeys") or [])]
        if not keys or len(keys) > MOST_KEYS:
            raise ApiError("invalidParameter.processQueryKey.missing")
        not_before_ms = self._gate.clock.now_ms() - self._gate.options.recall_within_s * 1000
        done = self._messages.recall(call.app, keys, chat_id, not_before_ms)
        failed = {key: "消息不存在或已超过可撤回时间" for key in keys if key not in done}
        return {"successResult": done, "failedResult": failed}

    def _add_emotion(self, call: Call) -> Json:
        message, emotion = self._emotion(call)
        if emotion not in message.emotions:
            message.emotions.append(emotion)
        self._messages.changed(message)
        return {"success": True}

    def _drop_emotion(self, call: Call) -> Json:
        message, emotion = self._emotion(call)
        message.emotions = [each for each in message.emotions if each != emotion]
        self._messages.changed(message)
        return {"success": True}

    def _emotion(self, call: Call) -> tuple[Message, Json]:
        self._check_robot(call)
        message = self._world.messages.get(str(call.body.get("openMsgId", "")))
        if message is None or message.chat_id != call.body.get("openConversationId") or message.recalled:
            raise ApiError("invalidParameter.openMsgId")
        text = as_object(call.body.get("textEmotion")) or {}
        name = call.body.get("emotionName")
        if call.body.get("emotionType") != EMOTION_TYPE or not name or not text.get("emotionId"):
            raise ApiError("invalidParameter.emotion")
        return message, {"name": str(name), "by": call.app.app_id}

    def _check_robot(self, call: Call) -> None:
        check_robot(call, self._world)
