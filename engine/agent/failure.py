"""What outcomes, events and texts may tell of a failure, beside its code."""

from __future__ import annotations

from typing import Any

from engine.errors import ModelError, RateLimited


def model_params(error: ModelError, model: str) -> dict[str, Any]:
    """Give what a text about the error may mention; never the provider's own words."""
    params: dict[str, Any] = {"model": model}
    if isinstance(error, RateLimited) and error.retry_after_s is not None:
        params["retry_after_s"] = error.retry_after_s
    return params
