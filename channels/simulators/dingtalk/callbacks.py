"""The bodies of pushes: a person's message, a press on a card.

Source: open.dingtalk.com "Receive messages", "Robot message type", "Event callback of cards", read 2026-08.
"""

from __future__ import annotations

from collections.abc import Callable

from channels.simulators.dingtalk.cards import Card
from channels.simulators.dingtalk.world import CORP, App, Chat, Message, Person, World
from channels.simulators.jsons import Json, dumps

OVER_QUOTA = {"errCode": 20001, "errMsg": "受调用量超量影响，当前我的消息服务已经暂停，请联系管理员"}
OfferFile = Callable[[str, App], str]
"""Gives a download code for a stored file, good for one robot."""


def envelope(app: App, chat: Chat, person: Person, message: Message) -> Json:
    """Give what every robot message has around its content."""
    body: Json = {
        "senderPlatform": "Mac",
        "conversationId": chat.chat_id,
        "openThreadId": chat.chat_id,
        "chatbotCorpId": CORP,
        "chatbotUserId": app.chatbot_user_id,
        "msgId": message.message_id,
        "senderNick": person.name,
        "isAdmin": False,
        "senderId": person.sender_id,
        "createAt": message.create_time_ms,
        "conversationType": "1" if chat.type == "single" else "2",
        "robotCode": app.app_id,
    }
    if not person.is_outside:
        body |= {"senderStaffId": person.person_id, "senderCorpId": CORP}
    return body


def group_facts(world: World, app: App, chat: Chat, message: Message) -> Json:
    """Give what only group messages have; the robot is among those mentioned, without a staff id."""
    people = [world.people[each] for each in message.at_users if each in world.people]
    robots = [world.apps[each] for each in message.at_users if each in world.apps]
    users = [{"dingtalkId": each.chatbot_user_id} for each in robots]
    users += [{"dingtalkId": each.sender_id, "staffId": each.person_id} for each in people]
    return {"conversationTitle": chat.name, "isInAtList": app.app_id in message.at_users, "atUsers": users}


def body_of(message: Message, app: App, offer: OfferFile, quoted: Message | None) -> Json:
    """Give `msgtype` and the content of a message as one robot sees it."""
    content, kind = message.content, message.msg_type
    if kind == "text":
        return {"msgtype": "text", "text": {"content": heard(content["text"], app), **_quote(quoted, app, offer)}}
    if kind == "richText":
        return {"msgtype": "richText", "content": {"richText": [_part(each, app, offer) for each in content["parts"]]}}
    if kind in ("picture", "audio", "video", "file"):
        return {"msgtype": kind, "content": _attachment(message, app, offer)}
    return {"msgtype": kind, "content": content}


def heard(text: str, app: App) -> str:
    """Take the robot's own mention out of a text; the blank after it stays, as on the platform."""
    return text.replace(f"@{app.name}", "", 1)


def press_data(card: Card, chat: Chat, person_id: str, action_id: str, params: Json, *, sparse: bool) -> Json:
    """Give the body of a press."""
    content = dumps({"cardPrivateData": {"actionIds": [action_id], "params": params}})
    facts: Json = {"type": "actionCallback", "outTrackId": card.out_track_id, "corpId": CORP, "userId": person_id}
    if sparse:
        return {**facts, "content": content}
    space = ("IM_ROBOT", person_id) if chat.type == "single" else ("IM_GROUP", chat.chat_id)
    places = {"userIdType": 1, "spaceType": space[0], "spaceId": space[1], "extension": "{}"}
    return {**facts, **places, "content": content, "value": content}


def _attachment(message: Message, app: App, offer: OfferFile) -> Json:
    code = offer(message.files[0], app)
    more = {key: value for key, value in message.content.items() if key != "text"}
    if message.msg_type == "picture":
        return {"downloadCode": code, "pictureDownloadCode": offer(message.files[0], app)}
    if message.msg_type == "file":
        return {"downloadCode": code, "spaceId": "25381", "fileId": message.files[0], **more}
    return {**more, "downloadCode": code}


def _part(part: Json, app: App, offer: OfferFile) -> Json:
    if "file_id" not in part:
        return {"text": heard(part["text"], app)}
    code = offer(part["file_id"], app)
    return {"type": "picture", "downloadCode": code, "pictureDownloadCode": offer(part["file_id"], app)}


def _quote(quoted: Message | None, app: App, offer: OfferFile) -> Json:
    """Give the quoted message; of a card only its type."""
    if quoted is None:
        return {}
    facts: Json = {"msgId": quoted.message_id, "senderId": quoted.sender_id, "createdAt": quoted.create_time_ms}
    if quoted.msg_type == "card":
        return {"isReplyMsg": True, "repliedMsg": {"msgType": "interactiveCard", **facts}}
    return {"isReplyMsg": True, "repliedMsg": {"msgType": quoted.msg_type, **facts, **_quoted(quoted, app, offer)}}


def _quoted(quoted: Message, app: App, offer: OfferFile) -> Json:
    content = quoted.content
    if quoted.msg_type == "richText":
        return {"content": {"richText": [_quoted_part(each, app, offer) for each in content["parts"]]}}
    if quoted.sender_type == "user" and quoted.files:
        return {"content": _attachment(quoted, app, offer)}
    return {"content": {"text": str(content.get("text") or content.get("markdown") or content.get("title", ""))}}


def _quoted_part(part: Json, app: App, offer: OfferFile) -> Json:
    """Parts of a quoted text are named otherwise than those of a fresh one."""
    if "file_id" in part:
        return {"msgType": "picture", "downloadCode": offer(part["file_id"], app)}
    return {"msgType": "text", "content": part["text"]}


def quote_ids(quoted: Message) -> Json:
    """Give what comes in place of the quoted message at times: its id, for a robot's its process query key."""
    name = "originalMsgId" if quoted.sender_type == "user" else "originalProcessQueryKey"
    return {name: quoted.message_id}
