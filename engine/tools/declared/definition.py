"""What a tool file says. One object a file; README.md shows one."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["node", "python", "bash"]
ParameterType = Literal["string", "integer", "number", "boolean", "array", "object"]
NAME = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Parameter(_Part):
    """One argument. A `default` makes it one that may be left out."""

    name: str = Field(pattern=NAME, max_length=64)
    type: ParameterType = "string"
    description: str = Field(default="", max_length=1_000)
    required: bool = False
    default: Any = None
    enum: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    def schema_of(self) -> dict[str, Any]:
        """Give its JSON Schema."""
        schema: dict[str, Any] = {"type": self.type}
        more = {"description": self.description, "minimum": self.minimum, "maximum": self.maximum}
        schema |= {key: value for key, value in more.items() if value not in (None, "")}
        return schema | ({"enum": list(self.enum)} if self.enum else {})


class HttpHandler(_Part):
    """A request. `{{param}}` and `${SECRET}` may stand in path, query values, header values and body, not in the host.

    `result` is how the reply is read: JSON, text, or whichever it is; `pick` (`data.items.0`) takes a part of the JSON.
    """

    type: Literal["http"]
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    url: str
    query: dict[str, str] = Field(default_factory=dict[str, str])
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    body: dict[str, Any] | list[Any] | None = None
    result: Literal["auto", "json", "text"] = "auto"
    pick: str = ""


class ScriptHandler(_Part):
    """A script beside the tool file. Its arguments come as JSON on standard input, its result is standard output.

    `env` is its whole environment: names, each with a text that may be `${SECRET}`.
    """

    type: Literal["script"]
    language: Language
    file: str
    env: dict[str, str] = Field(default_factory=dict[str, str])
    network: bool = False


class Definition(_Part):
    """A tool. `effect` left out: none for GET and HEAD, once for the rest; `asks` left out: when it has an effect."""

    id: str = ""
    name: str = Field(pattern=NAME, max_length=64)
    description: str = Field(min_length=1, max_length=2_000)
    enabled: bool = True
    parameters: tuple[Parameter, ...] = Field(default=(), max_length=50)
    timeout_s: float = Field(default=30.0, gt=0, le=600)
    effect: Literal["none", "idempotent", "once"] | None = None
    asks: bool | None = None
    handler: Annotated[HttpHandler | ScriptHandler, Field(discriminator="type")]

    def digest(self, script: bytes = b"") -> str:
        """Name what the tool is made of: who allowed it for longer allowed this, not what its files say later."""
        told = self.model_dump_json().encode("utf-8", "surrogatepass")
        return sha256(told + b"\0" + script).hexdigest()

    def schema_of(self) -> dict[str, Any]:
        """Give the JSON Schema of the arguments."""
        required = [each.name for each in self.parameters if each.required and each.default is None]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {each.name: each.schema_of() for each in self.parameters},
            "additionalProperties": False,
        }
        return schema | ({"required": required} if required else {})

    def filled(self, args: dict[str, Any]) -> dict[str, Any]:
        """Give the arguments with defaults for those left out; `null` counts as left out."""
        given = {name: value for name, value in args.items() if value is not None}
        return {each.name: each.default for each in self.parameters if each.default is not None} | given
