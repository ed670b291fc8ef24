"""The tools an agent has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.models.base import ToolSchema
from engine.tools.base import Tool


class ToolSet:
    """Tools by name, in the order given. Immutable."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools:
                raise ValueError(f"two tools are named {tool.name!r}")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def get(self, name: str) -> Tool | None:
        """Give the tool of this name."""
        return self._tools.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        """Give all names."""
        return tuple(self._tools)

    def schemas(self) -> list[ToolSchema]:
        """Give what a model is told."""
        return [ToolSchema(tool.name, tool.description, tool.parameters) for tool in self]


class LiveToolSet(ToolSet):
    """Tools in named parts, each of which can be replaced while agents work; earlier parts win no name from later ones.

    A look sees either the old set or the new one. A run that was told of a tool which is gone is told so when it calls.
    """

    def __init__(self, part: str, tools: Iterable[Tool]) -> None:
        super().__init__(tools)
        self._parts: dict[str, tuple[Tool, ...]] = {part: tuple(self)}

    def replace(self, part: str, tools: Iterable[Tool]) -> None:
        """Put `tools` in the place of what the part held.

        Raises:
            ValueError: a name is there twice; then nothing has changed.
        """
        parts = {**self._parts, part: tuple(tools)}
        together = ToolSet(tool for each in parts.values() for tool in each)
        self._parts, self._tools = parts, {tool.name: tool for tool in together}
