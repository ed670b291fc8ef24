"""Where things lie: what ships with the product, and the data folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gateway.errors import ConfigInvalid

_PACKAGE = Path(__file__).resolve().parent
HOME_VARIABLE = "NIUMA_HOME"
USER_FILE = "niuma.toml"


def shipped_root() -> Path:
    """Give the folder that holds `config/` and `skills/`: the checkout, or `gateway/_bundled` in an installed wheel."""
    checkout = _PACKAGE.parent
    return checkout if (checkout / "config" / "default.toml").is_file() else _PACKAGE / "_bundled"


def config_folder() -> Path:
    """Give the folder of `default.toml`."""
    return shipped_root() / "config"


def skills_folder() -> Path:
    """Give the folder of the skills that ship with the product; it may not exist yet."""
    return shipped_root() / "skills"


def agents_folder() -> Path:
    """Give the folder of the agents that ship with the product."""
    return config_folder() / "agents"


def own_agents_folder(home: Path) -> Path:
    """Give the folder of the operator's own agents; it may not exist."""
    return home / "agents"


def data_folder(home: str | Path | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Give the absolute data folder: `home`, else `NIUMA_HOME`, else `~/.niuma`. Creates nothing."""
    chosen = home or environ.get(HOME_VARIABLE) or Path.home() / ".niuma"
    return Path(chosen).expanduser().absolute()


def demo_folder(home: Path) -> Path:
    """Give the data folder of `niuma demo`, inside the user's own."""
    return home / "demo"


def logs_folder(home: Path) -> Path:
    """Give the folder of rotated log files, beside the database."""
    return home / "logs"


def token_file(home: Path) -> Path:
    """Give the file that keeps the generated api token."""
    return home / "token"


def create_private_folder(folder: Path) -> Path:
    """Create `folder` and what is missing above it for the owner only; existing ones are left as they are.

    Raises:
        ConfigInvalid: it cannot be made.
    """
    if not folder.is_dir():
        create_private_folder(folder.parent)
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            reason = "is a file, not a folder" if folder.exists() else f"cannot be made: {error.strerror}"
            raise ConfigInvalid(f"{folder} {reason}", path="", source="--home", fix="give another folder") from error
    return folder
