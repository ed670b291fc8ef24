from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest

from channels.simulators.dingtalk.templates import TemplateWrong
from tests.contract.dingtalk_wire import CHEN, LIN, LIN_DIRECT, TEAM, Org, open_org

BY_KEY = {"cardUpdateOptions": {"updateCardDataByKey": True, "updatePrivateDataByKey": True}}


@pytest.fixture
async def org() -> AsyncIterator[Org]:
    async with open_org(api_per_second=1000) as org:
        yield org


async def test_both_levels_of_success_are_told_apart(org: Org) -> None:
    status, found = await org.create("card-1")
    (delivered,) = found["result"]["deliverResults"]
    assert (status, found["success"], delivered["success"]) == (200, True, True)
    direct = {"imRobotOpenDeliverModel": {"spaceType": "IM_ROBOT"}}
    status, found = await org.create("card-2", openSpaceId=f"dtv1.card//IM_ROBOT.{LIN_DIRECT}", **direct)
    (delivered,) = found["result"]["deliverResults"]
    assert (status, found["success"], delivered["success"], delivered["errorMsg"]) == (
        200,
        True,
        False,
        "spaceId is illegal",
    )
    assert [each["card"]["out_track_id"] for each in org.simulator.state()["messages"]] == ["card-1"]
    status, found = await org.create("card-2", openSpaceId=f"dtv1.card//IM_ROBOT.{LIN}", **direct)
    assert found["code"] == "param.cardAlreadyExist", "the refused delivery has used the id up"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"outTrackId": ""}, "param.outTrackIdEmpty"),
        ({"cardTemplateId": ""}, "param.cardTemplateIdEmpty"),
        ({"cardTemplateId": "nobody.schema"}, "param.templateNotExist"),
        ({"cardTemplateId": "draft.schema"}, "param.templateUnpublished"),
        ({"openSpaceId": ""}, "param.openSpaceIdEmpty"),
        ({"openSpaceId": TEAM}, "param.openSpaceIdInvalid"),
        ({"openSpaceId": "dtv1.card//IM_MOON.x"}, "param.openSpaceIdInvalid"),
        ({"openSpaceId": f"dtv1.card//IM_ROBOT.{LIN}"}, "param.openDeliverModelEmpty"),
        ({"imGroupOpenDeliverModel": {}}, "param.openDeliverModelError"),
        ({"imGroupOpenDeliverModel": {"robotCode": "dingother"}}, "param.openDeliverModelError"),
        ({"cardData": {}}, "param.cardPublicDataEmpty"),
        ({"cardData": {"cardParamMap": {"count": 3}}}, "param.invalid"),
        ({"cardData": {"cardParamMap": {"k" * 101: "x"}}}, "param.invalid"),
        ({"cardData": {"cardParamMap": {"flowStatus": "9"}}}, "param.invalid"),
    ],
)
async def test_a_wrong_card_is_refused(org: Org, change: dict[str, Any], code: str) -> None:
    org.simulator.add_template("draft.schema", variables=["content"], published=False)
    status, found = await org.create("card-1", **change)
    assert (status, found["code"]) == (400, code)
    assert org.simulator.state()["messages"] == []


async def test_a_reused_id_is_refused_and_the_old_content_stays(org: Org) -> None:
    await org.create("card-1", {"content": "first"})
    status, found = await org.create("card-1", {"content": "second"})
    assert (status, found["code"]) == (400, "param.cardAlreadyExist")
    assert org.simulator.card("card-1")["text"] == "first"


async def test_a_card_says_in_the_list_what_it_is_given_and_a_placeholder_without(org: Org) -> None:
    await org.create("card-1")
    assert org.simulator.card("card-1")["title"] == "[交互卡片消息]"
    await org.create("card-2", imGroupOpenSpaceModel={"lastMessageI18n": {"ZH_CN": "处理中…"}})
    assert org.simulator.card("card-2")["title"] == "处理中…"


