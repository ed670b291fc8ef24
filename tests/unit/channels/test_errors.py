"""Every error of a channel has a stable code and says something, also one without words of its own."""

from __future__ import annotations

import pytest

from channels import errors
from channels.errors import ChannelError


def kinds(root: type[ChannelError]) -> list[type[ChannelError]]:
    return [root, *(each for kind in root.__subclasses__() for each in kinds(kind))]


@pytest.mark.parametrize("kind", kinds(ChannelError), ids=lambda kind: kind.__name__)
def test_code_is_snake_case_text(kind: type[ChannelError]) -> None:
    error = made(kind)
    assert error.code.islower()
    assert error.code.replace("_", "") == kind.__name__.lower()
    assert error.advice == error.code
    assert str(error)


def test_the_platforms_own_code_stays() -> None:
    assert ChannelError(code="230031").code == "230031"


def test_a_class_without_docstring_is_named() -> None:
    bare = type("Odd", (ChannelError,), {})
    assert str(bare()) == "Odd"


def made(kind: type[ChannelError]) -> ChannelError:
    match kind.__name__:
        case "RateLimited":
            return errors.RateLimited(retry_after_s=1, scope="app")
        case "Busy":
            return errors.Busy(retry_after_s=1)
        case "QuotaUsedUp":
            return errors.QuotaUsedUp(until_ms=1)
        case "MissingScope":
            return errors.MissingScope(scope="im:message")
        case "StreamEnded":
            return errors.StreamEnded(reason="closed")
        case "NotSupported":
            return errors.NotSupported("read")
        case _:
            return kind()
