"""The shape of all settings as a tree, built from the models themselves: what may be set, and of which kind."""

from __future__ import annotations

import difflib
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from channels.dingtalk.settings import DingtalkSettings
from channels.feishu.settings import FeishuSettings
from channels.slack.settings import SlackSettings
from engine.settings import (
    AgentSettings,
    DatabaseSettings,
    ModelSettings,
    ProviderSettings,
    RunSettings,
    SessionSettings,
    StepListSettings,
    WebSettings,
)
from gateway.errors import ConfigInvalid
from gateway.settings.access import AccessSection, ConversationRule
from gateway.settings.sections import (
    CardSection,
    ScheduleSection,
    ServerSection,
)

Path = tuple[str, ...]
Kind = Literal["text", "bool", "int", "float", "list"]

_ID = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")
_SECRETS = frozenset({"token", "api_key", "app_secret", "bot_token", "app_token", "client_secret"})
CHANNEL_MODELS: Mapping[str, type[BaseModel]] = {
    "feishu": FeishuSettings,
    "slack": SlackSettings,
    "dingtalk": DingtalkSettings,
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """One setting."""

    kind: Kind
    secret: bool = False
    default: Any = None
    """What counts when nobody sets it; `None`: nothing, or it must be set."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: fixed keys, and, with `items`, further tables named by id. `listed` ones are written `[[...]]`."""

    fields: Mapping[str, Leaf | Table] = field(default_factory=dict[str, "Leaf | Table"])
    items: Table | None = None
    listed: bool = False

    def child(self, key: str) -> Leaf | Table | None:
        """Give what `key` names here; `None` when nothing may be called so."""
        if key in self.fields:
            return self.fields[key]
        return self.items if self.items is not None and is_id(key) else None


def _kind(annotation: Any) -> Kind:
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = next(part for part in get_args(annotation) if part is not type(None))
    if get_origin(annotation) in (tuple, list):
        return "list"
    kinds: dict[Any, Kind] = {bool: "bool", int: "int", float: "float"}
    return kinds.get(annotation, "text")


def _table(model: type[BaseModel]) -> Table:
    leaves = {
        name: Leaf(_kind(info.annotation), name in _SECRETS, None if info.is_required() else info.default)
        for name, info in model.model_fields.items()
    }
    return Table(dict(leaves))


def _by_id(model: type[BaseModel], *, listed: bool, **fixed: Leaf) -> Table:
    return Table(fields=dict(fixed), items=_table(model), listed=listed)


def _with(table: Table, **tables: Table) -> Table:
    """Give a table in which some keys are tables of their own."""
    return Table({**table.fields, **tables})


ROOT = Table(
    {
        "server": _table(ServerSection),
        "database": _table(DatabaseSettings),
        "cards": _table(CardSection),
        "runs": _table(RunSettings),
        "sessions": _table(SessionSettings),
        "providers": _by_id(ProviderSettings, listed=False),
        "models": _by_id(ModelSettings, listed=False, default=Leaf("text")),
        "agent": _table(AgentSettings),
        "step_lists": _by_id(StepListSettings, listed=False),
        "web": _table(WebSettings),
        "channels": Table({name: _by_id(model, listed=True) for name, model in CHANNEL_MODELS.items()}),
        "access": _with(_table(AccessSection), conversations=_by_id(ConversationRule, listed=True)),
        "schedules": _by_id(ScheduleSection, listed=True),
    }
)


def is_id(text: str) -> bool:
    """Tell whether `text` may name an account, a model, a provider or a schedule."""
    return _ID.fullmatch(text) is not None


def dotted(path: Path) -> str:
    """Give the text form of a path."""
    return ".".join(path)


def node_at(path: Path, *, source: str) -> Leaf | Table:
    """Give what stands at `path`.

    Raises:
        ConfigInvalid: there is no such setting; names the nearest one.
    """
    node: Leaf | Table = ROOT
    for depth, key in enumerate(path):
        below = node.child(key) if isinstance(node, Table) else None
        if below is None:
            raise unknown(path[: depth + 1] if isinstance(node, Table) else path, source=source, whole=path)
        node = below
    return node


def leaf_at(path: Path) -> Leaf | None:
    """Give the setting at `path`, or `None`."""
    try:
        node = node_at(path, source="")
    except ConfigInvalid:
        return None
    return node if isinstance(node, Leaf) else None


def unknown(path: Path, *, source: str, whole: Path = ()) -> ConfigInvalid:
    """Build the error for a key that does not exist: it names the nearest that does."""
    near = _nearest(whole or path)
    if source.startswith("NIUMA_") and near:
        near = "NIUMA_" + near.replace(".", "__").upper()
    fix = f"did you mean {near}?" if near else f"known here: {', '.join(_known_beside(path))}"
    return ConfigInvalid(f"unknown setting; {fix}", path=dotted(whole or path), fix=fix, source=source)


def _nearest(path: Path) -> str | None:
    """Look for a sibling first, then for the same key elsewhere, then for any similar path."""
    siblings = {dotted((*path[:-1], key)): None for key in _known_beside(path) if not key.startswith("<")}
    beside = difflib.get_close_matches(dotted(path), siblings, n=1, cutoff=0.75)
    if beside and leaf_or_table(path[:-1]):
        return beside[0]
    every = [dotted(known) for known in leaves()]
    same = [known for known in every if known.rsplit(".", 1)[-1] == path[-1] and "<" not in known]
    if same:
        return difflib.get_close_matches(dotted(path), same, n=1, cutoff=0.0)[0]
    if len(path) > 1 and leaf_or_table(path[:-1]):
        return None  # the table exists: its keys are a better answer than a far guess
    similar = difflib.get_close_matches(dotted(path), every + list(ROOT.fields), n=1, cutoff=0.6)
    return similar[0] if similar else None


def is_item(path: Path) -> bool:
    """Tell whether `path` names an item of a table of tables, beside which there are keys of its own."""
    above = ROOT if len(path) == 1 else node_at(path[:-1], source="")
    return isinstance(above, Table) and above.items is not None and bool(above.fields)


def leaf_or_table(path: Path) -> bool:
    """Tell whether `path` exists."""
    node: Leaf | Table | None = ROOT
    for key in path:
        node = node.child(key) if isinstance(node, Table) else None
    return node is not None


def _known_beside(path: Path) -> list[str]:
    node: Leaf | Table | None = ROOT
    for key in path[:-1]:
        node = node.child(key) if isinstance(node, Table) else None
    if not isinstance(node, Table):
        return []
    return [*node.fields, *(["<id>"] if node.items else [])]


def leaves(node: Leaf | Table = ROOT, path: Path = ()) -> Iterator[Path]:
    """Give the path of every setting; `<id>` stands for the name of a table."""
    if isinstance(node, Leaf):
        yield path
        return
    for key, below in node.fields.items():
        yield from leaves(below, (*path, key))
    if node.items is not None:
        yield from leaves(node.items, (*path, "<id>"))