async def test_the_stream_moves_the_card_from_processing_to_finished(org: Org) -> None:
    await org.create("card-1")
    assert org.simulator.card("card-1")["card"]["flow_status"] == "1"
    assert await org.frame("card-1", "Two") == (200, {"success": True, "result": True})
    assert org.simulator.card("card-1")["card"]["flow_status"] == "2"
    await org.frame("card-1", "Two things", isFinalize=True)
    assert org.simulator.card("card-1")["card"]["flow_status"] == "3"
    status, found = await org.frame("card-1", "late")
    assert (status, found["code"]) == (500, "unknownError")
    assert org.simulator.card("card-1")["text"] == "Two things"
    assert (await org.update("card-1", {"content": "repaired"}, **BY_KEY))[0] == 200
    assert org.simulator.card("card-1")["text"] == "repaired"


async def test_frames_after_the_end_in_the_other_readings(org: Org) -> None:
    await org.create("card-1")
    await org.frame("card-1", "done", isFinalize=True)
    org.simulator.options.after_finish = "ignore"
    assert (await org.frame("card-1", "late"))[0] == 200
    assert org.simulator.card("card-1")["text"] == "done"
    org.simulator.options.after_finish = "accept"
    await org.frame("card-1", "late")
    assert org.simulator.card("card-1")["text"] == "late"


async def test_a_guid_is_idempotent(org: Org) -> None:
    await org.create("card-1")
    await org.frame("card-1", "one", guid="same")
    assert (await org.frame("card-1", "two", guid="same"))[0] == 200
    assert org.simulator.card("card-1")["text"] == "one"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"outTrackId": "nobody"}, 400, "param.stream.outTrackId"),
        ({"guid": ""}, 400, "param.stream.guidEmpty"),
        ({"key": ""}, 400, "param.stream.keyEmpty"),
        ({"key": "msgContent"}, 500, "unknownError"),
        ({"key": "status"}, 500, "unknownError"),
        ({"content": ""}, 400, "param.stream.contentEmpty"),
        ({"content": "长" * 30_000}, 400, "param.stream.content"),
        ({"isFull": False}, 400, "param.stream.isFull"),
    ],
)
async def test_a_wrong_frame_is_refused(org: Org, change: dict[str, Any], status: int, code: str) -> None:
    await org.create("card-1")
    found = await org.frame("card-1", "text", **change)
    assert (found[0], found[1]["code"]) == (status, code)
    assert org.simulator.card("card-1")["card"]["flow_status"] == "1"


async def test_a_failed_card_needs_the_templates_failed_state(org: Org) -> None:
    org.simulator.add_template("plain.schema", variables=["content"], streaming_key="content", has_failed_state=False)
    await org.create("card-1", cardTemplateId="plain.schema")
    assert (await org.frame("card-1", "broken", isError=True))[0] == 500
    await org.create("card-2")
    assert (await org.frame("card-2", "broken", isError=True))[0] == 200
    assert org.simulator.card("card-2")["card"]["flow_status"] == "5"


async def test_a_template_without_a_streaming_component_takes_no_stream(org: Org) -> None:
    org.simulator.add_template("still.schema", variables=["content"])
    await org.create("card-1", cardTemplateId="still.schema")
    assert (await org.frame("card-1", "text"))[1]["code"] == "unknownError"
    await org.update("card-1", {"content": "by update"})
    assert org.simulator.card("card-1")["text"] == "by update"


async def test_a_long_text_shows_a_blank_card_while_every_call_succeeds(org: Org) -> None:
    await org.create("card-1", {"status": "working"})
    assert (await org.frame("card-1", "字" * 3000))[0] == 200
    assert org.simulator.card("card-1")["text"].endswith("字")
    assert (await org.frame("card-1", "字" * 3001))[0] == 200
    shown = org.simulator.card("card-1")
    assert (shown["text"], shown["card"]["blank"]) == ("", True)


async def test_an_update_overwrites_everything_unless_by_key(org: Org) -> None:
    await org.create("card-1", {"status": "working", "content": "text"})
    await org.update("card-1", {"status": "done"}, **BY_KEY)
    assert org.simulator.card("card-1")["text"] == "done\ntext"
    await org.update("card-1", {"status": "done", "flowStatus": "3"})
    shown = org.simulator.card("card-1")
    assert (shown["text"], shown["card"]["flow_status"]) == ("done", "3")
    status, found = await org.update("nobody", {})
    assert (status, found["code"]) == (400, "param.cardNotExist")


