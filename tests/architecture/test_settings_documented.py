"""Settings cannot drift: the models, `config/default.toml` and the README say the same."""

from __future__ import annotations

from gateway.settings.layers import flatten
from gateway.settings.schema import ROOT as SCHEMA
from gateway.settings.schema import Leaf, leaves, node_at
from tests.architecture.defaults import everything, keys
from tests.architecture.settings_table import README, described, written


def test_every_setting_stands_in_the_file() -> None:
    assert {key.path for key in keys()} == set(leaves())


def test_the_file_with_its_examples_is_valid() -> None:
    assert len(list(flatten(everything(), SCHEMA, (), "default.toml"))) > 60


def test_every_key_is_explained() -> None:
    assert [".".join(key.path) for key in described() if not key.comment] == []


def test_examples_of_defaults_are_the_defaults() -> None:
    wrong: list[str] = []
    for key in keys():
        leaf = node_at(tuple("x" if part == "<id>" else part for part in key.path), source="")
        assert isinstance(leaf, Leaf)
        known = list(leaf.default) if isinstance(leaf.default, tuple) else leaf.default
        if key.is_example and known not in (None, "", []) and key.value != known:
            wrong.append(".".join(key.path))
    # An example may show another time zone.
    assert wrong == ["schedules.<id>.timezone"]


def test_the_readme_has_the_table_of_now() -> None:
    hint = "run: python -m tests.architecture.settings_table --write"
    assert README.read_text("utf-8") == written(), hint
