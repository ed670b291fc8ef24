"""Reading messages again and fetching files, against the simulator."""

from __future__ import annotations

import pytest

from channels.errors import Rejected, TooLong
from channels.events import AttachmentHandle, InboundMessage
from tests.contract.feishu_adapter import GROUP, LIN, Bench, bench, until

DIRECT = "oc_dm_lin"


async def heard(b: Bench, **body: object) -> InboundMessage:
    """Write something other than plain text and give what the handler got."""
    before = len(b.inbox.items)
    b.sim.people.write({"chat_id": DIRECT, "as": LIN, **body})
    await until(lambda: len(b.inbox.items) > before)
    message = b.inbox.items[-1]
    assert isinstance(message, InboundMessage)
    return message


async def test_a_quoted_message_is_read_with_its_author_and_names_for_mentions():
    async with bench() as b:
        quoted = b.sim.send(GROUP, LIN, "@niuma ask @Chen Yu about it")
        await until(lambda: len(b.inbox.items) == 1)
        asked = await b.asked("@niuma what was that?", reply_to=quoted.message_id)
        assert asked.quoted_message_id == quoted.message_id
        (quote,) = await b.adapter.read(asked.quoted_message_id)
        assert (quote.message_id, quote.text, quote.by_us) == (quoted.message_id, "ask @Chen Yu about it", False)
        await until(lambda: bool(b.adapter._names.of(LIN)))
        assert (await b.adapter.read(quoted.message_id))[0].author == "Lin Wei"


async def test_a_merged_forward_gives_the_messages_it_bundles_in_order():
    async with bench() as b:
        inner = [b.sim.send(GROUP, LIN, text).message_id for text in ("first", "second")]
        message = await heard(b, forwards=inner)
        assert message.forwards and not message.text and message.unsupported is None
        assert [quote.text for quote in await b.adapter.read(message.message_id)] == ["first", "second"]


async def test_our_own_message_is_known_as_ours_and_a_recalled_one_says_nothing():
    async with bench() as b:
        asked = await b.asked()
        receipt = await b.adapter.send_notice(asked.conversation, "a notice", reply_to=None, key="n1")
        (mine,) = await b.adapter.read(receipt.message_ids[0])
        assert (mine.text, mine.by_us) == ("a notice", True)
        b.sim.recall(asked.message_id)
        assert (await b.adapter.read(asked.message_id))[0].text == ""
        with pytest.raises(Rejected):
            await b.adapter.read("om_unknown")


async def test_a_file_is_fetched_with_its_senders_name_and_never_beyond_the_limit():
    async with bench() as b:
        key = b.sim.files.keep("file_v3", "plan.pdf", b"%PDF" + b"x" * 200_000)
        message = await heard(b, msg_type="file", content={"file_key": key, "file_name": "../../plan.pdf"})
        (handle,) = message.attachments
        fetched = await b.adapter.fetch(handle, max_bytes=1_000_000)
        assert (len(fetched.content), fetched.name) == (200_004, "../../plan.pdf")
        with pytest.raises(TooLong):
            await b.adapter.fetch(handle, max_bytes=100_000)


async def test_a_picture_is_fetched_as_one_and_a_key_of_another_message_is_refused():
    async with bench() as b:
        key = b.sim.files.keep("img_v3", "image", b"\x89PNG....")
        message = await heard(b, msg_type="image", content={"image_key": key})
        fetched = await b.adapter.fetch(message.attachments[0], max_bytes=1000)
        assert (fetched.content, fetched.mime) == (b"\x89PNG....", "image/png")
        foreign = AttachmentHandle("image", "img_v3_other", message.message_id)
        with pytest.raises(Rejected) as raised:
            await b.adapter.fetch(foreign, max_bytes=1000)
        assert raised.value.code == "234003"


async def test_a_revoked_token_is_replaced_while_fetching():
    async with bench() as b:
        key = b.sim.files.keep("img_v3", "image", b"\x89PNG")
        message = await heard(b, msg_type="image", content={"image_key": key})
        await b.adapter.fetch(message.attachments[0], max_bytes=1000)
        b.sim.revoke_token()
        assert (await b.adapter.fetch(message.attachments[0], max_bytes=1000)).content == b"\x89PNG"


@pytest.mark.parametrize("receiver", ["ou_lin", "lin@example.com", "on_lin"])
async def test_a_person_is_written_to_by_whatever_names_them(receiver: str):
    async with bench() as b:
        where = (await b.asked()).conversation
        to_person = type(where)(where.channel, where.account, where.tenant, receiver)
        await b.adapter.send_notice(to_person, "hello you", reply_to=None, key=f"k-{receiver}")
        assert b.answers()[-1]["chat_id"] == DIRECT


async def test_what_is_uploaded_can_be_sent_and_comes_back_the_same():
    async with bench() as b:
        files, picture = b.adapter._files, b"\x89PNG" + bytes(range(256))
        assert b.sim.world.files[await files.upload_image(picture)][1] == picture
        key = await files.upload_file(b"a,b\n1,2\n", "季度.csv")
        assert b.sim.world.files[key] == ("季度.csv", b"a,b\n1,2\n")
        with pytest.raises(Rejected):
            await files.upload_file(b"", "empty.pdf")
        b.sim.revoke_token()
        assert await files.upload_image(picture)
