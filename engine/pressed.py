"""A press on a button of a run's card, and what comes of it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from engine.messages import Principal, RunId

PressAction = Literal[
    "stop",
    "approve",
    "approve_conversation",
    "approve_always",
    "deny",
    "retry",
    "satisfied",
    "revise",
    "abandon",
    "backlog_all",
    "backlog_last",
    "backlog_ignore",
    "option_1",
    "option_2",
    "option_3",
    "option_4",
    "option_5",
    "option_6",
    "submit",
]
"""`option_1` and so on answer a question of the agent by one of its options, `submit` in own words."""
QUESTION = "question"
"""The code of a `choice` in which the agent asks its person something."""
PressedCode = Literal[
    "stopping",
    "approved",
    "approved_conversation",
    "approved_always",
    "denied",
    "retrying",
    "revising",
    "verdict",
    "chosen",
    "answered",
    "already_stopping",
    "already_approved",
    "already_denied",
    "already_stopped",
    "already_chosen",
    "already_answered",
    "question_over",
    "answer_empty",
    "already_ended",
    "expired",
    "newer",
    "running",
    "not_yours",
    "rank_too_low",
    "stale",
    "person_full",
    "conversation_full",
    "gateway_full",
]


class Press(BaseModel):
    """A press on a button of a run's card.

    `nonce` names the question that is answered; `words` are what a revision asks for, or an answer in own
    words. `refused` is set when the host does not let the press through: it is noted, and nothing else happens.
    """

    run: RunId
    do: PressAction = "stop"
    by: Principal
    nonce: str = ""
    words: str = ""
    sent_at_ms: int = 0
    refused: Literal["not_yours", "stale"] | None = None


_CARRIED_OUT: frozenset[PressedCode] = frozenset(
    {
        "stopping",
        "approved",
        "approved_conversation",
        "approved_always",
        "denied",
        "retrying",
        "revising",
        "verdict",
        "chosen",
        "answered",
    }
)


class Pressed(BaseModel):
    """What came of a press; stored, so that a redelivery is told the same.

    The first ten codes: it was carried out. The others: it was not, and why. `name` is who decided before, empty when
    that was the same person or the platform tells no names. `run` is the attempt that was begun, or the newer one.
    """

    code: PressedCode = "stale"
    name: str = ""
    run: RunId | None = None

    @property
    def is_carried_out(self) -> bool:
        """Tell whether the press did something."""
        return self.code in _CARRIED_OUT
