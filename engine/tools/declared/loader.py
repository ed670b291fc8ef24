"""Reading a folder of tool files: what can be used, what cannot and why, all at once."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine.tools.base import Tool
from engine.tools.declared.definition import Definition, HttpHandler, Parameter, ScriptHandler
from engine.tools.declared.http_tool import HttpTool
from engine.tools.declared.loaded import Loaded, Mistake
from engine.tools.declared.request import Request
from engine.tools.declared.script_tool import MAX_SCRIPT_BYTES, ScriptRunner, ScriptTool, environment
from engine.tools.declared.template import OURS
from engine.tools.redaction import Secrets
from engine.tools.schema import problems
from engine.tools.web.fetcher import Fetcher

log = logging.getLogger(__name__)
MAX_FILE_BYTES = 256_000
NO_SANDBOX = "scripts run in a sandbox only, and there is none here"


@dataclass(frozen=True, slots=True)
class Means:
    """What declared tools work with. Without a `runner` scripts are refused."""

    fetcher: Fetcher
    secrets: Secrets
    runner: ScriptRunner | None = None


def load_tools(folder: Path, means: Means, *, taken: Iterable[str] = ()) -> Loaded:
    """Read all `*.json` of a folder, by name. Blocks. One that cannot be used keeps no other one away.

    `taken` are names of other tools. A folder that is not there holds none.
    """
    names, tools, mistakes, off = set(taken), list[Tool](), list[Mistake](), list[str]()
    for path in sorted(folder.glob("*.json")):
        try:
            definition = read_definition(path)
            if definition.name in names:
                raise ValueError(f"there is already a tool named {definition.name!r}")
            tool = build_tool(definition, path.parent, means)
        except (ValueError, OSError) as error:
            mistakes += [Mistake(path.name, reason) for reason in reasons_of(error)]
            continue
        names.add(definition.name)
        if definition.enabled:
            tools.append(tool)
        else:
            off.append(definition.name)
    for mistake in mistakes:
        log.warning("tool file not used", extra={"file": mistake.file, "reason": mistake.reason})
    return Loaded(tuple(tools), tuple(mistakes), tuple(off))


def read_definition(path: Path) -> Definition:
    """Read one file.

    Raises:
        ValueError: it is not what it should be; `ValidationError` names each place.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"it has more than {MAX_FILE_BYTES} bytes")
    try:
        value: Any = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    definition = Definition.model_validate(value)
    if wrong := list(_mistakes(definition)):
        raise ValueError("\n".join(wrong))
    return definition


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a key is given twice among {sorted(found)!r}")
    return found


def build_tool(definition: Definition, folder: Path, means: Means) -> Tool:
    """Give the tool of a definition from `folder`.

    Raises:
        ValueError: its script is missing, or there is no sandbox for it.
        OSError: its script cannot be read.
    """
    handler = definition.handler
    if isinstance(handler, HttpHandler):
        return HttpTool(definition, handler, means.fetcher, means.secrets)
    content = read_script(folder, handler.file)
    if means.runner is None:
        raise ValueError(NO_SANDBOX)
    return ScriptTool(definition, handler, content, means.runner, means.secrets)


def read_script(folder: Path, name: str) -> bytes:
    """Read a script that lies beside its tool file.

    Raises:
        ValueError: there is none, or it is too long.
        OSError: it cannot be read.
    """
    path = folder / name
    if Path(name).name != name or path.is_symlink() or not path.is_file():
        raise ValueError(f"handler.file: there is no file {name!r} beside it")
    with path.open("rb") as file:
        content = file.read(MAX_SCRIPT_BYTES + 1)
    if len(content) > MAX_SCRIPT_BYTES:
        raise ValueError(f"handler.file: {name!r} has more than {MAX_SCRIPT_BYTES} bytes")
    return content


def _mistakes(definition: Definition) -> Iterator[str]:
    names = [each.name for each in definition.parameters]
    yield from (f"parameters: {name!r} is there twice" for name in sorted(set(names)) if names.count(name) > 1)
    for parameter in definition.parameters:
        yield from _of_parameter(parameter)
    try:
        if isinstance(definition.handler, HttpHandler):
            yield from _of_request(definition, Request(definition.handler))
        else:
            yield from _of_script(definition.handler)
    except ValueError as error:
        yield f"handler: {error}"


def _of_parameter(parameter: Parameter) -> Iterator[str]:
    if parameter.default is not None:
        yield from problems(parameter.default, parameter.schema_of(), f"parameters: the default of {parameter.name!r}")
    for value in parameter.enum:
        yield from problems(value, {"type": parameter.type}, f"parameters: a choice of {parameter.name!r}")


def _of_request(definition: Definition, request: Request) -> Iterator[str]:
    known = {each.name: each for each in definition.parameters}
    yield from (f"handler: no parameter is named {name!r}" for name in sorted(request.params - known.keys()))
    yield from (f"handler: the parameter {name!r} is not used" for name in sorted(known.keys() - request.params))
    for name in sorted(request.in_path & known.keys()):
        if not known[name].required and known[name].default is None:
            yield f"parameters: {name!r} is a part of the path, so it must be required or have a default"
    for name in sorted(request.as_text & known.keys()):
        if known[name].type in ("array", "object"):
            yield f"parameters: {name!r} is put into a text, so it cannot be of type {known[name].type}"
    yield from _of_secrets(request.secrets)


def _of_script(handler: ScriptHandler) -> Iterator[str]:
    yield from _of_secrets(set[str]().union(*(each.secrets for each in environment(handler).values())))


def _of_secrets(names: set[str]) -> Iterator[str]:
    ours = sorted(name for name in names if name.upper().startswith(OURS))
    yield from (f"handler: {name!r} is the gateway's own and not for tools" for name in ours)


def reasons_of(error: Exception) -> list[str]:
    """Give why a tool file cannot be used, each reason with the field it is about."""
    if isinstance(error, ValidationError):
        return [f"{'.'.join(map(str, each['loc'])) or 'file'}: {each['msg']}" for each in error.errors()]
    if isinstance(error, UnicodeDecodeError | json.JSONDecodeError):
        return [f"it is no JSON in UTF-8: {error}"]
    if isinstance(error, OSError):
        return [f"it cannot be read: {error.strerror}"]
    return str(error).split("\n")
