"""Stable codes for what went wrong, as outcomes, events and texts name it."""

from __future__ import annotations

from typing import Any

from engine.errors import (
    AuthFailed,
    BadOutput,
    ContextTooLong,
    CutOff,
    ModelError,
    RateLimited,
    Refused,
    TimedOut,
    Unavailable,
)

MODEL_CODES: dict[type[ModelError], str] = {
    Unavailable: "model_unavailable",
    TimedOut: "model_timeout",
    Refused: "model_refused",
    AuthFailed: "model_auth",
    RateLimited: "model_rate_limited",
    ContextTooLong: "context_too_long",
    CutOff: "model_cut_off",
    BadOutput: "model_bad_output",
}


def model_code(error: ModelError) -> str:
    """Give the code of a model error."""
    return next((code for kind, code in MODEL_CODES.items() if isinstance(error, kind)), "model_unavailable")


def model_params(error: ModelError, model: str) -> dict[str, Any]:
    """Give what a text about the error may mention; never the provider's own words."""
    params: dict[str, Any] = {"model": model}
    if isinstance(error, RateLimited) and error.retry_after_s is not None:
        params["retry_after_s"] = error.retry_after_s
    return params
