"""What can go wrong inside the engine.

    EngineError
    ├── ModelError            a model did not answer
    │   ├── RateLimited       works again after `retry_after_s`
    │   ├── TimedOut          no byte, or no further byte, in time
    │   ├── ContextTooLong
    │   ├── Refused           the provider's policy says no
    │   ├── AuthFailed
    │   ├── CutOff            the stream ended before the answer did
    │   ├── BadOutput         the answer is not what was asked for
    │   │   └── OutputUnreadable  no plan or evaluation can be read out of it; the message tells the model why
    │   └── Unavailable       the provider is down or cannot be reached
    ├── ToolError
    │   ├── ToolRetry         the model may mend its call and repeat it
    │   └── ToolFailed        the tool failed; the model must go on without it
    │       ├── OutOfBounds   what it should reach may not be reached from here
    │       └── ServiceUnavailable  what the tool needs outside is not there; trying again now is useless
    ├── BudgetExceeded        rounds, tokens, money or seconds are used up
    ├── EnclosureUnavailable  what came with a message cannot be read
    ├── StorageError          the database cannot take a write now
    ├── AlreadyRunning        another process holds the data folder
    ├── UnknownRun
    ├── DuplicatePath         one attempt asked for the same journal path twice
    ├── ProfileInvalid        an agent's file makes no sense
    └── SettingsInvalid

A stop is a result, not an error. `asyncio.CancelledError` means shutdown or a lost lease and is never recorded.
"""

from __future__ import annotations

from typing import ClassVar


class EngineError(Exception):
    """The engine could not do what was asked."""

    usual_code: ClassVar[str] = ""
    """The code of this kind; empty: its class's name in snake case."""

    def __init__(self, message: str = "", *, code: str = "", hint: str = "") -> None:
        super().__init__(message or (self.__doc__ or type(self).__name__).splitlines()[0])
        self.code = code or self.usual_code or self._name_of_class()
        """Stable snake-case text for programs; the gateway's texts turn it into words for people."""
        self.hint = hint

    @classmethod
    def _name_of_class(cls) -> str:
        return "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")


class ModelError(EngineError):
    """The model did not answer."""

    usual_code = "model_unavailable"
    retryable = False
    """The same request to the same model may succeed soon."""


class RateLimited(ModelError):
    """The model's provider refused the request for its pace."""

    usual_code = "model_rate_limited"
    retryable = True

    def __init__(self, message: str = "", *, retry_after_s: float | None = None, code: str = "") -> None:
        super().__init__(message, code=code)
        self.retry_after_s = retry_after_s


class TimedOut(ModelError):
    """The model sent nothing in time."""

    usual_code = "model_timeout"
    retryable = True


class ContextTooLong(ModelError):
    """The conversation is longer than the model can read."""

    usual_code = "context_too_long"


class Refused(ModelError):
    """The model's provider refused the content."""

    usual_code = "model_refused"


class AuthFailed(ModelError):
    """The model's provider refused our key."""

    usual_code = "model_auth"


class CutOff(ModelError):
    """The model's answer broke off."""

    usual_code = "model_cut_off"
    retryable = True


class BadOutput(ModelError):
    """The model's answer is not in the asked form."""

    usual_code = "model_bad_output"
    retryable = True


class OutputUnreadable(BadOutput):
    """No plan or evaluation can be read out of what the model wrote; the message tells it what to mend."""


class Unavailable(ModelError):
    """The model's provider is not there."""

    retryable = True


class ToolError(EngineError):
    """A tool call did not give a result."""


class ToolRetry(ToolError):
    """The call is malformed; the model may mend it and repeat it."""


class ToolFailed(ToolError):
    """The tool failed; the model has to go on without it."""


class ServiceUnavailable(ToolFailed):
    """Something outside that the tool needs cannot be reached."""


class OutOfBounds(ToolFailed):
    """What the tool should reach may not be reached from here."""


class BudgetExceeded(EngineError):
    """The run has used up its allowance."""


class EnclosureUnavailable(EngineError):
    """What came with a message cannot be read: gone, too large, not allowed, or not what it says it is."""


class StorageError(EngineError):
    """The database cannot take a write now."""


class AlreadyRunning(EngineError):
    """Another process is using this data folder."""


class UnknownRun(EngineError):
    """There is no such run."""


class DuplicatePath(EngineError):
    """The same journal path was asked for twice in one attempt of a run."""


class SettingsInvalid(EngineError):
    """An engine setting makes no sense."""


class ProfileInvalid(EngineError):
    """An agent's file makes no sense."""
