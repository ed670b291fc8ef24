"""The line below a thread that says what the app is doing, and agent sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from channels.simulators.background import Background
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json
from channels.simulators.slack.access import Access
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler

SESSION_STATES = ("processing", "active", "suspended", "closed")
MOST_LOADING = 10
MOST_PROMPTS = 4
TITLE_CHARS = 200


@dataclass
class Status:
    """One line on screen; `ends_ms` is when it goes by itself, UTC milliseconds; `is_session` tells who wrote it."""

    chat_id: str
    thread_ts: str
    status: str
    loading: list[str]
    ends_ms: int
    is_session: bool


@dataclass
class Session:
    """An agent session: its state, title and suggested prompts; `processing` ends at `ends_ms`."""

    state: str = "active"
    ends_ms: int = 0
    title: str = ""
    prompts: list[Json] = field(default_factory=list[Json])


class Statuses:
    """Statuses and sessions share one place on screen: the last writer wins."""

    def __init__(self, gate: Gate, access: Access, background: Background, feed: Feed) -> None:
        self._gate = gate
        self._access = access
        self._background = background
        self._feed = feed
        self._shown: dict[tuple[str, str], Status] = {}
        self.sessions: dict[tuple[str, str], Session] = {}

    def methods(self) -> dict[str, Handler]:
        """Give the calls by name."""
        return {
            "assistant.threads.setStatus": self._set_status,
            "assistant.threads.setTitle": self._set_title,
            "assistant.threads.setSuggestedPrompts": self._set_prompts,
            "agents.sessions.setStatus": self._set_session,
            "agents.sessions.rename": self._set_title,
        }

    def shown(self) -> list[Json]:
        """Give the lines on screen: `{chat_id, thread_ts, status, loading, ends_ms, is_session}`."""
        now_ms = self._gate.clock.now_ms()
        return [vars(each) for each in self._shown.values() if each.ends_ms > now_ms]

    def replied(self, chat_id: str, thread_ts: str | None) -> None:
        """A reply of the app clears the line of a thread; a session's line stays."""
        shown = self._shown.get((chat_id, thread_ts or ""))
        if shown is not None and not shown.is_session:
            self._clear(chat_id, thread_ts or "")

    def session(self, chat_id: str, thread_ts: str, state: str) -> None:
        """Set a session's state, making it when there is none; `processing` shows a line for an hour."""
        session = self.sessions.setdefault((chat_id, thread_ts), Session())
        session.state = state
        if state == "processing":
            session.ends_ms = self._gate.clock.now_ms() + round(self._gate.options.session_life_s * 1000)
            shown = Status(chat_id, thread_ts, "processing", [], session.ends_ms, is_session=True)
            self._show(shown, self._gate.options.session_life_s)
        else:
            self._clear(chat_id, thread_ts)

    def is_processing(self, chat_id: str, thread_ts: str) -> bool:
        """Tell whether the platform shows its stop button."""
        session = self.sessions.get((chat_id, thread_ts))
        is_timely = session is not None and session.ends_ms > self._gate.clock.now_ms()
        return session is not None and session.state == "processing" and is_timely

    def _set_status(self, call: Call) -> Json:
        chat_id, thread_ts = self._thread(call)
        if not isinstance(call.args.get("status"), str):
            raise ApiError("invalid_arguments", "missing required field: status")
        loading = [str(each) for each in cast("list[object]", call.args.get("loading_messages") or [])]
        if len(loading) > MOST_LOADING:
            raise ApiError("invalid_arguments", f"no more than {MOST_LOADING} items allowed")
        if not call.text("status"):
            self._clear(chat_id, thread_ts)
            return {}
        life_s = self._gate.options.status_life_s
        ends_ms = self._gate.clock.now_ms() + round(life_s * 1000)
        self._show(Status(chat_id, thread_ts, call.text("status"), loading, ends_ms, is_session=False), life_s)
        return {}

    def _set_title(self, call: Call) -> Json:
        chat_id, thread_ts = self._thread(call, thread_is_needed=call.request.path.endswith("setTitle"))
        title = call.need("title")
        if len(title) > TITLE_CHARS:
            raise ApiError("invalid_arguments", f"must be less than {TITLE_CHARS + 1} characters")
        self.sessions.setdefault((chat_id, thread_ts), Session()).title = title
        return {}

    def _set_prompts(self, call: Call) -> Json:
        chat_id, thread_ts = self._thread(call, thread_is_needed=False)
        prompts = call.objects("prompts") or []
        if not prompts or len(prompts) > MOST_PROMPTS or any(not ("title" in e and "message" in e) for e in prompts):
            raise ApiError("invalid_arguments", f"prompts: 1 to {MOST_PROMPTS} of title and message")
        self.sessions.setdefault((chat_id, thread_ts), Session()).prompts = prompts
        return {}

    def _set_session(self, call: Call) -> Json:
        chat_id, thread_ts = self._thread(call, thread_is_needed=False)
        state = call.need("status")
        if state not in SESSION_STATES:
            raise ApiError("invalid_arguments", "invalid status")
        self.session(chat_id, thread_ts, state)
        if call.text("title"):
            self.sessions[chat_id, thread_ts].title = call.text("title")[:TITLE_CHARS]
        return {}

    def _thread(self, call: Call, *, thread_is_needed: bool = True) -> tuple[str, str]:
        if not self._gate.options.agent_app:
            raise ApiError("not_agent_app")
        chat = self._access.member_chat(call.app, call.need("channel_id"))
        return chat.id, call.need("thread_ts") if thread_is_needed else call.text("thread_ts")

    def _show(self, shown: Status, life_s: float) -> None:
        self._shown[shown.chat_id, shown.thread_ts] = shown
        self._tell()
        self._background.start(self._end_later(shown, life_s))

    def _clear(self, chat_id: str, thread_ts: str) -> None:
        if self._shown.pop((chat_id, thread_ts), None) is not None:
            self._tell()

    async def _end_later(self, shown: Status, life_s: float) -> None:
        await self._gate.clock.sleep(life_s)
        if self._shown.get((shown.chat_id, shown.thread_ts)) is shown:
            self._clear(shown.chat_id, shown.thread_ts)

    def _tell(self) -> None:
        self._feed.change("statuses", "all", lambda: {"statuses": self.shown()})
