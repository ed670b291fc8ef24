"""What people send, what robots send without a webhook, and files both ways."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from channels.simulators.dingtalk.people import Refused
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from tests.contract.dingtalk_wire import CHEN, LIN, LIN_DIRECT, TEAM, Org, open_org

PEOPLE = "/v1.0/robot/oToMessages/batchSend"
GROUP = "/v1.0/robot/groupMessages/send"
RECALL_PEOPLE = "/v1.0/robot/otoMessages/batchRecall"
RECALL_GROUP = "/v1.0/robot/groupMessages/recall"
EMOTION = "/v1.0/robot/emotion/reply"
DOWNLOAD = "/v1.0/robot/messageFiles/download"


@pytest.fixture
async def org() -> AsyncIterator[Org]:
    async with open_org(api_per_second=1000) as org:
        yield org


async def heard(org: Org, chat_id: str, **more: Any) -> dict[str, Any]:
    assert org.simulator.send(chat_id, LIN, **more).robots == 1
    return (await org.stream.next())["body"]


def text(content: str) -> dict[str, str]:
    return {"msgKey": "sampleText", "msgParam": json.dumps({"content": content})}


async def test_a_picture_alone(org: Org) -> None:
    picture = org.simulator.upload("cat.png", b"cat", "image")
    body = await heard(org, LIN_DIRECT, msg_type="picture", file=picture)
    assert body["msgtype"] == "picture"
    assert set(body["content"]) == {"downloadCode", "pictureDownloadCode"}
    assert "text" not in body


async def test_rich_text_keeps_the_order_of_its_parts(org: Org) -> None:
    picture = org.simulator.upload("cat.png", b"cat", "image")
    parts = [{"text": "@niuma look"}, {"file_id": picture}, {"text": "nice?"}]
    body = await heard(org, TEAM, msg_type="richText", parts=parts)
    first, second, third = body["content"]["richText"]
    assert (first, second["type"], third) == ({"text": " look"}, "picture", {"text": "nice?"})
    assert second["downloadCode"]


async def test_a_voice_message_comes_with_its_words(org: Org) -> None:
    voice = org.simulator.upload("voice.amr", b"..", "voice")
    content = {"duration": 4000, "recognition": "明天的会议几点"}
    body = await heard(org, LIN_DIRECT, msg_type="audio", file=voice, content=content)
    assert (body["content"]["recognition"], body["content"]["duration"]) == ("明天的会议几点", 4000)


async def test_a_video_and_a_file(org: Org) -> None:
    video = org.simulator.upload("a.mp4", b"..", "video")
    content = {"duration": "5", "videoType": "mp4"}
    body = await heard(org, LIN_DIRECT, msg_type="video", file=video, content=content)
    assert (body["content"]["videoType"], body["content"]["duration"]) == ("mp4", "5")
    body = await heard(org, LIN_DIRECT, msg_type="file", file=org.simulator.upload("a.pdf", b"%PDF"))
    assert body["content"]["fileName"] == "a.pdf"
    assert {"downloadCode", "spaceId", "fileId"} <= set(body["content"])


async def test_an_unknown_type_says_so(org: Org) -> None:
    content = {"unknownMsgType": "暂不支持的消息类型"}
    body = await heard(org, LIN_DIRECT, msg_type="unknownMsgType", content=content)
    assert (body["msgtype"], body["content"]) == ("unknownMsgType", content)


async def test_groups_give_robots_no_voice_and_no_files(org: Org) -> None:
    file = org.simulator.upload("a.pdf", b"%PDF")
    assert org.simulator.send(TEAM, LIN, msg_type="file", file=file, at=[org.simulator.app_id]).robots == 0
    picture = org.simulator.upload("cat.png", b"cat", "image")
    assert org.simulator.send(TEAM, LIN, msg_type="picture", file=picture, at=[org.simulator.app_id]).robots == 1


async def test_a_quote_brings_the_quoted_message_along(org: Org) -> None:
    first = org.simulator.send(LIN_DIRECT, LIN, "the first")
    await org.stream.next()
    body = await heard(org, LIN_DIRECT, text="about that", quote=first.message_id)
    assert body["text"]["isReplyMsg"] is True
    replied = body["text"]["repliedMsg"]
    assert (replied["msgId"], replied["msgType"], replied["content"]) == (
        first.message_id,
        "text",
        {"text": "the first"},
    )
    org.simulator.options.quote_body = "ids"
    body = await heard(org, LIN_DIRECT, text="again", quote=first.message_id)
    assert (body["originalMsgId"], "repliedMsg" in body["text"]) == (first.message_id, False)


async def test_a_quoted_card_brings_nothing_but_its_type(org: Org) -> None:
    await org.create("card-1")
    body = await heard(org, TEAM, text="@niuma this?", quote=org.simulator.card("card-1")["id"])
    assert body["text"]["repliedMsg"]["msgType"] == "interactiveCard"
    assert "content" not in body["text"]["repliedMsg"]


async def test_a_quoted_rich_text_names_its_parts_otherwise(org: Org) -> None:
    parts = [{"text": "look"}, {"file_id": org.simulator.upload("cat.png", b"cat", "image")}]
    first = org.simulator.send(LIN_DIRECT, LIN, msg_type="richText", parts=parts)
    await org.stream.next()
    body = await heard(org, LIN_DIRECT, text="that", quote=first.message_id)
    words, picture = body["text"]["repliedMsg"]["content"]["richText"]
    assert (words, picture["msgType"]) == ({"msgType": "text", "content": "look"}, "picture")


async def test_a_recalled_message_reads_as_nothing_and_no_robot_is_told(org: Org) -> None:
    sent = org.simulator.send(LIN_DIRECT, LIN, "oops")
    await org.stream.next()
    org.simulator.recall(sent.message_id)
    shown = org.simulator.message(sent.message_id)
    assert (shown["recalled"], shown["text"]) == (True, "")
    assert await org.stream.nothing()


async def test_a_message_pushed_again_by_hand_is_the_same_message(org: Org) -> None:
    sent = org.simulator.send(LIN_DIRECT, LIN, "hello")
    first = await org.stream.next()
    org.simulator.redeliver(sent.message_id)
    second = await org.stream.next()
    assert (first["body"], first["headers"]["messageId"] == second["headers"]["messageId"]) == (second["body"], False)


def test_nobody_writes_where_they_are_not() -> None:
    simulator = DingTalkSimulator()
    for wrong in ({"chat_id": "cidx"}, {"chat_id": TEAM, "as": "nobody"}, {"chat_id": TEAM, "as": LIN, "quote": "x"}):
        with pytest.raises(Refused):
            simulator.people.write(wrong)
    with pytest.raises(Refused):
        simulator.press_link(TEAM, LIN, "https://example.com")


async def test_a_file_is_fetched_by_its_code_until_it_ends(org: Org) -> None:
    body = await heard(org, LIN_DIRECT, msg_type="file", file=org.simulator.upload("a.pdf", b"%PDF"))
    code, robot = body["content"]["downloadCode"], {"robotCode": org.simulator.app_id}
    status, found = await org.call("POST", DOWNLOAD, {"downloadCode": code, **robot})
    assert (status, found["downloadUrl"].endswith(".file")) == (200, True)
    async with org.session.get(found["downloadUrl"]) as response:
        assert await response.read() == b"%PDF"
    _, wrong = await org.call("POST", DOWNLOAD, {"downloadCode": code, "robotCode": "dingother"})
    assert wrong["code"] == "invalidParameter.robotCode.notExsit"
    org.simulator.add_app("dingother", "secret", "helper")
    _, wrong = await org.call("POST", DOWNLOAD, {"downloadCode": code, "robotCode": "dingother"})
    assert wrong["code"] == "invalidParameter.robotCode.auth"
    org.simulator.advance(601)
    assert (await org.session.get(found["downloadUrl"])).status == 403
    org.simulator.options.download_code_life_s = 0
    body = await heard(org, LIN_DIRECT, msg_type="file", file=org.simulator.upload("a.pdf", b"%PDF"))
    status, found = await org.call("POST", DOWNLOAD, {"downloadCode": body["content"]["downloadCode"], **robot})
    assert (status, found["code"]) == (400, "invalidParameter.robotCode.downloadCode")


async def test_the_file_host_fails_when_told_to(org: Org) -> None:
    body = await heard(org, LIN_DIRECT, msg_type="file", file=org.simulator.upload("a.pdf", b"%PDF"))
    code = {"downloadCode": body["content"]["downloadCode"], "robotCode": org.simulator.app_id}
    _, found = await org.call("POST", DOWNLOAD, code)
    action = {"status": 503, "headers": {"Retry-After": "7"}}
    org.simulator.faults.add({"match": {"path": "^/_files/"}, "action": action})
    async with org.session.get(found["downloadUrl"]) as response:
        assert (response.status, response.headers["Retry-After"]) == (503, "7")


async def test_an_upload_gives_a_media_id_that_a_file_message_may_use(org: Org) -> None:
    found = await _upload(org, "file", "report.pdf", b"%PDF")
    assert (found["errcode"], found["media_id"][0]) == (0, "@")
    param = {"mediaId": found["media_id"], "fileName": "report.pdf", "fileType": "pdf"}
    body = {"robotCode": org.simulator.app_id, "openConversationId": TEAM, "msgKey": "sampleFile"}
    status, _ = await org.call("POST", GROUP, {**body, "msgParam": json.dumps(param)})
    shown = org.simulator.state()["messages"][-1]
    assert (status, shown["msg_type"], shown["files"][0]["name"]) == (200, "file", "report.pdf")
    _, wrong = await org.call("POST", GROUP, {**body, "msgParam": json.dumps({**param, "mediaId": "@lAnobody"})})
    assert wrong["code"] == "resource.not.found"
    _, wrong = await org.call("POST", GROUP, {**body, "msgParam": json.dumps({**param, "fileType": "exe"})})
    assert wrong["code"] == "invalidParameter.msgParam.invalid"


@pytest.mark.parametrize(
    ("kind", "name", "size", "errcode"),
    [
        ("file", "a.exe", 1, 40004),
        ("poem", "a.pdf", 1, 40004),
        ("voice", "a.amr", 2 * 2**20 + 1, 40006),
        ("file", "a.pdf", 0, 40006),
    ],
)
async def test_a_wrong_upload_is_refused_with_http_200(org: Org, kind: str, name: str, size: int, errcode: int) -> None:
    assert (await _upload(org, kind, name, b"x" * size))["errcode"] == errcode


async def test_an_upload_with_a_wrong_token_is_refused(org: Org) -> None:
    org.token = "nobody"
    assert (await _upload(org, "file", "a.pdf", b"x"))["errcode"] == 40014


async def test_people_who_cannot_be_reached_are_named_in_a_success(org: Org) -> None:
    org.simulator.robot_calls.slowed = {CHEN}
    body = {"robotCode": org.simulator.app_id, "userIds": [LIN, CHEN, "nobody"], **text("hi")}
    status, found = await org.call("POST", PEOPLE, body)
    assert (status, found["invalidStaffIdList"], found["flowControlledStaffIdList"]) == (200, ["nobody"], [CHEN])
    assert [each["chat_id"] for each in org.simulator.state()["messages"]] == [LIN_DIRECT]


async def test_a_second_robot_has_single_chats_of_its_own(org: Org) -> None:
    org.simulator.add_app("dingother", "secret", "helper")
    chat_id = org.simulator.add_chat("helper", [LIN], type="single", app_id="dingother")
    assert org.simulator.send(chat_id, LIN, "hi").robots == 1
    assert org.simulator.deliveries.all[-1].app.app_id == "dingother"


async def test_a_conversation_id_is_no_person(org: Org) -> None:
    body = {"robotCode": org.simulator.app_id, "userIds": [TEAM], **text("hi")}
    status, found = await org.call("POST", PEOPLE, body)
    assert (status, found["code"]) == (400, "staffId.notExisted")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"robotCode": ""}, "invalidParameter.robotCode.empty"),
        ({"robotCode": "dingother"}, "invalidParameter.robotCode.notExsit"),
        ({"openConversationId": LIN_DIRECT}, "invalid.openConversationId"),
        ({"openConversationId": "cidx"}, "invalid.openConversationId"),
        ({"msgParam": {"content": "no string"}}, "invalidParameter.msgParam.invalid"),
        ({"msgParam": json.dumps({"content": "长" * 5000})}, "invalidParameter.msgParam.tooLong"),
        ({"msgKey": "samplePoem"}, "invalidParameter.msgKey.invalid"),
    ],
)
async def test_a_wrong_group_message_is_refused(org: Org, change: dict[str, Any], code: str) -> None:
    body = {"robotCode": org.simulator.app_id, "openConversationId": TEAM, **text("hi"), **change}
    status, found = await org.call("POST", GROUP, body)
    assert (status, found["code"]) == (400, code)


async def test_a_message_is_recalled_within_a_day_by_the_call_of_its_place(org: Org) -> None:
    robot = {"robotCode": org.simulator.app_id}
    _, sent = await org.call("POST", GROUP, {**robot, "openConversationId": TEAM, **text("hi")})
    keys = {**robot, "processQueryKeys": [sent["processQueryKey"]]}
    _, found = await org.call("POST", RECALL_PEOPLE, keys)
    assert found["successResult"] == []
    _, found = await org.call("POST", RECALL_GROUP, {**keys, "openConversationId": TEAM})
    assert found["successResult"] == [sent["processQueryKey"]]
    assert org.simulator.state()["messages"][-1]["recalled"] is True
    _, sent = await org.call("POST", PEOPLE, {**robot, "userIds": [LIN], **text("hi")})
    org.simulator.advance(86_401)
    await org.login()
    _, found = await org.call("POST", RECALL_PEOPLE, {**robot, "processQueryKeys": [sent["processQueryKey"]]})
    assert (found["successResult"], list(found["failedResult"])) == ([], [sent["processQueryKey"]])


async def test_the_spelling_of_the_recall_call_matters(org: Org) -> None:
    status, found = await org.call("POST", RECALL_PEOPLE.replace("oto", "oTo"), {})
    assert (status, found["code"]) == (404, "InvalidAction.NotFound")


async def test_a_card_is_recalled_by_its_carrier(org: Org) -> None:
    _, found = await org.create("card-1")
    key = found["result"]["deliverResults"][0]["carrierId"]
    body = {"robotCode": org.simulator.app_id, "openConversationId": TEAM, "processQueryKeys": [key]}
    await org.call("POST", RECALL_GROUP, body)
    assert org.simulator.card("card-1")["recalled"] is True


async def test_an_emotion_comes_and_goes(org: Org) -> None:
    sent = org.simulator.send(LIN_DIRECT, LIN, "hello")
    emotion = {"emotionId": "2659900", "emotionName": "🤔思考中", "text": "🤔思考中", "backgroundId": "im_bg_1"}
    body = {
        "robotCode": org.simulator.app_id,
        "openMsgId": sent.message_id,
        "openConversationId": LIN_DIRECT,
        "emotionType": 2,
        "emotionName": "🤔思考中",
        "textEmotion": emotion,
    }
    assert (await org.call("POST", EMOTION, body))[0] == 200
    assert org.simulator.message(sent.message_id)["emotions"] == [{"name": "🤔思考中", "by": org.simulator.app_id}]
    assert (await org.call("POST", EMOTION, {**body, "openConversationId": TEAM}))[0] == 400
    assert (await org.call("POST", EMOTION.replace("reply", "recall"), body))[0] == 200
    assert org.simulator.message(sent.message_id)["emotions"] == []


async def _upload(org: Org, kind: str, name: str, data: bytes) -> dict[str, Any]:
    form = aiohttp.FormData()
    form.add_field("type", kind)
    form.add_field("media", io.BytesIO(data), filename=name)
    url = f"{org.simulator.url}/media/upload"
    async with org.session.post(url, params={"access_token": org.token}, data=form) as response:
        assert response.status == 200
        return await response.json()
