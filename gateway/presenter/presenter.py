"""One run as one card: keeps the merged events and draws a snapshot whenever it is asked."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from channels.cards.model import Block, Call, Card, CardStatus, Footer, Form, Header, Lane, LaneBlock, Note, WorkStatus
from channels.cards.shorten import shorten
from engine.events import RunEvent
from engine.messages import EnclosedPart, RunInput, code_of
from engine.runtime import without_secrets
from gateway.presenter.actions import ActionFacts, actions_of
from gateway.presenter.blocks import blocks_of
from gateway.presenter.facts import Facts, is_followed
from gateway.presenter.files import file_note
from gateway.presenter.merge import LaneRecord, Merger, Record
from gateway.presenter.names import block_id, by_name
from gateway.presenter.question import answer_form, is_question
from gateway.texts import Language, language_of, text

logger = logging.getLogger(__name__)

TITLE_CHARS = 60
SUMMARY_CHARS = 80


@dataclass(frozen=True, slots=True)
class Style:
    """How cards are for everybody: `thinking` says whether reasoning is shown."""

    thinking: Literal["off", "folded"] = "off"
    call_after_s: float = 0.0
    """Who waits so long for an answer, or leaves a question open so long, is called once; 0: nobody is."""


class Presenter:
    """Takes a run's events, in order, and draws its card. Used by one task.

    Example:
        presenter = Presenter(run="...", input=run_input, style=Style())
        presenter.add(event)
        stream.show(presenter.card())
    """

    def __init__(self, *, run: str, input: RunInput, style: Style) -> None:
        self._run = run
        self._input = input
        self._style = style
        self._merger = Merger()
        self._facts = Facts()
        self._language: Language = language_of(input.text)
        # A title is repeated in notifications and lists.
        self._title = shorten(without_secrets(self._asked()), TITLE_CHARS) or "niuma"

    def _asked(self) -> str:
        """Give what was asked; where nobody else saw it, also by whom."""
        words, name = self._input.text or _labels(self._input), self._input.by.name
        return self._say("title.asked", name=name, words=words) if self._input.is_unseen and name else words

    @property
    def status(self) -> CardStatus:
        """Give the state a reader sees."""
        return self._facts.seen_status

    def add(self, event: RunEvent) -> None:
        """Take note of one event."""
        self._facts.take(event)
        shown = _shown_of(event)
        if shown is not None:
            self._merger.add(shown)

    def file_settled(self, key: str, state: str) -> None:
        """Take note of what became of a file: `sent`, `later`, or the code of a refusal."""
        self._facts.files[key] = state

    def pause(self, *, resumes: bool) -> None:
        """Show that the work rests: it goes on after a restart, or it was cut and can be asked for again."""
        code = "paused" if resumes else "interrupted"
        self._facts.status = CardStatus.PAUSED if resumes else CardStatus.INTERRUPTED
        self._facts.note = Note(block_id("note", code), self._say(f"notice.{code}"), "warning")

    def final_card(self) -> Card:
        """Draw how the run ended, without what people did afterwards: the same, however late it is drawn."""
        facts = self._facts
        self._facts = replace(facts, verdict=None, followed="", files={})
        try:
            return self.card()
        finally:
            self._facts = facts

    def left_card(self, code: Literal["moved", "not_shown", "unproven"]) -> Card:
        """Draw what stays on a card that was given up.

        It says where the answer is, that it cannot be shown, or that nobody knows whether it arrived and how to see it
        again. This last one is also sent as a message.
        """
        status = self.status
        words = self._say(f"notice.{code}", code=code_of(self._run))
        note = Note(block_id("note", code), words, "info" if code == "moved" else "error")
        header = Header(self._title, status, self._say(f"status.{status.value}"))
        return Card(header=header, blocks=(note,), summary=self._summary(status))

    def card(self) -> Card:
        """Draw the present state."""
        status = self.status
        return Card(
            header=Header(self._title, status, self._say(f"status.{status.value}")),
            blocks=tuple(self._blocks(status)),
            actions=actions_of(self._action_facts(status)),
            footer=self._footer(status),
            summary=self._summary(status),
            labels={name: self._say(f"label.{name}") for name in ("thinking", "continued", "todos", "tools", "cut")},
            call=self.call(),
        )

    def call(self) -> Call | None:
        """Give who should look at the card now: whom a question is for, or who waited long for the end."""
        after_s, facts = self._style.call_after_s, self._facts
        if after_s <= 0:
            return None
        if (approval := self._facts.pending_approval) is not None and self.status is CardStatus.WAITING:
            person = str(approval.get("for") or self._input.by.id)
            return Call(person, str(approval["id"]), self._say("call.approval"), after_s)
        asked = facts.choice
        if asked is not None and is_question(asked) and self.status is CardStatus.WAITING:
            person = str(asked.get("for") or self._input.by.id)
            return Call(person, str(asked["id"]), self._say("call.question"), after_s)
        has_ended = facts.status in (CardStatus.DONE, CardStatus.FAILED)
        if has_ended and facts.waited_ms >= after_s * 1000:
            return Call(self._input.by.id, "end", self._say(f"call.{facts.status.value}"))
        return None

    def _blocks(self, status: CardStatus) -> list[Block]:
        blocks: list[Block] = []
        for record in self._merger:
            if isinstance(record, LaneRecord):
                blocks.append(self._lane(record, status))
            else:
                blocks += self._drawn(record, status)
        if status is CardStatus.WAITING and (form := self._form()) is not None:
            blocks.append(form)
        blocks.extend(self._closing_notes())
        return blocks

    def _form(self) -> Form | None:
        asked = self._facts.choice
        if asked is None:
            return None
        return answer_form(asked, self._run, block_id("form", str(asked.get("id"))), self._language)

    def _drawn(self, record: Record, status: CardStatus) -> tuple[LaneBlock, ...]:
        if record.type == "thinking" and self._style.thinking == "off":
            return ()
        try:
            if record.type == "file":
                state = self._facts.files.get(str(record.data["key"]), "")
                return (file_note(block_id("file", record.segment), record.data, state, self._language),)
            return blocks_of(record, live=not status.is_terminal, language=self._language)
        except Exception:
            # What a model or an older version told must not cost the reader the rest of the card.
            logger.exception("block_not_drawn", extra={"run": self._run, "type": record.type})
            return (Note(block_id("note", f"{record.type}{record.order}"), self._say("notice.not_drawn"), "warning"),)

    def _lane(self, lane: LaneRecord, status: CardStatus) -> Lane:
        records = [each for each in lane.records if isinstance(each, Record)]
        inner = tuple(block for record in records for block in self._drawn(record, status))
        state: WorkStatus = lane.status or "pending"
        if status.is_terminal and state in ("pending", "in_progress"):
            state = "fail"
        return Lane(block_id("lane", lane.card), self._lane_title(lane), state, inner)

    def _lane_title(self, lane: LaneRecord) -> str:
        """Give what the lane is about: as it was told, or as the to-do it works on is called, else its own name."""
        plans = (record.data.get("items") for record in self._merger if isinstance(record, Record))
        items = (item for items in plans for item in cast("list[dict[str, Any]]", items or []))
        named = next((str(item.get("title", "")) for item in items if str(item.get("id")) == lane.card), "")
        return shorten(lane.title or named or lane.card, TITLE_CHARS * 2)

    def _closing_notes(self) -> list[Note]:
        facts, notes = self._facts, list[Note]()
        if facts.error is not None:
            code = str(facts.error.get("code", "internal"))
            words = self._say(f"error.{code}", **facts.error.get("params", {}))
            notes.append(Note(block_id("note", "error"), words, "error"))
        if facts.note is not None:
            notes.append(facts.note)
        if facts.verdict is not None:
            words = by_name(self._language, f"verdict.{facts.verdict['verdict']}", facts.verdict)
            notes.append(Note(block_id("note", "verdict"), words, "success"))
        if facts.followed == "retried":
            notes.append(Note(block_id("note", "retried"), self._say("notice.retried"), "info"))
        return notes

    def _action_facts(self, status: CardStatus) -> ActionFacts:
        approval = self._facts.pending_approval
        return ActionFacts(
            run=self._run,
            status=status,
            asker=self._input.by.id,
            approval_id="" if approval is None else str(approval["id"]),
            approver="" if approval is None else str(approval.get("for", "")),
            offers=() if approval is None else tuple(approval.get("offers") or ()),
            choice=self._facts.choice,
            verdict=str(self._facts.verdict["verdict"]) if self._facts.verdict else "",
            is_followed=bool(self._facts.followed),
            language=self._language,
        )

    def _footer(self, status: CardStatus) -> Footer:
        facts = self._facts
        tokens = facts.tokens or None
        parts = [facts.model]
        if status.is_terminal and facts.elapsed_ms is not None:
            parts.insert(0, self._say("footer.elapsed", seconds=f"{facts.elapsed_ms / 1000:.1f}"))
        if tokens is not None:
            parts.append(self._say("footer.tokens", tokens=tokens))
        if facts.cost:
            parts.append(self._say("footer.cost", cost=f"{facts.cost:.4f}"))
        line = self._say("footer.separator").join(part for part in parts if part)
        return Footer(facts.elapsed_ms, facts.model, tokens, facts.cost, line)

    def _summary(self, status: CardStatus) -> str:
        if not status.is_terminal:
            return self._say(f"status.{status.value}")
        answer = [record.text for record in self._merger if isinstance(record, Record) and record.type == "text"]
        lines = (_plain(line) for line in "\n".join(answer[-1:]).splitlines())
        first_line = next((line for line in lines if line), "")
        return shorten(first_line, SUMMARY_CHARS) or self._say(f"status.{status.value}")

    def _say(self, key: str, **params: object) -> str:
        return text(self._language, key, **params)


def _shown_of(event: RunEvent) -> RunEvent | None:
    """Give what of an event has a place among the records; `None` when it only tells of the run itself."""
    content = event.content if isinstance(event.content, dict) else {}
    match event.type:
        case "usage" | "done" | "error" | "verdict":
            return None
        case "notice" if is_followed(content):
            return None
        case "approval":
            return event.model_copy(update={"segment": f"approval/{content.get('id')}", "opr": "replace"})
        case _:
            return event


def _labels(given: RunInput) -> str:
    """Name what was sent without words."""
    return ", ".join(part.label for part in given.parts if isinstance(part, EnclosedPart))


def _plain(line: str) -> str:
    """Give a line of markdown as the chat list can show it."""
    return re.sub(r"[*`~]+", "", line).strip("#>-| ")
