"""What can go wrong in the gateway itself.

    GatewayError
    ├── ConfigInvalid     a setting cannot be used; names its dotted path and how to mend it
    ├── AccessDenied      the person may not do this
    ├── Overloaded        too many deliveries are in hand; not stored, the platform must deliver it again
    └── StartupFailed     a component did not come up

Errors of the other two packages keep their own roots: `channels.errors.ChannelError`, `engine.errors.EngineError`.
"""

from __future__ import annotations

from collections.abc import Sequence


class GatewayError(Exception):
    """The gateway could not do what was asked."""

    def __init__(self, message: str = "", *, code: str = "", hint: str = "") -> None:
        super().__init__(message or (self.__doc__ or type(self).__name__).splitlines()[0])
        self.code = code or self._name_of_class()
        """Stable snake-case text for programs."""
        self.hint = hint
        """What to do about it, for people; may be empty."""

    @classmethod
    def _name_of_class(cls) -> str:
        return "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")


class ConfigInvalid(GatewayError):
    """A setting cannot be used."""

    def __init__(self, message: str = "", *, path: str, fix: str = "", source: str = "") -> None:
        where = f"{path} ({source})" if path and source else path or source
        super().__init__(f"{where}: {message}" if where else message, hint=fix)
        self.message = message
        self.path = path
        """Dotted path of the setting (`"channels.feishu.main.app_secret"`); empty when a whole file is meant."""
        self.fix = fix
        self.source = source
        """The file or the environment variable the value was read from."""


def together(problems: Sequence[ConfigInvalid]) -> ConfigInvalid:
    """Give one error that tells of all; its setting, source and fix are the first one's."""
    first, *others = problems
    also = "".join(f"; also {each.path}: {each.message}" for each in others)
    return ConfigInvalid(first.message + also, path=first.path, fix=first.fix, source=first.source)


class AccessDenied(GatewayError):
    """The person may not do this."""


class Overloaded(GatewayError):
    """Too many deliveries are in hand; this one is not stored."""


class StartupFailed(GatewayError):
    """A component did not come up."""

    def __init__(self, message: str = "", *, component: str, hint: str = "") -> None:
        super().__init__(f"{component}: {message}" if message else component, hint=hint)
        self.component = component
        """What did not start (`"api"`, `"channel:feishu:main"`, `"engine"`)."""
