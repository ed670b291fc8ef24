from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.contract.feishu_socket import Tenant, button, card, open_tenant


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    async with open_tenant() as tenant:
        yield tenant


async def content(tenant: Tenant, card_id: str, text: str, **more: Any) -> int:
    tenant.simulator.advance(0.2)
    return (await tenant.rest.card("PUT", f"{card_id}/elements/answer/content", {"content": text, **more}))["code"]


async def settings(tenant: Tenant, card_id: str, **config: Any) -> int:
    body = {"settings": json.dumps({"config": config})}
    return (await tenant.rest.card("PATCH", f"{card_id}/settings", body))["code"]


async def batch(tenant: Tenant, card_id: str, *actions: dict[str, Any]) -> int:
    body = {"actions": json.dumps(actions)}
    return (await tenant.rest.card("POST", f"{card_id}/batch_update", body))["code"]


def text(element_id: str, words: str = "x") -> dict[str, Any]:
    return {"tag": "markdown", "element_id": element_id, "content": words}


async def test_the_sequence_must_rise_over_all_calls_of_a_card(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    assert await content(tenant, card_id, "a", sequence=0) == 300317
    assert await content(tenant, card_id, "a", sequence=5) == 0
    assert await content(tenant, card_id, "ab", sequence=5) == 300317
    tenant.rest.sequence = 3
    assert await settings(tenant, card_id, streaming_mode=False) == 300317
    assert await settings(tenant, card_id, streaming_mode=False) == 300317
    assert await settings(tenant, card_id, streaming_mode=False) == 0
    assert await content(tenant, card_id, "a", sequence=2**31) == 99992402


async def test_a_refused_call_uses_its_sequence_only_in_that_mode(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    bad = {"element": json.dumps({"tag": "nonsense"}), "sequence": 7}
    assert (await tenant.rest.card("PUT", f"{card_id}/elements/answer", bad))["code"] == 200220
    assert await content(tenant, card_id, "a", sequence=7) == 0
    tenant.simulator.options.failed_call_uses_sequence = True
    assert (await tenant.rest.card("PUT", f"{card_id}/elements/answer", {**bad, "sequence": 8}))["code"] == 200220
    assert await content(tenant, card_id, "b", sequence=8) == 300317


async def test_a_repeated_uuid_is_a_conflict_or_ok_by_mode(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    assert await content(tenant, card_id, "a", uuid="u1") == 0
    assert await content(tenant, card_id, "b", uuid="u1") == 200770
    tenant.simulator.options.repeat_card_uuid = "ok"
    assert await content(tenant, card_id, "b", uuid="u1") == 0
    assert tenant.simulator.card_history(card_id)[-1]["text"] == "Working\na"


async def test_streaming_closes_itself_after_ten_minutes_and_is_opened_again(tenant: Tenant) -> None:
    card_id, message_id = await tenant.sent_card(card())
    tenant.simulator.advance(599)
    assert await content(tenant, card_id, "a") == 0
    tenant.simulator.advance(1)
    assert [await content(tenant, card_id, "ab") for _ in range(3)] == [200850, 300309, 300309]
    assert tenant.simulator.message(message_id)["card_state"]["streaming"] is False
    assert await batch(tenant, card_id, partial("answer", {"content": "by batch"})) == 0
    assert await settings(tenant, card_id, streaming_mode=True) == 0
    assert await content(tenant, card_id, "by batch and more") == 0
    tenant.simulator.advance(599)
    assert await content(tenant, card_id, "x") == 0


def partial(element_id: str, part: dict[str, Any]) -> dict[str, Any]:
    return {"action": "partial_update_element", "params": {"element_id": element_id, "partial_element": part}}


@pytest.mark.parametrize(("restarts", "code"), [(False, 200850), (True, 0)])
async def test_opening_an_open_mode_restarts_the_ten_minutes_only_in_that_mode(
    tenant: Tenant, restarts: bool, code: int
) -> None:
    tenant.simulator.options.reopen_restarts_streaming = restarts
    card_id, _ = await tenant.sent_card(card())
    tenant.simulator.advance(500)
    assert await settings(tenant, card_id, streaming_mode=True) == 0
    tenant.simulator.advance(200)
    assert await content(tenant, card_id, "a") == code


async def test_adding_elements_after_the_mode_timed_out_is_refused_once(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    tenant.simulator.advance(601)
    body = {"type": "append", "elements": json.dumps([text("t1")])}
    codes = [(await tenant.rest.card("POST", f"{card_id}/elements", body))["code"] for _ in range(2)]
    assert codes == [200510, 0]


async def test_elements_are_added_changed_and_deleted(tenant: Tenant) -> None:
    card_id, message_id = await tenant.sent_card(card())
    for where, target, new in (("append", None, "b"), ("insert_before", "b", "a"), ("insert_after", "b", "c")):
        body = {"type": where, "target_element_id": target, "elements": json.dumps([text(new, new)])}
        assert (await tenant.rest.card("POST", f"{card_id}/elements", body))["code"] == 0
    assert tenant.simulator.message(message_id)["text"] == "Working\na\nb\nc"
    element = {"element": json.dumps(text("b", "B"))}
    assert (await tenant.rest.card("PUT", f"{card_id}/elements/b", element))["code"] == 0
    part = {"partial_element": json.dumps({"content": "C"})}
    assert (await tenant.rest.card("PATCH", f"{card_id}/elements/c", part))["code"] == 0
    assert (await tenant.rest.card("DELETE", f"{card_id}/elements/a"))["code"] == 0
    assert tenant.simulator.message(message_id)["text"] == "Working\nB\nC"
    tag = {"partial_element": json.dumps({"tag": "hr"})}
    assert (await tenant.rest.card("PATCH", f"{card_id}/elements/c", tag))["code"] == 300312


async def test_missing_and_wrong_targets_have_their_codes(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card({"tag": "hr", "element_id": "line"}))
    one = f"{card_id}/elements"
    gone = {"element": json.dumps(text("z"))}
    assert (await tenant.rest.card("PUT", f"{one}/gone/content", {"content": "x"}))["code"] == 300313
    assert (await tenant.rest.card("PUT", f"{one}/line/content", {"content": "x"}))["code"] == 300310
    assert (await tenant.rest.card("PUT", f"{one}/gone", gone))["code"] == 300313
    assert (await tenant.rest.card("DELETE", f"{one}/gone"))["code"] == 300314
    body = {"type": "insert_after", "target_element_id": "gone", "elements": json.dumps([text("z")])}
    assert (await tenant.rest.card("POST", one, body))["code"] == 300315
    assert (await tenant.rest.card("PUT", f"{one}/answer/content", {"content": ""}))["code"] == 99992402
    assert (await tenant.rest.card("PUT", "123/elements/a/content", {"content": "x"}))["code"] == 200740


async def test_a_batch_is_done_whole_or_not_at_all(tenant: Tenant) -> None:
    card_id, message_id = await tenant.sent_card(card(button({"a": 1}, element_id="stop")))
    actions = [
        {"action": "partial_update_setting", "params": {"settings": {"config": {"summary": {"content": "Done"}}}}},
        {"action": "add_elements", "params": {"type": "append", "elements": [text("tail", "tail")]}},
        {"action": "update_element", "params": {"element_id": "answer", "element": text("answer", "all")}},
        partial("stop", {"disabled": True}),
    ]
    assert await batch(tenant, card_id, *actions) == 0
    shown = tenant.simulator.message(message_id)
    assert (shown["text"], shown["card_state"]["summary"]) == ("Working\nall\n[Stop]\ntail", "Done")
    deleted = {"action": "delete_elements", "params": {"element_ids": ["tail", "gone"]}}
    assert await batch(tenant, card_id, deleted) == 300314
    assert tenant.simulator.message(message_id)["text"] == "Working\nall\n[Stop]\ntail"
    assert await batch(tenant, card_id, {"action": "dance", "params": {}}) == 10002


async def test_sizes_counts_and_ids_are_refused(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    assert await content(tenant, card_id, "字" * 10_500) == 200860
    body = {"type": "append", "elements": json.dumps([text("answer")])}
    assert (await tenant.rest.card("POST", f"{card_id}/elements", body))["code"] == 300301
    many = {"type": "append", "elements": json.dumps([{"tag": "hr"}] * 199)}
    assert (await tenant.rest.card("POST", f"{card_id}/elements", many))["code"] == 300305
    whole = {"card": {"type": "card_json", "data": json.dumps({**card(), "schema": "1.0"})}}
    assert (await tenant.rest.card("PUT", card_id, whole))["code"] == 300303
    assert await settings(tenant, card_id, update_multi=False) == 300302


async def test_a_card_takes_ten_writes_a_second_and_says_when_to_come_back(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    path = f"{card_id}/elements/answer/content"
    codes = [(await tenant.rest.card("PUT", path, {"content": "x" * n}))["code"] for n in range(1, 12)]
    assert codes == [0] * 10 + [99991400]
    assert (tenant.rest.status, tenant.rest.headers["x-ogw-ratelimit-limit"]) == (429, "10")
    assert tenant.rest.headers["x-ogw-ratelimit-reset"] == "1"
    tenant.simulator.advance(1)
    assert await content(tenant, card_id, "more") == 0


async def test_the_apps_limit_counts_streaming_cards_only_when_they_are_not_exempt(tenant: Tenant) -> None:
    tenant.simulator.options.change({"api_per_minute": 3, "card_per_second": 100})
    card_id, _ = await tenant.sent_card(card())
    assert [await content(tenant, card_id, "x") for _ in range(5)] == [0] * 5
    tenant.simulator.options.streaming_exempt = False
    assert [await content(tenant, card_id, "x") for _ in range(4)] == [0, 0, 0, 99991400]
    assert 55 <= int(tenant.rest.headers["x-ogw-ratelimit-reset"]) <= 60
    assert await settings(tenant, card_id, streaming_mode=False) == 0


async def test_cards_end_after_14_days_and_belong_to_their_app(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    tenant.simulator.add_app("cli_other", "s", "moo")
    tenant.simulator.app_id, tenant.simulator.app_secret = "cli_other", "s"
    await tenant.rest.login()
    assert await content(tenant, card_id, "x") == 300311
    tenant.simulator.app_id, tenant.simulator.app_secret = "cli_demo", "secret_demo"
    tenant.simulator.advance(14 * 86400 + 1)
    await tenant.rest.login()
    assert await content(tenant, card_id, "x") == 200750


async def test_a_prefix_is_typed_on_and_anything_else_is_replaced(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    for words in ("abc", "abcdef", "xyz"):
        assert await content(tenant, card_id, words) == 0
    typed = [state["typing"]["answer"] for state in tenant.simulator.card_history(card_id)[1:]]
    assert typed == [
        {"chars": 3, "typed_from": 0}, {"chars": 6, "typed_from": 3}, {"chars": 3, "typed_from": 3},
    ]  # fmt: skip


async def test_the_summary_says_generating_until_streaming_ends(tenant: Tenant) -> None:
    card_id, message_id = await tenant.sent_card(card())
    assert tenant.simulator.message(message_id)["card_state"]["summary"] == "[generating...]"
    await settings(tenant, card_id, streaming_mode=False)
    assert tenant.simulator.message(message_id)["card_state"]["summary"] == ""
