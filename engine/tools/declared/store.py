"""Putting tool files into the folder, switching them on and off: whole or not at all, and only what can be used."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from engine.errors import SettingsInvalid
from engine.tools.declared.definition import Definition, ScriptHandler
from engine.tools.declared.loader import MAX_FILE_BYTES, read_definition, read_script, reasons_of


@dataclass(frozen=True, slots=True)
class Filed:
    """A tool and the file that says it; `mistake` instead where it cannot be used."""

    file: Path
    definition: Definition | None
    mistake: str = ""


def filed_in(folder: Path) -> list[Filed]:
    """Give every tool file of a folder, by name, usable or not."""
    return [_filed(path) for path in sorted(folder.glob("*.json"))]


def _filed(path: Path) -> Filed:
    try:
        definition = read_definition(path)
        if isinstance(definition.handler, ScriptHandler):
            read_script(path.parent, definition.handler.file)
    except (ValueError, OSError) as error:
        return Filed(path, None, "; ".join(reasons_of(error)))
    return Filed(path, definition)


def find(folder: Path, name: str) -> Filed:
    """Give the tool of this name.

    Raises:
        SettingsInvalid: there is none.
    """
    filed = filed_in(folder)
    found = next((each for each in filed if each.definition is not None and each.definition.name == name), None)
    found = found or next((each for each in filed if each.file.stem == name), None)
    if found is None:
        known = ", ".join(each.definition.name for each in filed if each.definition is not None)
        raise SettingsInvalid(f"There is no tool file for {name!r}.", hint=f"There are: {known or 'none'}.")
    return found


def add(folder: Path, file: Path, *, taken: frozenset[str], replace: bool = False) -> Definition:
    """Check a tool file and copy it, with its script, into the folder; nothing is there before all of it is right.

    Raises:
        SettingsInvalid: it cannot be used, each reason with its field, or its name is taken.
        OSError: it cannot be written.
    """
    filed = _filed(file)
    if filed.definition is None:
        raise SettingsInvalid(f"{file.name} is no tool file: {filed.mistake}")
    definition = filed.definition
    _check_free(folder, definition, taken=taken, replace=replace)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if isinstance(definition.handler, ScriptHandler):
        script = read_script(file.parent, definition.handler.file)
        _check_script(folder, definition, script)
        _write(folder / definition.handler.file, script)
    # The definition last: a gateway that looks meanwhile finds no tool without its script.
    _write(folder / f"{definition.name}.json", file.read_bytes()[:MAX_FILE_BYTES])
    return definition


def switch(folder: Path, name: str, *, on: bool) -> Filed:
    """Switch a tool on or off; everything else in its file stays.

    Raises:
        SettingsInvalid: there is no such tool, or its file cannot be used.
        OSError: it cannot be written.
    """
    filed = find(folder, name)
    if filed.definition is None:
        raise SettingsInvalid(f"{filed.file.name} cannot be used: {filed.mistake}")
    value = cast("dict[str, Any]", json.loads(filed.file.read_text("utf-8-sig")))
    if value.get("enabled", True) != on:
        text = json.dumps({**value, "enabled": on}, ensure_ascii=False, indent=2)
        _write(filed.file, f"{text}\n".encode())
    return _filed(filed.file)


def _check_free(folder: Path, definition: Definition, *, taken: frozenset[str], replace: bool) -> None:
    name = definition.name
    if name in taken:
        raise SettingsInvalid(f"name: {name!r} is a built-in tool; give yours another name")
    for each in filed_in(folder):
        is_same = each.definition is not None and each.definition.name == name
        if is_same and each.file.name != f"{name}.json":
            raise SettingsInvalid(f"name: {name!r} is there already, in {each.file.name}; remove that file first")
        if (is_same or each.file.name == f"{name}.json") and not replace:
            raise SettingsInvalid(
                f"name: {name!r} is there already", hint="Write --replace to put this one in its place."
            )


def _check_script(folder: Path, definition: Definition, script: bytes) -> None:
    handler = cast(ScriptHandler, definition.handler)
    others = (each.definition for each in filed_in(folder) if each.definition is not None)
    for other in others:
        is_shared = isinstance(other.handler, ScriptHandler) and other.handler.file == handler.file
        if is_shared and other.name != definition.name and (folder / handler.file).read_bytes() != script:
            raise SettingsInvalid(f"handler.file: {handler.file!r} is there already, of the tool {other.name!r}")


def _write(path: Path, data: bytes) -> None:
    """Write a file at once: who reads it sees the old content or the new one."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
