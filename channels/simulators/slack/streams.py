"""The streaming calls: start, append, stop, and the platform's own stop."""

from __future__ import annotations

from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.blocks import check_blocks
from channels.simulators.slack.chunks import read_chunks
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler
from channels.simulators.slack.messages import Content, Messages, read_metadata
from channels.simulators.slack.outbox import Outbox
from channels.simulators.slack.reading import read_stream
from channels.simulators.slack.shapes import Shapes
from channels.simulators.slack.statuses import SESSION_STATES, Statuses
from channels.simulators.slack.stream_state import Stream
from channels.simulators.slack.world import TEAM, Chat, Message, World


class Streams:
    """Starts, feeds and ends streamed messages."""

    def __init__(
        self, gate: Gate, world: World, access: Access, shapes: Shapes, messages: Messages, statuses: Statuses
    ) -> None:
        self._gate = gate
        self._world = world
        self._access = access
        self._shapes = shapes
        self._messages = messages
        self._statuses = statuses
        self.outbox: Outbox | None = None

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {"chat.startStream": self._start, "chat.appendStream": self._append, "chat.stopStream": self._stop}

    def stop_by_user(self, chat_id: str, thread_ts: str) -> list[str]:
        """End every live stream of a thread; gives their `ts`."""
        live = [each for each in self._world.thread(chat_id, thread_ts) if self._is_live(each)]
        for message in live:
            assert message.stream is not None
            message.stream.end = "stopped_by_user"
            self._tell(message, self._shapes.message(message), "stop")
        return [message.ts for message in live]

    def _start(self, call: Call) -> Json:
        chat = self._access.writable_chat(call.app, call.need("channel"))
        self._check_place(call, chat)
        now_ms = self._gate.clock.now_ms()
        stream = Stream(now_ms, now_ms, call.text("recipient_user_id") or None)
        stream.display_mode = call.text("task_display_mode") or "timeline"
        if stream.display_mode not in ("timeline", "plan"):
            raise ApiError("invalid_arguments", "invalid task_display_mode")
        self._feed(stream, read_chunks(call, self._gate.options, stream, is_optional=True))
        message = self._messages.new(call.app, chat, Content(stream.markdown, None), call.args)
        message.stream = stream
        self._set_session(message, "processing")
        assert self.outbox is not None
        if self._gate.options.stream_events == "none":
            self.outbox.show(message, "post")
        else:
            self.outbox.posted(message)
        return {"channel": chat.id, "ts": message.ts}

    def _append(self, call: Call) -> Json:
        message, stream = self._live(call)
        chunks = read_chunks(call, self._gate.options, stream)
        previous = self._shapes.message(message) if self._gate.options.stream_events == "all" else {}
        self._feed(stream, chunks)
        message.text = stream.markdown
        self._tell(message, previous, "append")
        return {"channel": message.chat_id, "ts": message.ts}

    def _stop(self, call: Call) -> Json:
        message, stream = self._live(call)
        state = call.text("session_status") or "active"
        if state not in SESSION_STATES:
            raise ApiError("invalid_arguments", "invalid session_status")
        blocks = [] if call.args.get("blocks") is None else check_blocks(call.args["blocks"], self._gate.options)
        metadata = read_metadata(call.args)
        chunks = read_chunks(call, self._gate.options, stream, is_optional=True)
        previous = self._shapes.message(message)
        self._feed(stream, chunks)
        stream.final_blocks, stream.end = blocks, "stopped"
        message.text, message.metadata = stream.markdown, metadata or message.metadata
        self._set_session(message, state)
        self._tell(message, previous, "stop")
        shown = self._shapes.message(message, with_metadata=True)
        return {"channel": message.chat_id, "ts": message.ts, "message": shown}

    def _check_place(self, call: Call, chat: Chat) -> None:
        options = self._gate.options
        if chat.type in options.streams_refused_in:
            raise ApiError("channel_type_not_supported")
        if chat.type == "im" and not call.text("thread_ts"):
            raise ApiError("invalid_arguments", "missing required field: thread_ts")
        if chat.type == "im" and not options.recipients_in_dm:
            return
        if not call.text("recipient_team_id"):
            raise ApiError("missing_recipient_team_id")
        if not call.text("recipient_user_id"):
            raise ApiError("missing_recipient_user_id")
        if call.text("recipient_user_id") not in self._world.people:
            raise ApiError("user_not_found")
        if {call.text("recipient_team_id"), self._world.people[call.text("recipient_user_id")].team} != {TEAM}:
            raise ApiError("user_not_found")

    def _live(self, call: Call) -> tuple[Message, Stream]:
        chat = self._access.open_chat(call.app, call.need("channel"))
        message = self._messages.find(chat.id, call.need("ts"))
        if message.sender_id != call.app.app_id:
            raise ApiError("message_not_owned_by_app")
        if not self._is_live(message) or message.stream is None:
            by_user = message.stream is not None and message.stream.end == "stopped_by_user"
            raise ApiError("stopped_by_user" if by_user else "message_not_in_streaming_state")
        return message, message.stream

    def _is_live(self, message: Message) -> bool:
        return message.stream is not None and message.stream.is_live(self._gate.clock.now_ms(), self._gate.options)

    def _feed(self, stream: Stream, chunks: list[Json]) -> None:
        if not chunks:
            return
        stream.add(chunks, appends=self._gate.options.task_text == "append")
        stream.last_ms = self._gate.clock.now_ms()
        stream.first_text = stream.first_text or read_stream(stream)

    def _set_session(self, message: Message, state: str) -> None:
        if self._gate.options.agent_app:
            self._statuses.session(message.chat_id, message.thread_ts or message.ts, state)

    def _tell(self, message: Message, previous: Json, kind: str) -> None:
        assert self.outbox is not None
        wanted = self._gate.options.stream_events
        if wanted == "all" or (wanted == "ends" and kind == "stop"):
            self.outbox.changed(message, previous, kind)
        else:
            self.outbox.show(message, kind)
