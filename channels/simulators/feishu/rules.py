"""What makes a card wrong: size, counts, ids, places and markdown of card JSON 2.0.

Source: open.feishu.cn "Card JSON 2.0 structure", its component pages and reports of users, read 2026-02.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from channels.simulators.feishu.elements import config, walk
from channels.simulators.feishu.errors import ApiError, card_refused
from channels.simulators.feishu.schema import CONTAINERS, INTERACTIVE
from channels.simulators.feishu.shapes import ShapeError, check_shape
from channels.simulators.jsons import Json, as_object, as_objects, dumps

MAX_BYTES = 30 * 1024
MAX_ELEMENTS = 200
MAX_TABLES = 5
MAX_MARKDOWN_TABLES = 4
MAX_NESTING = 5

_ELEMENT_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,19}")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]*)[^)]*\)")
_CODE = re.compile(r"^(```+|~~~+).*?(^\1|\Z)|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$", re.MULTILINE)


class CardWrong(Exception):
    """The card is refused: `code` for CardKit calls, `sub_code` inside 230099 for message calls."""

    def __init__(self, code: int, sub_code: int, reason: str) -> None:
        self.code = code
        self.sub_code = sub_code
        self.reason = reason
        super().__init__(reason)

    def for_cardkit(self) -> ApiError:
        """Give the answer of a CardKit call."""
        return ApiError(self.code, f"ErrCode: {self.sub_code}; ErrMsg: {self.reason}")

    def for_message(self) -> ApiError:
        """Give the answer of a message call."""
        return ApiError(230025) if self.code == 200860 else card_refused(self.sub_code, self.reason)


class CardRules:
    """Checks cards; `knows_image` tells whether an image key was uploaded."""

    def __init__(self, knows_image: Callable[[str], bool]) -> None:
        self._knows_image = knows_image

    def check(self, tree: Json) -> None:
        """Refuse a card that the platform refuses.

        Raises:
            CardWrong: with the platform's codes.
        """
        if not tree:
            raise CardWrong(300307, 200621, "card is empty")
        if tree.get("schema") != "2.0":
            raise CardWrong(300303, 200621, "schema is not 2.0")
        if config(tree).get("update_multi") is False:
            raise CardWrong(300302, 300302, "update_multi must be true")
        self._check_size(tree)
        try:
            check_shape(tree, "card")
        except ShapeError as error:
            raise CardWrong(200220, error.sub_code, str(error)) from error
        body = as_objects((as_object(tree.get("body")) or {}).get("elements"))
        _check_ids(tree)
        _check_places(body)
        for form in (each for each in body if each["tag"] == "form"):
            _check_form(form)
        for element in walk(tree):
            self._check_content(element)

    def check_text(self, tree: Json, element: Json) -> None:
        """Check a card whose one text changed; the rest was right before."""
        self._check_size(tree)
        self._check_content(element)

    def _check_size(self, tree: Json) -> None:
        if len(dumps(tree).encode()) > MAX_BYTES:
            raise CardWrong(200860, 200860, "card content exceeds 30 KB")

    def _check_content(self, element: Json) -> None:
        key = element.get("img_key")
        if key is not None and element.get("tag") in ("img", "custom_icon"):
            self._check_image(str(key))
        content = element.get("content")
        if element.get("tag") in ("markdown", "lark_md") and isinstance(content, str):
            prose = _CODE.sub("", content) if "`" in content or "~~~" in content else content
            for image in _IMAGE.finditer(prose):
                self._check_image(image[1])
            if "|" in prose and _count_tables(prose) > MAX_MARKDOWN_TABLES:
                raise CardWrong(200220, 11310, "card table number over limit")

    def _check_image(self, key: str) -> None:
        if not self._knows_image(key):
            raise CardWrong(200570, 200570, f"image key is invalid: {key}")


def _check_ids(tree: Json) -> None:
    seen: set[str] = set()
    for count, element in enumerate(walk(tree), start=1):
        if count > MAX_ELEMENTS:
            raise CardWrong(300305, 11310, "element exceeds the limit")
        if "element_id" not in element:
            continue
        element_id = element["element_id"]
        if not isinstance(element_id, str) or not _ELEMENT_ID.fullmatch(element_id):
            raise CardWrong(200220, 200621, f"element_id is invalid: {element_id}")
        if element_id in seen:
            raise CardWrong(300301, 300301, f"element_id is duplicated: {element_id}")
        seen.add(element_id)


def _check_places(body: list[Json]) -> None:
    if sum(each["tag"] == "table" for each in body) > MAX_TABLES:
        raise CardWrong(200220, 11310, "card table number over limit")
    for element in body:
        _check_inside(element, 1 if element["tag"] in CONTAINERS else 0)


def _check_inside(element: Json, depth: int) -> None:
    if depth > MAX_NESTING:
        raise CardWrong(200220, 11310, "card nesting exceeds 5 levels")
    children = as_objects(element.get("elements")) if element["tag"] in CONTAINERS else []
    for column in as_objects(element.get("columns")) if element["tag"] == "column_set" else []:
        children = [*children, *as_objects(column.get("elements"))]
    for child in children:
        if child["tag"] in ("table", "form"):
            raise CardWrong(200220, 200621, f"{child['tag']} may only stand at the top level")
        _check_inside(child, depth + (child["tag"] in CONTAINERS))


def _check_form(form: Json) -> None:
    inside = list(walk(form.get("elements")))
    if not form.get("name"):
        raise CardWrong(200220, 200530, "form has no name")
    if any(each["tag"] == "chart" for each in inside):
        raise CardWrong(200220, 200621, "a form holds no chart")
    fields = [each for each in inside if each["tag"] in INTERACTIVE]
    names = [each.get("name") for each in fields]
    if not all(names) or len(names) != len(set(map(str, names))):
        raise CardWrong(200220, 200530, "every interactive element of a form needs a unique name")
    submits = ("submit", "form_submit")
    if not any(each.get("form_action_type") in submits or each.get("action_type") in submits for each in fields):
        raise CardWrong(200220, 200530, "a form needs a submit button")


def _count_tables(prose: str) -> int:
    """Count lines of dashes below a line of as many cells; strictly, those in a table's body too."""
    lines = prose.split("\n")
    return sum(_TABLE_RULE.match(rule) is not None and _cells(head) == _cells(rule) for head, rule in pairwise(lines))


def _cells(line: str) -> int:
    return line.strip(" \t>").strip("|").count("|") + 1
