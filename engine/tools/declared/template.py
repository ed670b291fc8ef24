"""A text with places in it: `{{param}}` for an argument, `${NAME}` for a secret.

What is put into a place is never read for places again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import ToolFailed

Encode = Callable[[str], str]
SecretOf = Callable[[str], str | None]
OURS = "NIUMA_"
"""Variables of the gateway itself (its token, its accounts) are nobody else's to send."""
_PLACE = re.compile(r"\{\{\s*([a-z][a-z0-9_]*)\s*\}\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LEFT_OPEN = re.compile(r"\{\{|\}\}|\$\{")


@dataclass(frozen=True, slots=True)
class Place:
    """Where an argument or a secret goes."""

    name: str
    is_secret: bool


class Template:
    """A text that was taken apart.

    Raises:
        ValueError: a place is not written as one.
    """

    def __init__(self, text: str) -> None:
        self.pieces: list[str | Place] = []
        at = 0
        for found in _PLACE.finditer(text):
            self._literal(text[at : found.start()])
            self.pieces.append(Place(found[1] or found[2], is_secret=found[1] is None))
            at = found.end()
        self._literal(text[at:])

    def _literal(self, text: str) -> None:
        if _LEFT_OPEN.search(text):
            raise ValueError(f"{text[:60]!r} holds a place that is not written as {{{{name}}}} or ${{NAME}}")
        if text:
            self.pieces.append(text)

    @property
    def params(self) -> set[str]:
        """Give the arguments it has places for."""
        return {each.name for each in self.pieces if isinstance(each, Place) and not each.is_secret}

    @property
    def secrets(self) -> set[str]:
        """Give the secrets it has places for."""
        return {each.name for each in self.pieces if isinstance(each, Place) and each.is_secret}

    @property
    def only_param(self) -> str:
        """Give the argument that is all of it; empty when there is more or less."""
        only = self.pieces[0] if len(self.pieces) == 1 else ""
        return only.name if isinstance(only, Place) and not only.is_secret else ""

    def is_left_out(self, values: Mapping[str, Any]) -> bool:
        """Tell whether it is nothing but an argument that was not given."""
        return bool(self.only_param) and self.only_param not in values

    @property
    def literals(self) -> str:
        """Give what stands between the places."""
        return "".join(each for each in self.pieces if isinstance(each, str))

    def render(
        self, values: Mapping[str, Any], secret_of: SecretOf, encode: Encode = str, literal: Encode = str
    ) -> str:
        """Give the text with its places filled in, each through `encode`; an argument that is missing is empty.

        What stands between the places goes through `literal`.

        Raises:
            ToolFailed: a secret is not set.
        """
        parts: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, str):
                parts.append(literal(piece))
            elif piece.is_secret:
                parts.append(encode(_secret(piece.name, secret_of)))
            else:
                parts.append(encode(text_of(values.get(piece.name))))
        return "".join(parts)


def text_of(value: Any) -> str:
    """Give an argument as text: as JSON writes it, a text as it is, nothing for `None`."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _secret(name: str, secret_of: SecretOf) -> str:
    secret = secret_of(name)
    if secret is None:
        raise ToolFailed(f"the secret {name} that this tool needs is not set")
    return secret
