from __future__ import annotations

import pytest

from engine.errors import (
    AlreadyRunning,
    CutOff,
    EngineError,
    ModelError,
    RateLimited,
    StorageError,
    TimedOut,
    Unavailable,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AlreadyRunning(), "already_running"),
        (StorageError(), "storage_error"),
        (StorageError(code="storage_full"), "storage_full"),
        (ModelError(), "model_unavailable"),
        (Unavailable(), "model_unavailable"),
        (TimedOut(), "model_timeout"),
        (CutOff(), "model_cut_off"),
        (RateLimited(retry_after_s=1), "model_rate_limited"),
        (RateLimited(code="other"), "other"),
    ],
)
def test_every_error_has_a_code(error: EngineError, code: str) -> None:
    assert error.code == code


def test_a_kind_without_a_code_of_its_own_has_its_parents() -> None:
    class Overloaded(Unavailable): ...

    assert Overloaded().code == "model_unavailable"
