"""Card templates as data: what the card platform's editor would have made of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, cast

from channels.simulators.jsons import Json, as_object, as_objects

DEFAULT_TEMPLATE = "niuma-ai-card.schema"
VariableKind = Literal["markdown", "text", "hidden"]


class TemplateWrong(ValueError):
    """A template's description has a part nobody knows, or lacks its id."""


@dataclass(frozen=True)
class Variable:
    """One variable: shown as markdown or plain text in the order of the list, or only used by conditions."""

    name: str
    kind: VariableKind = "markdown"
    visible_key: str = ""
    """The variable that must be "true" for this one to show; empty: always."""
    private: bool = False
    """Whether `privateData` may give it a value for one person; for other variables that does nothing."""


@dataclass(frozen=True)
class Button:
    """One button: `params` go back as they are, `param_keys` name the variables whose values go back."""

    id: str
    label: str = ""
    label_key: str = ""
    visible_key: str = ""
    disabled_key: str = ""
    params: dict[str, str] = field(default_factory=dict[str, str])
    param_keys: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Template:
    """A published or unpublished template; `streaming_key` is the variable whose component has the streaming switch."""

    id: str
    variables: tuple[Variable, ...]
    streaming_key: str = ""
    buttons: tuple[Button, ...] = ()
    has_failed_state: bool = True
    published: bool = True

    def variable(self, name: str) -> Variable | None:
        """Give a variable; None when the template has none of this name, and values for it do nothing."""
        return next((each for each in self.variables if each.name == name), None)

    def unknown_keys(self) -> set[str]:
        """Give the names that conditions, buttons and the stream use and no variable has."""
        used = {self.streaming_key, *(each.visible_key for each in self.variables)}
        for button in self.buttons:
            used |= {button.label_key, button.visible_key, button.disabled_key, *button.param_keys.values()}
        return used - {"", *(each.name for each in self.variables)}

    def as_json(self) -> Json:
        """Give the description that `parse_template` reads."""
        return asdict(self)


def parse_template(raw: Json) -> Template:
    """Read a template's JSON description; a variable may be a bare name.

    Raises:
        TemplateWrong: no id, a part that no template has, or a name that is no variable.
    """
    known = {"id", "variables", "streaming_key", "buttons", "has_failed_state", "published"}
    template_id = raw.get("id")
    if not isinstance(template_id, str) or not template_id or set(raw) - known:
        raise TemplateWrong(f"no id, or unknown parts: {sorted(set(raw) - known)}")
    try:
        variables = tuple(_variable(each) for each in cast("list[Any]", raw.get("variables") or []))
        buttons = tuple(Button(**each) for each in as_objects(raw.get("buttons")))
    except TypeError as error:
        raise TemplateWrong(str(error)) from error
    streaming_key = str(raw.get("streaming_key", ""))
    flags = raw.get("has_failed_state", True) is not False, raw.get("published", True) is not False
    template = Template(template_id, variables, streaming_key, buttons, *flags)
    if template.unknown_keys():
        raise TemplateWrong(f"no such variables: {sorted(template.unknown_keys())}")
    return template


def _variable(raw: object) -> Variable:
    found = as_object(raw)
    return Variable(str(raw)) if found is None else Variable(**found)


def _action(name: str, label: str) -> Json:
    """One of the default card's buttons: shown while `show_<name>` is true, labelled by `label_<name>` when given."""
    keys = {"label_key": f"label_{name}", "visible_key": f"show_{name}"}
    return {"id": f"btn_{name}", "label": label, **keys, "params": {"action": name}, "param_keys": {"value": "value"}}


LABELS = {"stop": "停止", "retry": "重试", "approve": "批准", "deny": "拒绝", "good": "有用", "bad": "没用"}


def default_template() -> Template:
    """Give the template the demo uses: title, status, panels, streamed content, footer and a product's buttons."""
    shown: list[Json] = [
        {"name": "title", "kind": "text"},
        {"name": "status", "kind": "text"},
        {"name": "panel"},
        {"name": "content"},
        {"name": "footer"},
    ]
    personal = [f"{prefix}_{name}" for name in LABELS for prefix in ("show", "label")] + ["value"]
    hidden: list[Json] = [{"name": name, "kind": "hidden", "private": True} for name in personal]
    return parse_template(
        {
            "id": DEFAULT_TEMPLATE,
            "variables": [*shown, *hidden, {"name": "config", "kind": "hidden"}],
            "streaming_key": "content",
            "buttons": [_action(name, label) for name, label in LABELS.items()],
        }
    )


def public_templates() -> list[Template]:
    """Give the public templates that the vendor's own projects use; they have no buttons of ours.

    Source: dingtalk-stream 0.24.3 (AI markdown card), DingTalk's own connector, official tutorial, read 2026-09.
    """
    words = [{"name": name} for name in ("msgTitle", "msgContent", "staticMsgContent")]
    hidden = [{"name": name, "kind": "hidden"} for name in ("logo", "sys_full_json_obj")]
    known: list[tuple[str, list[Json], str]] = [
        ("382e4302-551d-4880-bf29-a30acfab2e71.schema", [*words, *hidden], "msgContent"),
        ("02fcf2f4-5e02-4a85-b672-46d1f715543e.schema", [{"name": "msgContent"}], "msgContent"),
        ("8aebdfb9-28f4-4a98-98f5-396c3dde41a0.schema", [{"name": "content"}], "content"),
    ]
    return [parse_template({"id": id_, "variables": names, "streaming_key": key}) for id_, names, key in known]