async def test_private_data_shows_a_button_to_one_person_only(org: Org) -> None:
    private = {LIN: {"cardParamMap": {"show_stop": "true"}}}
    await org.create("card-1", privateData=private)
    assert org.simulator.card("card-1", LIN)["text"] == "…\n[停止]"
    assert org.simulator.card("card-1", CHEN)["text"] == "…"
    message_id = org.simulator.card("card-1")["id"]
    assert (await org.simulator.click(message_id, CHEN, "btn_stop"))["reason"] == "no_button"
    more = {LIN: {"cardParamMap": {"label_stop": "Stop"}}}
    await org.update("card-1", {}, privateData=more, **BY_KEY)
    assert org.simulator.card("card-1", LIN)["text"] == "…\n[Stop]"
    await org.update("card-1", {}, privateData=more, cardUpdateOptions={"updateCardDataByKey": True})
    assert org.simulator.card("card-1", LIN)["text"] == "…"


async def test_a_cards_recipients_and_mentions_are_kept(org: Org) -> None:
    model = {"robotCode": org.simulator.app_id, "recipients": [LIN], "atUserIds": {LIN: "Lin Wei"}}
    await org.create("card-1", imGroupOpenDeliverModel=model)
    shown = org.simulator.card("card-1")
    assert (shown["recipients"], shown["at_users"]) == ([LIN], [LIN])


async def _click(org: Org, answer: object, code: int = 200) -> tuple[dict[str, Any], dict[str, Any]]:
    clicking = asyncio.create_task(org.simulator.click(org.simulator.card("card-1")["id"], LIN, "btn_stop"))
    frame = await org.stream.next()
    await org.stream.ack(frame, answer, code)
    return frame, await clicking


