"""Which buttons a card has in which state."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from channels.cards.model import Action, ActionName, CardStatus
from gateway.presenter.question import is_question, option_buttons
from gateway.texts import Language, text

_AFTER_DONE: tuple[ActionName, ...] = ("satisfied", "revise", "abandon", "retry")
_LASTING: Mapping[str, ActionName] = {"conversation": "approve_conversation", "always": "approve_always"}
_STYLES: Mapping[ActionName, Literal["default", "primary", "danger"]] = {"approve": "primary", "deny": "danger"}


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """All that decides which buttons there are, and for whom."""

    run: str
    status: CardStatus
    asker: str
    approval_id: str
    approver: str
    offers: Collection[str]
    """For how long the call may be allowed, beyond once."""
    choice: Mapping[str, Any] | None
    """What a question with several answers asks, open or answered."""
    verdict: str
    is_followed: bool
    language: Language


def actions_of(facts: ActionFacts) -> tuple[Action, ...]:
    """Give the buttons, most wanted first. A run with a newer attempt has none: its card is history."""
    if facts.is_followed:
        return ()
    if facts.choice is not None and is_question(facts.choice):
        if facts.status is CardStatus.WAITING and facts.choice.get("state") == "pending":
            return (*option_buttons(facts.choice, facts.run), _action(facts, "stop"))
    elif facts.choice is not None:
        return tuple(_choices(facts, facts.choice)) if facts.status is CardStatus.WAITING else ()
    match facts.status:
        case CardStatus.QUEUED | CardStatus.WORKING | CardStatus.PAUSED:
            return (_action(facts, "stop"),)
        case CardStatus.WAITING:
            lasting = tuple(_approval(facts, _LASTING[each]) for each in _LASTING if each in facts.offers)
            return (_approval(facts, "approve"), *lasting, _approval(facts, "deny"), _action(facts, "stop"))
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


def _choices(facts: ActionFacts, choice: Mapping[str, Any]) -> Iterator[Action]:
    for option in choice["options"]:
        name = cast("ActionName", f"{choice['code']}_{option}")
        if name in get_args(ActionName):
            yield replace(_action(facts, name), nonce=str(choice["id"]), audience=str(choice.get("for", "")))


def _approval(facts: ActionFacts, name: ActionName) -> Action:
    return Action(
        name=name,
        label=text(facts.language, f"button.{name}"),
        run=facts.run,
        nonce=facts.approval_id,
        audience=facts.approver,
        style=_STYLES.get(name, "default"),
    )
