"""An error of the gateway says something whatever it was given."""

from __future__ import annotations

from gateway.errors import AccessDenied, GatewayError


def test_a_class_without_docstring_is_named() -> None:
    bare = type("Odd", (GatewayError,), {})
    error = bare()
    assert (str(error), error.code) == ("Odd", "odd")


def test_the_docstring_is_the_usual_message() -> None:
    assert str(AccessDenied()) == "The person may not do this."
