"""From one card to the next: which text grew, and what else must be told in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from channels.feishu.cards import Page
from channels.readable import Json


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text element with other contents."""

    element_id: str
    old: str
    new: str

    @property
    def is_growth(self) -> bool:
        """Tell whether the client can type out the difference."""
        return self.new.startswith(self.old)


@dataclass(slots=True)
class Changes:
    """What separates two cards. `whole`: too much for single changes, the card must be written anew."""

    whole: bool = False
    texts: list[TextChange] = field(default_factory=list[TextChange])
    actions: list[Json] = field(default_factory=list[Json])

    def __bool__(self) -> bool:
        return self.whole or bool(self.texts) or bool(self.actions)


def compare(old: Page, new: Page) -> Changes:
    """Give the changes that make `new` of `old`, apart from their configs."""
    if old.header is not new.header and old.header != new.header:
        return Changes(whole=True)
    changes = Changes()
    if old.elements is not new.elements:
        _compare_lists(old.elements, new.elements, changes)
    return changes


def exchange(old: Page, new: Page) -> Changes:
    """Give single changes that make `new` of `old` although no element of it stays; `whole` where there are none."""
    before, after = ([element.get("element_id") for element in page.elements] for page in (old, new))
    if not before or None in before + after or len({*before, *after}) < len(before) + len(after):
        return Changes(whole=True)
    added = _add(list(new.elements), after="", before=str(before[0]))
    return Changes(actions=[added, {"action": "delete_elements", "params": {"element_ids": before}}])


def update_text(change: TextChange) -> Json:
    """Give the batch action that sets a text at once."""
    params = {"element_id": change.element_id, "partial_element": {"content": change.new}}
    return {"action": "partial_update_element", "params": params}


def _compare_lists(old: Sequence[Json], new: Sequence[Json], changes: Changes) -> None:
    """Compare the elements of a body or of a panel by their ids."""
    before = {str(element.get("element_id")): element for element in old}
    after = {str(element.get("element_id")): element for element in new}
    kept = [eid for eid in after if eid in before]
    if not kept or kept != [eid for eid in before if eid in after] or "None" in after or len(after) != len(new):
        changes.whole = True
        return
    if len(kept) < len(before):
        gone = [eid for eid in before if eid not in after]
        changes.actions.append({"action": "delete_elements", "params": {"element_ids": gone}})
    for eid in kept:
        if before[eid] is not after[eid]:
            _compare_element(before[eid], after[eid], changes)
    if len(kept) < len(after):
        changes.actions += _additions(new, set(kept))


def _compare_element(old: Json, new: Json, changes: Changes) -> None:
    if old == new:
        return
    if old["tag"] != new["tag"]:
        changes.whole = True
        return
    changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    if changed == {"content"}:
        changes.texts.append(TextChange(new["element_id"], old["content"], new["content"]))
    elif changed == {"elements"} and _same_ids(old["elements"], new["elements"]):
        _compare_lists(old["elements"], new["elements"], changes)
    else:
        params = {"element_id": new["element_id"], "element": new}
        changes.actions.append({"action": "update_element", "params": params})


def _same_ids(old: list[Json], new: list[Json]) -> bool:
    ids = [element.get("element_id") for element in new]
    return None not in ids and ids == [element.get("element_id") for element in old]


def _additions(new: Sequence[Json], kept: set[str]) -> list[Json]:
    """Give one action for each run of new neighbours, placed after (or before the first) element that stays."""
    actions: list[Json] = []
    group: list[Json] = []
    anchor = ""
    for element in new:
        eid = str(element["element_id"])
        if eid not in kept:
            group.append(element)
            continue
        if group:
            actions.append(_add(group, after=anchor, before=eid))
            group = []
        anchor = eid
    if group:
        actions.append(_add(group, after=anchor, before=""))
    return actions


def _add(group: list[Json], *, after: str, before: str) -> Json:
    where, target = ("insert_after", after) if after else ("insert_before", before)
    params = {"type": where, "target_element_id": target, "elements": group}
    return {"action": "add_elements", "params": params}


def with_text(page: Page, element_id: str, text: str) -> Page:
    """Give the card with one text changed."""
    return replace(page, elements=tuple(_with_text(element, element_id, text) for element in page.elements))


def _with_text(element: Json, element_id: str, text: str) -> Json:
    if element.get("element_id") == element_id:
        return {**element, "content": text}
    inner = element.get("elements")
    if not isinstance(inner, list):
        return element
    old = cast("list[Json]", inner)
    children = [_with_text(child, element_id, text) for child in old]
    # Untouched parts stay the same objects: comparing them later costs nothing.
    changed = any(child is not before for child, before in zip(children, old, strict=True))
    return {**element, "elements": children} if changed else element
