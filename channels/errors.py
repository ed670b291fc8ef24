"""What can go wrong between us and a platform.

    ChannelError
    ├── NotConnected          no live connection; nothing was sent
    ├── ConnectionLost        the connection broke while it was in use
    ├── NotDispatched         the request never left; safe to repeat
    ├── DeliveryUnknown       no answer came; the user may have seen it; never repeat blindly
    │   └── Unproven          and the platform can never tell; only a person may ask for it once more
    ├── RateLimited           refused for pace; works again after `retry_after_s`
    │   └── Busy              no fault: the card waits for the answer to a press, for a moment
    ├── QuotaUsedUp           the account's allowance is used up until a known time; previews stop until then
    ├── AuthFailed            credentials refused
    ├── MissingScope          the app lacks a permission
    ├── Rejected              the platform read the request and refused it
    │   ├── TooLong
    │   ├── TooManyUpdates
    │   └── InvalidCard
    ├── StreamEnded           this card cannot be written any more (lifetime, closed, gone)
    └── NotSupported          the platform has no such feature

Every class answers two questions by attribute: `maybe_seen` (may the person have seen the effect?) and
`works_again` (can the same request ever succeed later?).
"""

from __future__ import annotations

from typing import ClassVar, Literal

StreamEnd = Literal["lifetime", "idle", "closed", "gone"]
"""lifetime: too old; idle / closed: streaming was switched off; gone: the card or its chat was removed."""


class ChannelError(Exception):
    """A platform did not do what was asked."""

    maybe_seen: ClassVar[bool] = False
    works_again: ClassVar[bool] = True

    def __init__(self, message: str = "", *, code: str = "", hint: str = "") -> None:
        super().__init__(message or (self.__doc__ or type(self).__name__).splitlines()[0])
        self.code = code or self._name_of_class()
        """Stable text: the platform's own code where there is one (`"230031"`), else the class's name in snake case."""
        self.hint = hint
        self.advice = self.usual_advice()
        """Stable snake-case text that names what an operator can do; an adapter that knows more puts its own."""

    @classmethod
    def usual_advice(cls) -> str:
        """Give the advice of this kind: its class's name in snake case."""
        return cls._name_of_class()

    @classmethod
    def _name_of_class(cls) -> str:
        return "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")


class NotConnected(ChannelError):
    """There is no live connection to the platform."""


class ConnectionLost(ChannelError):
    """The connection to the platform broke."""


class NotDispatched(ChannelError):
    """The request never reached the platform."""


class DeliveryUnknown(ChannelError):
    """The platform did not answer; the request may have been carried out."""

    maybe_seen = True


class Unproven(DeliveryUnknown):
    """It may have been sent, and nobody can ever find out: it is not sent again unasked."""

    works_again = False


class RateLimited(ChannelError):
    """The platform refused the request for its pace."""

    def __init__(self, message: str = "", *, retry_after_s: float, scope: str, code: str = "", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.retry_after_s = retry_after_s
        self.scope = scope
        """What is limited: `"app"` (all cards of the account share it), `"card"` or `"chat"`."""


class Busy(RateLimited):
    """The card takes no writes until a press on it is answered."""

    def __init__(self, message: str = "", *, retry_after_s: float, code: str = "") -> None:
        super().__init__(message, retry_after_s=retry_after_s, scope="card", code=code)


class QuotaUsedUp(ChannelError):
    """The account's allowance of calls is used up."""

    def __init__(self, message: str = "", *, until_ms: int, code: str = "", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.until_ms = until_ms
        """When a new allowance begins (UTC ms)."""


class AuthFailed(ChannelError):
    """The platform refused our credentials; they may be renewed while the process runs."""


class MissingScope(ChannelError):
    """The app lacks a permission on the platform; it may be granted while the process runs."""

    def __init__(
        self, message: str = "", *, scope: str, any_of: tuple[str, ...] = (), code: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.scope = scope
        self.any_of = any_of or ((scope,) if scope else ())
        """All permissions the platform names: one of them is enough."""


class Rejected(ChannelError):
    """The platform read the request and refused it."""

    works_again = False


class TooLong(Rejected):
    """The content is larger than the platform takes."""


class TooManyUpdates(Rejected):
    """The message has used up its allowance of edits."""


class InvalidCard(Rejected):
    """The platform does not accept this card."""


class StreamEnded(ChannelError):
    """This card takes no more writes of this kind."""

    works_again = False

    def __init__(self, message: str = "", *, reason: StreamEnd, code: str = "", hint: str = "") -> None:
        super().__init__(message, code=code, hint=hint)
        self.reason: StreamEnd = reason


class NotSupported(ChannelError):
    """The platform has no such feature."""

    works_again = False

    def __init__(self, capability: str) -> None:
        super().__init__(f"not supported: {capability}")
        self.capability = capability
