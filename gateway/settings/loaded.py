"""The settings as the rest of the gateway sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from engine.settings import (
    AgentSettings,
    DatabaseSettings,
    EngineSettings,
    RunSettings,
    SessionSettings,
    StepListSettings,
    WebSettings,
)
from gateway.errors import ConfigInvalid
from gateway.paths import agents_folder, config_folder, own_agents_folder
from gateway.settings.access import AccessSection, ConversationRule
from gateway.settings.build import Builder
from gateway.settings.layers import Layer, Origin
from gateway.settings.model_check import ModelTable
from gateway.settings.reference import Unset, is_reference, is_secret
from gateway.settings.schema import CHANNEL_MODELS, Path, dotted, node_at
from gateway.settings.sections import CardSection, ServerSection

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Account:
    """One enabled account of a channel; `settings` is the channel's own model and holds the secrets."""

    channel: str
    id: str
    settings: BaseModel

    def __repr__(self) -> str:
        return f"Account({self.channel}:{self.id})"


class Settings:
    """All settings of one process, checked. Never changes; `apply_overlay` gives a new one.

    Example:
        settings = load_settings(home=data_folder())
        settings.cards.refresh_ms, settings.origin("cards.refresh_ms")
    """

    def __init__(self, layer: Layer, *, home: File, environ: Mapping[str, str], config: File | None) -> None:
        self._layer = layer
        self._environ = environ
        self._builder = builder = Builder(layer, environ, config.parent if config else home)
        self.home = home
        """The data folder."""
        self.config = config
        """The user's file that was read, if any."""
        self.server = builder.section(ServerSection, ("server",), builder.fields(("server",), lenient=True))
        self.database = builder.section(DatabaseSettings, ("database",), builder.fields(("database",)))
        self.cards = builder.section(CardSection, ("cards",), builder.fields(("cards",)))
        self.runs = builder.section(RunSettings, ("runs",), builder.fields(("runs",)))
        self.sessions = builder.section(SessionSettings, ("sessions",), builder.fields(("sessions",)))
        self.agent = builder.section(AgentSettings, ("agent",), builder.fields(("agent",)))
        self.web = builder.section(WebSettings, ("web",), builder.fields(("web",)))
        self.step_lists = {
            name: builder.section(StepListSettings, ("step_lists", name), builder.fields(("step_lists", name)))
            for name in builder.names(("step_lists",))
        }
        rules = _conversation_rules(builder)
        self.access = builder.section(
            AccessSection, ("access",), {**builder.fields(("access",)), "conversations": rules}
        )
        self._models = ModelTable(builder)
        _refuse_unenforced(builder)

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r}, config={str(self.config)!r})"

    @property
    def default_model(self) -> str:
        """Give the name of the model everybody uses unless told otherwise."""
        return self._models.default

    @property
    def rule_folders(self) -> tuple[File, ...]:
        """Give the folders of `permissions.toml` and `roles.toml`: the shipped one, then the data folder."""
        return (config_folder(), self.home)

    def engine(self, *, workspace: File | None = None, model: str | None = None) -> EngineSettings:
        """Give what the engine is built from. Models whose key is not there are left out.

        Args:
            workspace: one folder for all tools instead of a folder per conversation.
            model: the default model of this engine instead of `[models] default`.

        Raises:
            ConfigInvalid: the default model, or one it falls back to, does not exist or lacks its key.
        """
        default = model or self._models.default
        self._models.require(default, path="models.default" if model is None else "--model")
        models, providers = self._models.usable(self._models.chain(default))
        return EngineSettings(
            home=self.home,
            workspace=workspace,
            rules_from=self.rule_folders,
            agent_folders=(agents_folder(), own_agents_folder(self.home)),
            database=self.database,
            runs=self.runs,
            sessions=self.sessions,
            providers=providers,
            models=models,
            default_model=default,
            agent=self.agent,
            step_lists=self.step_lists,
            web=self.web,
            tool_secrets=_for_tools(self._environ) if self.agent.tools_folder else {},
        )

    def model_names(self) -> dict[str, str]:
        """Give every model's name and its `provider/name`, usable or not."""
        return {name: model.model for name, model in self._models.models.items()}

    def missing_models(self) -> dict[str, str]:
        """Give the models that cannot be used now, and why."""
        return self._models.missing()

    def accounts(self) -> tuple[Account, ...]:
        """Give the enabled accounts of all channels, secrets looked up.

        Raises:
            ConfigInvalid: an enabled account lacks something, or its channel is not built yet.
        """
        found, problems = self.usable_accounts()
        if problems:
            raise problems[0]
        return found

    def usable_accounts(self) -> tuple[tuple[Account, ...], tuple[ConfigInvalid, ...]]:
        """Give the enabled accounts that can be used, and what is wrong with the others."""
        found: list[Account] = []
        problems: list[ConfigInvalid] = []
        for channel in CHANNEL_MODELS:
            for name in self._builder.names(("channels", channel)):
                if self._builder.raw(("channels", channel, name, "enabled")) is False:
                    continue
                try:
                    found.append(self._account(channel, name))
                except ConfigInvalid as problem:
                    problems.append(problem)
        return tuple(found), tuple(problems)

    def _account(self, channel: str, name: str) -> Account:
        table = ("channels", channel, name)
        values = {**self._builder.fields(table), "id": name}
        return Account(channel, name, self._builder.section(CHANNEL_MODELS[channel], table, values))

    def origin(self, path: str) -> Origin:
        """Tell which kind of source `path` (`"cards.refresh_ms"`) has its value from; unset ones are `"default"`.

        Raises:
            ConfigInvalid: there is no such setting.
        """
        parts = _parts(path)
        return self._layer[parts].origin if parts in self._layer else "default"

    def source(self, path: str) -> str:
        """Tell exactly where: the file or the variable. Raises like `origin`."""
        parts = _parts(path)
        return self._layer[parts].source if parts in self._layer else ""

    def locked(self, path: str) -> bool:
        """Tell whether a file, the environment or the command line decides it, so that the console cannot."""
        return self.origin(path) not in ("default", "database")

    def shown(self) -> dict[str, Any]:
        """Give every value that is set, by dotted path, as written; secrets that are no references are hidden."""
        return {dotted(path): _shown(path, entry.value) for path, entry in self._layer.items() if entry.value != {}}

    def plain_secrets(self) -> tuple[str, ...]:
        """Give the settings whose secret is written out in a file, by dotted path: worth a warning."""
        return tuple(
            dotted(path)
            for path, entry in self._layer.items()
            if entry.origin == "file" and is_secret(path) and entry.value and not is_reference(entry.value)
        )

    def secrets(self) -> frozenset[str]:
        """Give every secret that can be looked up now, for the log filter. Never print it."""
        found: set[str] = set()
        for path in self._layer:
            if is_secret(path):
                try:
                    found.add(str(self._builder.value(path)))
                except Unset:
                    continue  # nothing to hide
        return frozenset((found | {urlsplit(self.database.url).password or ""}) - {""})

    @property
    def layer(self) -> Layer:
        """Give the flat values, for an overlay."""
        return dict(self._layer)

    @property
    def environ(self) -> Mapping[str, str]:
        """Give the environment the settings were read with."""
        return self._environ


def _for_tools(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the variables that tool files may name: all but the gateway's own."""
    return {name: value for name, value in environ.items() if not name.upper().startswith("NIUMA_")}


def _shown(path: Path, value: Any) -> Any:
    if is_secret(path):
        return value if is_reference(value) else HIDDEN
    return HIDDEN if path == ("database", "url") and "@" in value and "${" not in value else value


def _parts(path: str) -> Path:
    parts = tuple(path.split("."))
    node_at(parts, source="")
    return parts


def _conversation_rules(builder: Builder) -> tuple[ConversationRule, ...]:
    above = ("access", "conversations")
    return tuple(
        builder.section(ConversationRule, (*above, name), {**builder.fields((*above, name)), "id": name})
        for name in builder.names(above)
    )


def _refuse_unenforced(builder: Builder) -> None:
    """Refuse what looks as if it did something and does nothing yet."""
    for name in builder.names(("schedules",)):
        fix = "remove it"
        raise ConfigInvalid(f"schedules are not run yet; {fix}", path=f"schedules.{name}", fix=fix)
