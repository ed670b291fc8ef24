"""The message calls: post, update, delete, ephemeral, permalink."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from channels.simulators.jsons import Json, as_object
from channels.simulators.slack.access import Access
from channels.simulators.slack.blocks import check_blocks
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.statuses import Statuses
from channels.simulators.slack.texts import TRUNCATED_AT, check_markdown, check_text
from channels.simulators.slack.world import App, Chat, Message, World, new_id


@dataclass
class Content:
    """What a message shall say; `blocks` is None where the call said nothing of blocks."""

    text: str
    blocks: list[Json] | None
    is_markdown: bool = False


class Messages:
    """Writes, edits and deletes messages of apps."""

    def __init__(
        self, gate: Gate, world: World, access: Access, shapes: Shapes, outbox: Outbox, statuses: Statuses
    ) -> None:
        self._gate = gate
        self._world = world
        self._access = access
        self._shapes = shapes
        self._outbox = outbox
        self._statuses = statuses

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {
            "chat.postMessage": self._post,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "chat.postEphemeral": self._ephemeral,
            "chat.getPermalink": self._permalink,
        }

    def find(self, chat_id: str, ts: str) -> Message:
        """Give a message that is still there.

        Raises:
            ApiError: `message_not_found`.
        """
        message = self._world.messages.get(f"{chat_id}/{ts}")
        if message is None or message.deleted:
            raise ApiError("message_not_found")
        return message

    def content(self, args: Json, text_limit: int) -> Content:
        """Read and check text, blocks or markdown_text of a call.

        Raises:
            ApiError: `markdown_text_conflict`, `no_text`, `msg_too_long`, `invalid_blocks` and its kin.
        """
        markdown, text, blocks = args.get("markdown_text"), args.get("text"), args.get("blocks")
        if markdown is not None:
            if text is not None or blocks is not None:
                raise ApiError("markdown_text_conflict")
            check_markdown(str(markdown), self._gate.options)
            return Content(str(markdown), [{"type": "markdown", "text": str(markdown)}], is_markdown=True)
        if not text and not blocks:
            raise ApiError("no_text")
        check_text(str(text or ""), text_limit, self._gate.options)
        if blocks is None:
            return Content(str(text)[:TRUNCATED_AT], None)
        return Content(str(text or "")[:TRUNCATED_AT], check_blocks(blocks, self._gate.options))

    def new(self, app: App, chat: Chat, content: Content, args: Json) -> Message:
        """Make and keep a message of an app; nobody is told yet."""
        now_ms = self._gate.clock.now_ms()
        ts = self._world.new_ts(now_ms)
        message = Message(chat.id, ts, "bot", app.app_id, content.text, now_ms)
        message.blocks = content.blocks or []
        message.thread_ts = str(args["thread_ts"]) if args.get("thread_ts") else None
        message.username = str(args["username"]) if args.get("username") else None
        message.metadata = read_metadata(args)
        if message.thread_ts and args.get("reply_broadcast") in (True, "true", "1"):
            message.subtype = "thread_broadcast"
        self._world.keep(message)
        return message

    def change(self, message: Message, content: Content) -> Json:
        """Replace what a message says; gives how it looked. Text alone removes the old blocks."""
        previous = self._shapes.message(message)
        message.stream = None
        message.text = content.text
        message.blocks = content.blocks or []
        message.edited_ts = self._world.new_ts(self._gate.clock.now_ms())
        message.is_edit_marked = content.blocks is None and self._gate.options.text_edit_marks
        return previous

    def remove(self, message: Message) -> None:
        """Delete a message and tell everybody."""
        previous = self._shapes.message(message)
        message.deleted = True
        self._outbox.deleted(message, previous)

    def _post(self, call: Call) -> Json:
        chat = self._access.writable_chat(call.app, call.need("channel"))
        message = self.new(call.app, chat, self.content(call.args, self._gate.options.post_text_limit), call.args)
        self._statuses.replied(chat.id, message.thread_ts)
        self._outbox.posted(message)
        shown = self._shapes.message(message, with_metadata=True)
        return {"channel": chat.id, "ts": message.ts, "message": shown}

    def _update(self, call: Call) -> Json:
        chat = self._access.open_chat(call.app, call.need("channel"))
        message = self.find(chat.id, call.need("ts"))
        self._check_editable(call, message)
        content = self.content(call.args, self._gate.options.update_text_limit)
        check_kind(message.blocks, content.blocks)
        if content.blocks is not None and call.args.get("text") is None and not content.is_markdown:
            content.text = message.text
        previous = self.change(message, content)
        message.metadata = read_metadata(call.args) or message.metadata
        self._outbox.changed(message, previous)
        shown = self._shapes.message(message, with_metadata=True)
        return {"channel": chat.id, "ts": message.ts, "text": message.text, "message": shown}

    def _check_editable(self, call: Call, message: Message) -> None:
        if message.ephemeral_to is not None:
            raise ApiError("message_not_found")
        if message.sender_id != call.app.app_id:
            raise ApiError("cant_update_message")
        if message.stream is not None and message.stream.is_live(self._gate.clock.now_ms(), self._gate.options):
            raise ApiError("streaming_state_conflict")
        window_s = self._gate.options.edit_window_s
        if window_s is not None and self._gate.clock.now_ms() - message.create_time_ms > window_s * 1000:
            raise ApiError("edit_window_closed")

    def _delete(self, call: Call) -> Json:
        chat = self._access.chat(call.app, call.need("channel"))
        message = self.find(chat.id, call.need("ts"))
        if message.ephemeral_to is not None:
            raise ApiError("message_not_found")
        if message.sender_id != call.app.app_id:
            raise ApiError("cant_delete_message")
        self.remove(message)
        return {"channel": chat.id, "ts": message.ts}

    def _ephemeral(self, call: Call) -> Json:
        chat = self._access.member_chat(call.app, call.need("channel"))
        user_id = call.need("user")
        if user_id not in chat.members:
            raise ApiError("user_not_in_channel")
        content = self.content(call.args, self._gate.options.post_text_limit)
        return {"message_ts": self.whisper(call.app, chat, user_id, content, call.args).ts}

    def whisper(self, app: App, chat: Chat, user_id: str, content: Content, args: Json) -> Message:
        """Post a message that one person sees."""
        message = self.new(app, chat, content, args)
        message.ephemeral_to = user_id
        self._outbox.posted(message)
        return message

    def _permalink(self, call: Call) -> Json:
        chat = self._access.chat(call.app, call.need("channel"))
        message = self.find(chat.id, call.need("message_ts"))
        place = message.ts.replace(".", "")
        return {"channel": chat.id, "permalink": f"{self._shapes.base_url}/archives/{chat.id}/p{place}"}


def check_kind(old: list[Json], new: list[Json] | None) -> None:
    """Refuse to make other blocks of rich text.

    Raises:
        ApiError: `block_mismatch`.
    """
    types = {str(block.get("type")) for block in new or []}
    if types and any(block.get("type") == "rich_text" for block in old) and "rich_text" not in types:
        raise ApiError("block_mismatch")


def read_metadata(args: Json) -> Json | None:
    """Give the metadata of a call; `event_type` and `event_payload` are demanded.

    Raises:
        ApiError: `invalid_metadata_format`.
    """
    if args.get("metadata") is None:
        return None
    metadata = as_object(args["metadata"]) or cast("Json", {})
    if not isinstance(metadata.get("event_type"), str) or as_object(metadata.get("event_payload")) is None:
        raise ApiError("invalid_metadata_format")
    return {"event_type": metadata["event_type"], "event_payload": metadata["event_payload"]}


def with_block_ids(blocks: list[Json]) -> list[Json]:
    """Give every block an id, as the platform does."""
    return [block if block.get("block_id") else {**block, "block_id": new_id("b")} for block in blocks]
