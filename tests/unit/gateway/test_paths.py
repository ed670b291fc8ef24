"""Where things lie."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gateway import paths
from gateway.errors import AccessDenied, ConfigInvalid, StartupFailed


def test_the_data_folder_is_chosen_in_order() -> None:
    env = {"NIUMA_HOME": "~/elsewhere"}
    assert paths.data_folder("given", env) == Path.cwd() / "given"
    assert paths.data_folder(None, env) == Path.home() / "elsewhere"
    assert paths.data_folder(None, {"NIUMA_HOME": ""}) == Path.home() / ".niuma"


def test_what_ships_is_found_in_a_checkout_and_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (paths.config_folder() / "default.toml").is_file()
    # No fault, but a place that only an installed wheel has.
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "site-packages" / "gateway")
    assert paths.config_folder() == tmp_path / "site-packages" / "gateway" / "_bundled" / "config"
    assert paths.skills_folder().parent.name == "_bundled"


def test_private_folders(tmp_path: Path) -> None:
    made = paths.create_private_folder(paths.logs_folder(tmp_path / "a"))
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700
    tmp_path.chmod(0o755)
    paths.create_private_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_errors_have_codes_and_hints() -> None:
    invalid = ConfigInvalid("is wrong", path="a.b", fix="mend it", source="niuma.toml")
    assert (str(invalid), invalid.code, invalid.hint) == ("a.b (niuma.toml): is wrong", "config_invalid", "mend it")
    assert str(StartupFailed("no room", component="api")) == "api: no room"
    assert (str(AccessDenied()), AccessDenied().code) == ("The person may not do this.", "access_denied")
