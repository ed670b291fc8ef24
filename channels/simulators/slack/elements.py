"""What makes the elements of blocks wrong: buttons, feedback, selects.

Source: docs.slack.dev reference pages of block elements, read 2026-08.
"""

from __future__ import annotations

from channels.simulators.jsons import Json, as_object, as_objects
from channels.simulators.slack.findings import Findings

TYPES = frozenset(
    {
        "button", "image", "overflow", "static_select", "multi_static_select", "external_select", "users_select",
        "conversations_select", "channels_select", "datepicker", "timepicker", "datetimepicker", "checkboxes",
        "radio_buttons", "workflow_button", "feedback_buttons", "icon_button", "plain_text_input",
    }
)  # fmt: skip
STYLES = (None, "primary", "danger")


def check_actions(elements: list[Json], path: str, findings: Findings) -> None:
    """Check interactive elements of one block; their action_ids differ."""
    ids = [str(each["action_id"]) for each in elements if each.get("action_id")]
    if len(ids) != len(set(ids)):
        findings.add("action_id must be unique within a block", path)
    for at, element in enumerate(elements):
        _check(element, f"{path}/{at}", findings)


def _check(element: Json, path: str, findings: Findings) -> None:
    kind = element.get("type")
    if kind not in TYPES:
        findings.add(f"unsupported type: {kind}", f"{path}/type")
    findings.length(element.get("action_id"), 255, f"{path}/action_id")
    if kind == "button":
        _button(element, path, findings)
    elif kind == "feedback_buttons":
        for name in ("positive_button", "negative_button"):
            _feedback(as_object(element.get(name)), f"{path}/{name}", findings)
    elif kind in ("static_select", "overflow"):
        findings.some(as_objects(element.get("options")), 100 if kind == "static_select" else 5, f"{path}/options")


def _button(element: Json, path: str, findings: Findings) -> None:
    findings.text(element.get("text"), 75, f"{path}/text", plain=True)
    findings.length(element.get("value"), 2000, f"{path}/value")
    findings.length(element.get("url"), 3000, f"{path}/url")
    if element.get("style") not in STYLES:
        findings.add("invalid style", f"{path}/style")
    if (confirm := as_object(element.get("confirm"))) is not None:
        for name, limit in (("title", 100), ("text", 300), ("confirm", 30), ("deny", 30)):
            findings.text(confirm.get(name), limit, f"{path}/confirm/{name}")


def _feedback(element: Json | None, path: str, findings: Findings) -> None:
    if element is None:
        findings.add("missing required field", path)
        return
    findings.text(element.get("text"), 75, f"{path}/text", plain=True)
    if not isinstance(element.get("value"), str) or not element["value"]:
        findings.add("missing required field: value", path)
    findings.length(element.get("value"), 2000, f"{path}/value")
