"""Payloads the simulator does not send: odd, old, half."""

from __future__ import annotations

from typing import Any

import pytest

from channels.dingtalk.address import Place, parse_place
from channels.dingtalk.content import parse_quoted
from channels.dingtalk.inbound import Heard, OverQuota, parse_message
from channels.dingtalk.settings import DingtalkSettings
from channels.dingtalk.template import template_of
from channels.events import ConversationRef

BODY: dict[str, Any] = {
    "conversationId": "cidx==",
    "chatbotCorpId": "dingcorp",
    "chatbotUserId": "$:LWCP_v1:$bot",
    "msgId": "msg1",
    "senderNick": "小钉",
    "senderStaffId": "0147",
    "senderCorpId": "dingcorp",
    "senderId": "$:LWCP_v1:$x",
    "sessionWebhook": "http://127.0.0.1/x",
    "sessionWebhookExpiredTime": 1690367502152,
    "createAt": 1690362101894,
    "conversationType": "1",
    "robotCode": "ding1",
    "msgtype": "text",
    "text": {"content": " 你好"},
}


def heard(**more: Any) -> Heard:
    found = parse_message("main", {**BODY, **more}, 1)
    assert isinstance(found, Heard)
    return found


def test_the_leading_blank_is_no_text() -> None:
    assert heard().message.text == "你好"


def test_a_message_in_the_shape_of_the_official_sample() -> None:
    message = heard().message
    assert message.conversation == ConversationRef("dingtalk", "main", "dingcorp", "user.0147")
    assert (message.sender.id, message.sender.name, message.created_at_ms) == ("0147", "小钉", 1690362101894)
    assert heard().session.expires_ms == 1690367502152


def test_somebody_without_a_staff_id_is_a_guest_of_another_organisation() -> None:
    message = heard(senderStaffId="", senderCorpId="", senderUnionId="u1").message
    assert message.conversation.chat == "guest.cidx=="
    assert (message.sender.id, message.sender.tenant) == ("u1", "")
    assert heard(senderStaffId=None, senderUnionId=None).message.sender.id == "$:LWCP_v1:$x"


def test_a_notice_instead_of_a_message() -> None:
    notice = {**BODY, "errCode": 20001, "errMsg": "受调用量超量影响"}
    del notice["text"]
    assert parse_message("main", notice, 1) == OverQuota("受调用量超量影响")


@pytest.mark.parametrize("missing", ["msgId", "conversationId"])
def test_what_every_message_has_is_needed(missing: str) -> None:
    with pytest.raises(KeyError):
        parse_message("main", {**BODY, missing: None}, 1)


@pytest.mark.parametrize("text", [None, {}, {"content": None}, "odd"])
def test_a_text_without_text_is_empty(text: object) -> None:
    assert heard(text=text).message.text == ""


def test_a_group_is_told_by_its_type() -> None:
    message = heard(conversationType="2", isInAtList=True).message
    assert (message.conversation.chat, message.chat_kind, message.mentions_me) == ("group.cidx==", "group", True)
    assert not heard(conversationType="2", isInAtList=False).message.mentions_me


@pytest.mark.parametrize(
    ("replied", "text"),
    [
        ({"msgType": "text", "msgId": "m0", "content": {"text": "before"}}, "before"),
        ({"msgType": "text", "msgId": "m0", "content": {"content": "before"}}, "before"),
        ({"msgType": "richText", "msgId": "m0", "content": {"richText": [{"content": "a"}, {"text": "b"}]}}, "ab"),
        (
            {"msgType": "interactiveCard", "cardContent": {"children": [{"text": "card"}, {"content": "words"}]}},
            "card\nwords",
        ),
        ({"msgType": "interactiveCard"}, ""),
        ({"msgType": "dance", "content": {}}, "[dance]"),
    ],
)
def test_a_quoted_message_is_read_as_far_as_it_is_told(replied: dict[str, Any], text: str) -> None:
    assert parse_quoted(replied).text == text


def test_a_quote_without_words_is_no_quote() -> None:
    assert heard(text={"content": "x", "isReplyMsg": True}, originalMsgId="m0").quote is None


def test_a_quote_of_ours_is_ours() -> None:
    replied = {"msgType": "text", "msgId": "m0", "senderId": "$:LWCP_v1:$bot", "content": {"text": "mine"}}
    quote = heard(text={"content": "x", "isReplyMsg": True, "repliedMsg": replied}).quote
    assert quote is not None and (quote.by_us, quote.message_id) == (True, "m0")


@pytest.mark.parametrize(
    ("chat", "place"),
    [
        ("user.0147", Place("user", "0147")),
        ("group.cid.x==", Place("group", "cid.x==")),
        ("guest.cid", Place("guest", "cid")),
        ("0147", Place("user", "0147")),
        ("team.lead", Place("user", "team.lead")),
    ],
)
def test_an_address_says_whether_it_is_a_person(chat: str, place: Place) -> None:
    assert parse_place(ConversationRef("dingtalk", "main", "t", chat)) == place


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("btn_stop", "stop"),
        ("btn_stop1", "stop"),
        ("btn_stop_12", "stop"),
        ("btn_backlog_all", "backlog_all"),
        ("other", None),
    ],
)
def test_a_number_behind_a_buttons_id_is_the_platforms(given: str, name: str | None) -> None:
    settings = DingtalkSettings.model_validate({"id": "main", "client_id": "a", "client_secret": "b"})
    assert template_of(settings).action_of(given) == name
