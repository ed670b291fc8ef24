"""What a check of blocks found wrong, each with its place, as the platform lists it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from channels.simulators.jsons import as_object


@dataclass
class Findings:
    """Collects texts such as `must be less than 3001 characters [json-pointer:/blocks/0/text/text]`."""

    texts: list[str] = field(default_factory=list[str])

    def add(self, text: str, path: str) -> None:
        """Something is wrong at a place."""
        self.texts.append(f"{text} [json-pointer:{path}]")

    def length(self, value: object, limit: int, path: str) -> None:
        """A text may have this many characters."""
        if isinstance(value, str) and len(value) > limit:
            self.add(f"must be less than {limit + 1} characters", path)

    def most(self, values: Sequence[object], limit: int, path: str) -> None:
        """A list may have this many items."""
        if len(values) > limit:
            self.add(f"no more than {limit} items allowed", path)

    def some(self, values: Sequence[object], limit: int, path: str) -> None:
        """A list has one item at least and this many at most."""
        if not values:
            self.add("must have at least 1 item", path)
        self.most(values, limit, path)

    def text(self, value: object, limit: int, path: str, *, plain: bool = False) -> None:
        """A text object: plain_text or mrkdwn, not empty, not too long."""
        found = as_object(value)
        kinds = ("plain_text",) if plain else ("plain_text", "mrkdwn")
        if found is None or found.get("type") not in kinds:
            self.add(f"must be a {' or '.join(kinds)} object", path)
            return
        if not isinstance(found.get("text"), str) or not found["text"]:
            self.add("must be more than 0 characters", f"{path}/text")
        self.length(found.get("text"), limit, f"{path}/text")
