"""Which buttons a card has in which state."""

from __future__ import annotations

from dataclasses import dataclass

from channels.cards.model import Action, ActionName, CardStatus
from gateway.texts import Language, text

_AFTER_DONE: tuple[ActionName, ...] = ("satisfied", "revise", "abandon", "retry")


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """All that decides which buttons there are, and for whom."""

    run: str
    status: CardStatus
    asker: str
    approval_id: str
    approver: str
    verdict: str
    is_followed: bool
    language: Language


def actions_of(facts: ActionFacts) -> tuple[Action, ...]:
    """Give the buttons, most wanted first. A run with a newer attempt has none: its card is history."""
    if facts.is_followed:
        return ()
    match facts.status:
        case CardStatus.QUEUED | CardStatus.WORKING | CardStatus.PAUSED:
            return (_action(facts, "stop"),)
        case CardStatus.WAITING:
            return (_approval(facts, "approve"), _approval(facts, "deny"), _action(facts, "stop"))
        case CardStatus.DONE:
            names = _AFTER_DONE if not facts.verdict else ("retry",)
            return tuple(_action(facts, name) for name in names)
        case CardStatus.STOPPED | CardStatus.FAILED | CardStatus.INTERRUPTED:
            return (_action(facts, "retry"),)


def _action(facts: ActionFacts, name: ActionName) -> Action:
    return Action(
        name=name,
        label=text(facts.language, f"button.{name}"),
        run=facts.run,
        nonce=name,
        audience=facts.asker,
        style="danger" if name == "stop" else "primary" if name == "satisfied" else "default",
    )


def _approval(facts: ActionFacts, name: ActionName) -> Action:
    return Action(
        name=name,
        label=text(facts.language, f"button.{name}"),
        run=facts.run,
        nonce=facts.approval_id,
        audience=facts.approver,
        style="primary" if name == "approve" else "danger",
    )