async def test_the_answer_to_a_press_changes_the_card_and_the_pressers_own_view(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true"})
    answer = {
        "cardData": {"cardParamMap": {"status": "stopping"}},
        "userPrivateData": {"cardParamMap": {"show_stop": "false"}},
        **BY_KEY,
    }
    frame, found = await _click(org, {"response": answer})
    assert found["ok"]
    assert (frame["body"]["userId"], frame["body"]["spaceType"], frame["body"]["spaceId"]) == (LIN, "IM_GROUP", TEAM)
    assert org.simulator.card("card-1", LIN)["text"] == "stopping\n…"
    assert org.simulator.card("card-1", CHEN)["text"] == "stopping\n…\n[停止]"


async def test_an_answer_without_by_key_wipes_the_card(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true"})
    await _click(org, {"response": {"cardData": {"cardParamMap": {"status": "stopping"}}}})
    assert org.simulator.card("card-1")["text"] == "stopping"


async def test_an_answer_after_two_seconds_is_no_answer(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true"})
    clicking = asyncio.create_task(org.simulator.click(org.simulator.card("card-1")["id"], LIN, "btn_stop"))
    frame = await org.stream.next()
    org.simulator.advance(2)
    assert (await clicking)["reason"] == "timeout"
    await org.stream.ack(frame, {"response": {"cardData": {"cardParamMap": {"status": "late"}}}})
    await asyncio.sleep(0.02)
    assert "late" not in org.simulator.card("card-1")["text"]


async def test_a_bad_answer_changes_nothing(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true"})
    assert (await _click(org, {}, code=500))[1]["reason"] == "code"
    _, found = await _click(org, {"response": {"cardData": {"cardParamMap": {"count": 1}}}})
    assert found["reason"] == "bad_answer"
    assert org.simulator.card("card-1")["text"] == "…\n[停止]"


async def test_the_platform_may_add_a_number_to_a_buttons_id_and_leave_fields_out(org: Org) -> None:
    org.simulator.options.change({"action_suffix": "1", "sparse_clicks": True})
    await org.create("card-1", {"show_stop": "true"})
    frame, _ = await _click(org, {"response": {}})
    assert json.loads(frame["body"]["content"])["cardPrivateData"]["actionIds"] == ["btn_stop1"]
    assert set(frame["body"]) == {"type", "outTrackId", "corpId", "userId", "content"}


async def test_a_card_not_made_for_the_stream_gets_no_presses(org: Org) -> None:
    await org.create("card-1", {"show_stop": "true"}, callbackType="HTTP")
    found = await org.simulator.click(org.simulator.card("card-1")["id"], LIN, "btn_stop")
    assert found["reason"] == "not_stream"


async def test_a_press_comes_again_where_the_platform_repeats_them(org: Org) -> None:
    org.simulator.options.card_redeliveries = 1
    await org.create("card-1", {"show_stop": "true"})
    clicking = asyncio.create_task(org.simulator.click(org.simulator.card("card-1")["id"], LIN, "btn_stop"))
    first = await org.stream.next()
    org.simulator.advance(2)
    assert (await clicking)["reason"] == "timeout"
    await asyncio.sleep(0.02)
    org.simulator.advance(60)
    second = await org.stream.next()
    assert (first["body"], first["headers"]["messageId"] == second["headers"]["messageId"]) == (second["body"], False)


async def test_a_template_is_data(org: Org) -> None:
    org.simulator.add_template(
        "mine.schema",
        variables=[
            "answer",
            {"name": "note", "kind": "text", "visible_key": "has_note"},
            *({"name": name, "kind": "hidden"} for name in ("has_note", "nonce", "done")),
        ],
        streaming_key="answer",
        buttons=[{"id": "go", "label": "Go", "disabled_key": "done", "param_keys": {"nonce": "nonce"}}],
    )
    await org.create("card-1", {"answer": "hi", "note": "psst", "nonce": "7"}, cardTemplateId="mine.schema")
    shown = org.simulator.card("card-1")
    assert shown["text"] == "hi\n[Go]"
    assert shown["card"]["buttons"] == [
        {"id": "go", "label": "Go", "visible": True, "disabled": False, "params": {"nonce": "7"}}
    ]
    await org.update("card-1", {"has_note": "true", "done": "true"}, **BY_KEY)
    assert "psst" in org.simulator.card("card-1")["text"]
    assert (await org.simulator.click(shown["id"], LIN, "go"))["reason"] == "no_button"
    unknown = {"id": "go", "visible_key": "nobody"}
    for wrong in ({"color": "red"}, {"buttons": [{"name": "go"}]}, {"buttons": [unknown]}, {"streaming_key": "x"}):
        with pytest.raises(TemplateWrong):
            org.simulator.add_template("bad.schema", **wrong)


async def test_a_cards_states_are_kept_in_order(org: Org) -> None:
    await org.create("card-1")
    await org.frame("card-1", "a")
    await org.frame("card-1", "ab", isFinalize=True)
    found = org.simulator.card_history("card-1")
    assert [(each["how"], each["params"]["content"]) for each in found] == [
        ("create", "…"),
        ("stream", "a"),
        ("stream", "ab"),
    ]
    assert found[0]["mono_s"] <= found[-1]["mono_s"]


async def test_values_for_what_is_no_variable_do_nothing(org: Org) -> None:
    await org.create("card-1", {"msgContent": "for another template"})
    assert org.simulator.card("card-1")["text"] == "…"
    await org.update("card-1", {}, privateData={LIN: {"cardParamMap": {"status": "not private"}}}, **BY_KEY)
    assert org.simulator.card("card-1", LIN)["text"] == "…"


async def test_a_client_that_missed_the_last_frame_is_repaired_by_an_update(org: Org) -> None:
    org.simulator.options.clients_miss_last_frame = True
    await org.create("card-1")
    await org.frame("card-1", "half")
    await org.frame("card-1", "half and whole", isFinalize=True)
    assert org.simulator.card("card-1")["text"] == "half"
    await org.update("card-1", {"content": "half and whole", "flowStatus": "3"}, **BY_KEY)
    assert org.simulator.card("card-1")["text"] == "half and whole"


async def test_two_frames_at_once_are_seen_and_a_late_one_wins(org: Org) -> None:
    await org.create("card-1")
    await org.frame("card-1", "one")
    assert org.simulator.overlapping_calls("card-1") == 0
    org.simulator.faults.add({"match": {"path": "/card/streaming"}, "action": {"delay_s": 0.05}})
    await asyncio.gather(org.frame("card-1", "one two"), _soon(org.frame("card-1", "one two three")))
    assert org.simulator.card("card-1")["text"] == "one two", "nothing orders them"
    assert org.simulator.overlapping_calls("card-1") == 1


async def _soon(call: Awaitable[object]) -> None:
    await asyncio.sleep(0.02)
    await call
