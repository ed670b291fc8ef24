"""Root in a container: refused, because what breaks out of the container then is root on the machine."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gateway.errors import ConfigInvalid
from gateway.settings.loaded import Settings

IMAGE_VARIABLE = "NIUMA_CONTAINER"
"""Set to 1 by our image. What a container engine leaves behind differs from engine to engine, and is there as well
where people develop and tests run as root."""


def is_refused_root(settings: Settings, environ: Mapping[str, str] = os.environ, user: int | None = None) -> bool:
    """Tell whether this process (or one of `user`, a numeric id) is root in our image and nobody allowed that."""
    is_root = (os.geteuid() if user is None else user) == 0
    return is_root and environ.get(IMAGE_VARIABLE) == "1" and not settings.server.allow_root


def refuse_root(settings: Settings, environ: Mapping[str, str] = os.environ, user: int | None = None) -> None:
    """Pass unless `is_refused_root`.

    Raises:
        ConfigInvalid: it is.
    """
    if not is_refused_root(settings, environ, user):
        return
    fix = "start the container as its own user (without 'user: root' or '--user 0'), or set server.allow_root = true"
    message = f"this container runs as root, who would be root on the machine if anything broke out; {fix}"
    raise ConfigInvalid(message, path="server.allow_root", fix=fix, source=settings.source("server.allow_root"))
