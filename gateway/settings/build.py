"""Building typed sections from a flat layer, with errors that name the setting and its source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as File
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from gateway.errors import ConfigInvalid, together
from gateway.settings.layers import Layer
from gateway.settings.reference import Unset, resolve, under
from gateway.settings.schema import Path, dotted
from gateway.settings.words import say

M = TypeVar("M", bound=BaseModel)


class Builder:
    """Builds parts of the settings; looks references up at that moment and not before."""

    def __init__(self, layer: Layer, environ: Mapping[str, str], folder: File) -> None:
        self._layer = layer
        self._environ = environ
        self._folder = folder

    def names(self, table: Path) -> list[str]:
        """Give the ids of the tables below `table`, in the order they were first named."""
        found = under(self._layer, table).items()
        return [path[-1] for path, entry in found if len(path) == len(table) + 1 and entry.value == {}]

    def raw(self, path: Path) -> Any:
        """Give the value at `path` as written; `None` when it is not set."""
        entry = self._layer.get(path)
        return None if entry is None else entry.value

    def value(self, path: Path) -> Any:
        """Give the value at `path` with its references replaced. Raises `Unset`."""
        return resolve(path, self._layer[path], self._environ, self._folder)

    def fields(self, table: Path, *, lenient: bool = False) -> dict[str, Any]:
        """Give the settings of one table.

        With `lenient`, a reference to nothing counts as not set where it is a default of the product.

        Raises:
            Unset: a value refers to a variable or a file that is not there.
        """
        found: dict[str, Any] = {}
        for path, entry in under(self._layer, table).items():
            if len(path) != len(table) + 1:
                continue
            try:
                found[path[-1]] = self.value(path)
            except Unset:
                if not (lenient and entry.origin == "default"):
                    raise
        return found

    def raw_fields(self, table: Path) -> dict[str, Any]:
        """Give the settings of one table as written."""
        return {path[-1]: e.value for path, e in under(self._layer, table).items() if len(path) == len(table) + 1}

    def section(self, model: type[M], table: Path, values: Mapping[str, Any]) -> M:
        """Check `values` of the table against `model`.

        Raises:
            ConfigInvalid: a value is missing or makes no sense.
        """
        try:
            return model.model_validate(dict(values))
        except ValidationError as error:
            raise self._invalid(error, table) from None

    def _invalid(self, error: ValidationError, table: Path) -> ConfigInvalid:
        return together([self._problem(each, table) for each in error.errors(include_input=False, include_url=False)])

    def _problem(self, error: Mapping[str, Any], table: Path) -> ConfigInvalid:
        path = (*table, *(str(part) for part in error["loc"][:1]))
        entry = self._layer.get(path) or self._layer.get(table)
        return ConfigInvalid(say(error), path=dotted(path), source=entry.source if entry else "")
