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

    def has_variable(self, name: str) -> bool:
        """Tell whether the template knows this variable."""
        return any(variable.name == name for variable in self.variables)

    def as_json(self) -> Json:
        """Give the description that `parse_template` reads."""
        return asdict(self)


def parse_template(raw: Json) -> Template:
    """Read a template's JSON description; a variable may be a bare name.

    Raises:
        TemplateWrong: no id, or a part that no template has.
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
    return Template(template_id, variables, streaming_key, buttons, *flags)


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
    hidden = [f"{prefix}_{name}" for name in LABELS for prefix in ("show", "label")] + ["value", "config"]
    return parse_template(
        {
            "id": DEFAULT_TEMPLATE,
            "variables": shown + [{"name": name, "kind": "hidden"} for name in hidden],
            "streaming_key": "content",
            "buttons": [_action(name, label) for name, label in LABELS.items()],
        }
    )
