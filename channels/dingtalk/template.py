"""The names a card template gives its variables and buttons, and what we fill in.

A template cannot take a button of ours, only variables: so each button has two, one that shows it and one with its
label, and one more variable holds what all buttons of the card carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from channels.cards.model import Action, ActionName
from channels.dingtalk.settings import DingtalkSettings
from channels.events import ConversationRef
from channels.readable import dump

Private = dict[str, dict[str, str]]
"""Variables by user."""


@dataclass(frozen=True, slots=True)
class Template:
    """One account's template; an empty name: it has no such variable."""

    id: str
    content: str
    title: str
    status: str
    footer: str
    payload: str
    notice: str
    show: str
    label: str
    buttons: Mapping[ActionName, str]
    """Ids by our own names."""

    def has(self, action: Action) -> bool:
        """Tell whether the template can show this button."""
        return action.name in self.buttons

    def action_of(self, action_id: str) -> ActionName | None:
        """Give the button an id belongs to; the platform may have added a number to it (qwen-code #11429)."""
        found: ActionName | None = None
        for name, own in self.buttons.items():
            if action_id.startswith(own) and not action_id[len(own) :].strip("_-0123456789"):
                found = name if found is None or len(own) > len(self.buttons[found]) else found
        return found


def template_of(settings: DingtalkSettings) -> Template:
    """Give the names from the settings."""
    names: dict[ActionName, str] = {name: getattr(settings, f"button_{name}", "") for name in get_args(ActionName)}
    return Template(
        id=settings.card_template_id,
        content=settings.content_variable,
        title=settings.title_variable,
        status=settings.status_variable,
        footer=settings.footer_variable,
        payload=settings.payload_variable,
        notice=settings.notice_variable,
        show=settings.show_prefix,
        label=settings.label_prefix,
        buttons={name: own for name, own in names.items() if own},
    )


@dataclass(frozen=True, slots=True)
class Params:
    """All variables of one card but its text. Values are texts: the platform takes no others."""

    public: Mapping[str, str] = field(default_factory=dict[str, str])
    private: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def since(self, before: Params) -> Params:
        """Give what has to be written over `before`: what changed, and empty texts for what vanished."""
        return Params(
            _changed(before.public, self.public),
            {
                user: values
                for user in (*self.private, *(each for each in before.private if each not in self.private))
                if (values := _changed(before.private.get(user, {}), self.private.get(user, {})))
            },
        )

    def over(self, before: Params) -> Params:
        """Give what the card holds when this was written over `before`."""
        users = {**before.private, **self.private}
        private = {user: {**before.private.get(user, {}), **self.private.get(user, {})} for user in users}
        return Params({**before.public, **self.public}, private)

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to write."""
        return not self.public and not self.private


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    changed = {key: value for key, value in after.items() if before.get(key, "") != value}
    return changed | {key: "" for key, value in before.items() if value and key not in after}


def render_buttons(template: Template, actions: tuple[Action, ...], *, is_private: bool) -> Params:
    """Give the buttons: each for the one person it is meant for, those for everybody public."""
    hidden = {template.show + name: "false" for name in template.buttons}
    public = dict(hidden)
    private: Private = {}
    for action in actions:
        if not (template.has(action) and action.enabled):
            continue
        variables = {template.show + action.name: "true", template.label + action.name: action.label}
        if action.audience and is_private:
            # All of them: nobody may know any more what this person saw before.
            private.setdefault(action.audience, dict(hidden)).update(variables)
        else:
            public.update(variables)
    return Params(public, private)


def render_payload(conversation: ConversationRef, run: str, actions: tuple[Action, ...]) -> str:
    """Give what the buttons of a card carry, as one text: it comes back with a press, also to another process."""
    carried = {action.name: {"nonce": action.nonce, "for": action.audience} for action in actions}
    return dump({"run": run, "at": str(conversation), "buttons": carried}) if carried else ""
