"""Root is refused in our image and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.cli.main import main
from gateway.doctor.configured import server
from gateway.errors import ConfigInvalid
from gateway.settings import Settings, is_refused_root, load_settings, refuse_root
from gateway.settings.root import IMAGE_VARIABLE

IMAGE = {IMAGE_VARIABLE: "1"}


def settings(home: Path, **overrides: object) -> Settings:
    return load_settings(home, None, {}, overrides={key.replace("__", "."): value for key, value in overrides.items()})


@pytest.mark.parametrize(
    ("environ", "user", "allowed", "refused"),
    [
        (IMAGE, 0, False, True),
        (IMAGE, 0, True, False),
        (IMAGE, 10001, False, False),
        ({}, 0, False, False),
        ({IMAGE_VARIABLE: ""}, 0, False, False),
    ],
)
def test_who_is_refused(tmp_path: Path, environ: dict[str, str], user: int, allowed: bool, refused: bool) -> None:
    given = settings(tmp_path, server__allow_root=allowed)
    assert is_refused_root(given, environ, user) is refused
    if refused:
        with pytest.raises(ConfigInvalid, match=r"server\.allow_root = true") as error:
            refuse_root(given, environ, user)
        assert error.value.path == "server.allow_root"
    else:
        refuse_root(given, environ, user)


def test_serve_asks_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "1")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    home = tmp_path / "data"
    assert main(["--home", str(home), "serve", "--port", "0"]) == 2
    assert "this container runs as root" in capsys.readouterr().err
    assert not home.exists()


async def test_the_doctor_says_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert (await server(settings(tmp_path), IMAGE)).code == "server_root"
    assert (await server(settings(tmp_path), {})).code == "server_set"
