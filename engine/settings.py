"""What the engine can be told. The gateway reads files and environment and hands these in; defaults are for tests.

Every field's unit and reason stand in `config/default.toml`.
"""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

OPENAI_BASE = "https://api.openai.com/v1"
"""Where OpenAI's own models are. Source: OpenAI API reference, read 2026-11."""


OPEN_HOST = r"^(\*\.)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$"
"""A host that is opened: a name, `*.` before it for all below it, or an address; with a port or without."""


class Section(BaseModel):
    """Base of all settings: unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DatabaseSettings(Section):
    """`url`: `"sqlite"` (a file in the data folder) or a `postgresql://` address."""

    url: str = "sqlite"


WhileBusy = Literal["queue", "steer", "interrupt"]
"""What becomes of words that come while a run of the same person works: they wait, reach it, or end it."""


class RunSettings(Section):
    """How runs are owned, ended and kept."""

    lease_ttl_s: float = Field(default=5.0, gt=0)
    resume: bool = True
    drain_s: float = Field(default=20.0, ge=0)
    late_after_s: float = Field(default=1800.0, ge=0)
    final_try_s: float = Field(default=10.0, gt=0)
    concurrency: int = Field(default=200, ge=1)
    open_per_person: int = Field(default=100, ge=0)
    waiting_per_conversation: int = Field(default=50, ge=0)
    waiting_per_replica: int = Field(default=2000, ge=0)
    while_busy: WhileBusy = "queue"
    keep_days: float = Field(default=30.0, gt=0)
    messages_keep_days: float = Field(default=90.0, gt=0)
    inbox_keep_days: float = Field(default=3.0, gt=0.3)
    received_keep_days: float = Field(default=30.0, gt=0)
    audit_keep_days: float = Field(default=365.0, gt=0)
    time_limit_s: float = Field(default=1800.0, gt=0)


class SessionSettings(Section):
    """When a conversation begins a new session, and how much of it a model reads."""

    idle_hours: float = Field(default=12.0, gt=0)
    history_messages: int = Field(default=60, ge=2)


class ProviderSettings(Section):
    """Credentials of a model provider, shared by its models."""

    api_key: str | None = Field(default=None, repr=False)
    api_base: str | None = None


class ModelSettings(Section):
    """One model. `model` is `provider/name`; `fallbacks` are names of other models."""

    model: str
    provider: str | None = None
    api_base: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    fallbacks: tuple[str, ...] = ()
    first_byte_s: float = Field(default=30.0, gt=0)
    stall_s: float = Field(default=30.0, gt=0)
    temperature: float | None = None
    max_output_tokens: int | None = Field(default=None, gt=0)
    context_tokens: int | None = Field(default=None, gt=0)
    images: bool | None = None
    reliable_tools: bool | None = None
    input_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)

    @property
    def provider_name(self) -> str:
        """Give the provider: `provider`, or the prefix of `model` before the first `/`."""
        return self.provider or self.model.partition("/")[0]

    def takes_providers_key(self, provider_base: str | None) -> bool:
        """Tell whether it has no key of its own and is at its provider's address, the only one that key goes to."""
        if self.api_key:
            return False
        usual = provider_base or (OPENAI_BASE if self.provider_name == "openai" else "")
        return not self.api_base or self.api_base.rstrip("/") == usual.rstrip("/")


class AgentSettings(Section):
    """Allowances of one run."""

    max_tool_rounds: int = Field(default=5, ge=1)
    max_identical_rounds: int = Field(default=2, ge=1)
    max_repairs: int = Field(default=3, ge=1)
    approval_timeout_s: float = Field(default=3600.0, gt=0)
    tool_timeout_s: float = Field(default=60.0, gt=0)
    max_tool_output_chars: int = Field(default=16_000, ge=500)
    max_attachment_bytes: int = Field(default=20_000_000, ge=0)
    refused_attachments: tuple[Literal["archives", "programs", "audio", "video"], ...] = ("archives", "programs")
    max_sent_file_bytes: int = Field(default=20_000_000, ge=0)
    workspace_max_bytes: int = Field(default=1_000_000_000, ge=0)
    workspace_max_files: int = Field(default=20_000, ge=0)
    tools_folder: str = "tools"
    shell: Literal["sandboxed", "off", "unconfined"] = "sandboxed"
    shell_network: bool = False
    router_asks: bool = True
    router_model: str = ""
    lanes_at_once: int = Field(default=3, ge=1, le=20)
    max_lanes: int = Field(default=6, ge=1, le=50)


class StepListSettings(Section):
    """The steps of a task that comes again."""

    steps: tuple[Annotated[str, Field(min_length=1, max_length=120)], ...] = Field(min_length=1, max_length=30)


class WebSettings(Section):
    """What tools may fetch. Nothing is fetched unless `fetch`, `search_url` or a declared tool says so."""

    fetch: bool = False
    search_url: str = Field(default="", pattern=r"^(https?://[^\s@]+)?$")
    ports: tuple[Annotated[int, Field(ge=1, le=65535)], ...] = (80, 443)
    open_hosts: tuple[Annotated[str, Field(pattern=OPEN_HOST)], ...] = ()
    closed_networks: tuple[str, ...] = ()
    proxy: str = Field(default="", pattern=r"^(https?://[^\s@]+)?$")
    timeout_s: float = Field(default=30.0, gt=0)
    max_bytes: int = Field(default=5_000_000, ge=1_000)

    @field_validator("closed_networks")
    @classmethod
    def _are_networks(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            ip_network(text, strict=False)
        return texts


class EngineSettings(Section):
    """All of it. `home` is the data folder; `workspace` overrides the per-conversation folders (`niuma agent`).

    No tool sees `home` or the folders in `private`, except for workspaces that lie in them.
    """

    home: Path
    workspace: Path | None = None
    private: tuple[Path, ...] = ()
    rules_from: tuple[Path, ...] = ()
    """Folders with `permissions.toml` and `roles.toml`, the shipped one first; none: what tools declare is the rule."""
    agent_folders: tuple[Path, ...] = ()
    """Where agents' files are; later folders win."""
    database: DatabaseSettings = DatabaseSettings()
    runs: RunSettings = RunSettings()
    sessions: SessionSettings = SessionSettings()
    providers: dict[str, ProviderSettings] = Field(default_factory=dict[str, ProviderSettings])
    models: dict[str, ModelSettings] = Field(default_factory=lambda: {"demo": ModelSettings(model="demo/offline")})
    default_model: str = "demo"
    agent: AgentSettings = AgentSettings()
    step_lists: dict[str, StepListSettings] = Field(default_factory=dict[str, StepListSettings])
    web: WebSettings = WebSettings()
    tool_secrets: dict[str, str] = Field(default_factory=dict[str, str], repr=False)
    """What `${NAME}` in tool files may stand for."""
    demo_speed: float = Field(default=1.0, gt=0)
