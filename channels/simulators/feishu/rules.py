"""What makes a card wrong: checks of card JSON 2.0."""

from __future__ import annotations

from channels.simulators.feishu.elements import walk
from channels.simulators.feishu.errors import ApiError, card_refused
from channels.simulators.feishu.jsons import Json, dumps

MAX_BYTES = 30 * 1024
MAX_ELEMENTS = 200


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


def check_card(tree: Json) -> None:
    """Refuse a card that the platform refuses.

    Raises:
        CardWrong: with the platform's codes.
    """
    if tree.get("schema") != "2.0":
        raise CardWrong(300303, 200621, "schema is not 2.0")
    if len(dumps(tree).encode()) > MAX_BYTES:
        raise CardWrong(200860, 200860, "card content exceeds 30 KB")
    elements = list(walk(tree))
    if len(elements) > MAX_ELEMENTS:
        raise CardWrong(300305, 11310, "element exceeds the limit")
    ids = [element["element_id"] for element in elements if "element_id" in element]
    if len(ids) != len(set(ids)):
        raise CardWrong(300301, 300301, "element_id is duplicated")
