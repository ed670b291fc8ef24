"""Reading an agent's file, with an error that names the key and the nearest one there is."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from engine.errors import ProfileInvalid
from engine.profiles.profile import MAIN, Name, Profile

MAX_FILE_BYTES = 200_000
_NOT_OF_MAIN = ("enabled", "model", "tools", "role")
"""Of the main agent settings and rules decide this."""
_OF_MAIN_ONLY = ("classify_prompt", "aggregate_prompt")


def read_profile(file: Path, over: Mapping[str, Any] | None = None) -> Profile:
    """Read one file; what it leaves out is as `over` says (the file of the same name that ships with the product).

    Raises:
        ProfileInvalid: it cannot be read, is not TOML, or holds a key or a value that makes no sense.
    """
    values = {**(over or {}), **read_values(file)}
    values.setdefault("id", file.stem)
    if values["id"] != file.stem:
        raise ProfileInvalid(f"{file}: id is {values['id']!r}, but the file is called {file.name!r}")
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        raise ProfileInvalid(f"{file}: {_told(error)}") from None


def read_values(file: Path) -> dict[str, Any]:
    """Read what stands in one file, its keys known.

    Raises:
        ProfileInvalid: it cannot be read, is not TOML, or holds a key that is unknown or without effect for this agent.
    """
    try:
        with file.open("rb") as opened:
            raw = opened.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise ProfileInvalid(f"{file}: is larger than {MAX_FILE_BYTES:,} bytes")
        values = tomllib.loads(raw.decode("utf-8"))
    except OSError as error:
        raise ProfileInvalid(f"{file}: cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProfileInvalid(f"{file}: is not TOML: {error}") from error
    _refuse_unknown(file, "", values, Profile)
    _refuse_idle(file, values)
    if isinstance(name := values.get("name"), dict):
        _refuse_unknown(file, "name.", cast("dict[str, Any]", name), Name)
    return values


def _refuse_unknown(file: Path, under: str, values: Mapping[str, Any], model: type[BaseModel]) -> None:
    known = list(model.model_fields)
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {under}{near[0]}?" if near else f"known are {', '.join(known)}"
            raise ProfileInvalid(f"{file}: {under}{key} is no key of an agent; {hint}", hint=hint)


def _refuse_idle(file: Path, values: Mapping[str, Any]) -> None:
    """Refuse what nothing reads: who narrows an agent's tools must not find later that nothing was narrowed."""
    is_main = file.stem == MAIN
    whose = "domain agents only; of the main one, settings and rules decide" if is_main else "the main agent only"
    for key in _NOT_OF_MAIN if is_main else _OF_MAIN_ONLY:
        if key in values:
            raise ProfileInvalid(f"{file}: {key} is for {whose}")


def _told(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
