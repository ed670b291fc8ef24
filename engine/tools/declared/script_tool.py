"""A declared tool that runs a script, in whatever sandbox it is given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.cut import clean, cut
from engine.tools.declared.definition import Definition, Language, ScriptHandler
from engine.tools.declared.template import Template
from engine.tools.redaction import Secrets, redact

MAX_SCRIPT_BYTES = 256_000
MAX_TOLD_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Script:
    """What is to be run: the content as it was approved, not the name of a file that may change.

    `env` is the whole environment. `given` goes to standard input.
    """

    language: Language
    name: str
    content: bytes = field(repr=False)
    given: bytes = field(repr=False)
    env: Mapping[str, str] = field(repr=False)
    network: bool = False
    timeout_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it. `exit_code` is `None` when it was ended; `why` tells in words, empty when it ended by itself."""

    exit_code: int | None
    stdout: str = ""
    stderr: str = ""
    why: str = ""


class ScriptRunner(Protocol):
    """The port of script tools: a sandbox."""

    async def run_script(self, script: Script, context: ToolContext) -> Outcome:
        """Run it where it sees the workspace and nothing else of this machine; nothing of it runs on afterwards.

        Raises:
            ToolFailed: there is no such interpreter, or no sandbox works here.
        """
        ...


class ScriptTool:
    """Runs one script. Its content is named in what the call touches: a changed file is another call."""

    is_foreign = True
    event_type: EventType = "bash"

    def __init__(
        self, definition: Definition, handler: ScriptHandler, content: bytes, runner: ScriptRunner, secrets: Secrets
    ) -> None:
        """Read the templates of its environment.

        Raises:
            ValueError: one of them cannot be used.
        """
        self._definition, self._handler, self._content = definition, handler, content
        self._runner, self._secrets = runner, secrets
        self._env = environment(handler)
        self._digest = sha256(content).hexdigest()
        self.name, self.description = definition.name, definition.description
        self.parameters = definition.schema_of()

    @property
    def effect(self) -> Effect:
        """See `Tool.effect`."""
        return self._definition.effect or "once"

    @property
    def asks(self) -> bool:
        """See `Tool.asks`."""
        return True if self._definition.asks is None else self._definition.asks

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        command = f"{self._handler.language} {self._handler.file} #{self._digest}"
        made_of = self._definition.digest(self._content)
        return Touches(command=command, sends=self._handler.network, digest=made_of)

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run it.

        Raises:
            ToolFailed: a secret is missing, or the sandbox cannot run it.
        """
        outcome = await self._runner.run_script(self._script(args), context)
        out, err, why = (self._secrets.clean(clean(text)) for text in (outcome.stdout, outcome.stderr, outcome.why))
        ok = outcome.exit_code == 0 and not why
        told = out if ok else "\n".join(part for part in (out, redact(cut(err, MAX_TOLD_CHARS)), why) if part.strip())
        return ToolResult(
            success=ok,
            summary=why or f"{self.name}: exit code {outcome.exit_code}",
            text=told or "(no output)",
            parsed={"exit_code": outcome.exit_code, "data": _json(out)},
            body=cut(told, 4_000),
            body_kind="terminal",
            error=None if ok else "tool_failed",
        )

    def _script(self, args: dict[str, Any]) -> Script:
        return Script(
            language=self._handler.language,
            name=self._handler.file,
            content=self._content,
            given=json.dumps(self._definition.filled(args), ensure_ascii=False).encode("utf-8", "replace"),
            env={name: each.render({}, self._secrets.get) for name, each in self._env.items()},
            network=self._handler.network,
            timeout_s=self._definition.timeout_s,
        )


def environment(handler: ScriptHandler) -> dict[str, Template]:
    """Give the templates of a script's environment.

    Raises:
        ValueError: one of them cannot be used.
    """
    env = {name: Template(text) for name, text in handler.env.items()}
    if wrong := [name for name, each in env.items() if each.params]:
        raise ValueError(f"env: {wrong[0]!r} cannot hold an argument; arguments come on standard input")
    return env


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
