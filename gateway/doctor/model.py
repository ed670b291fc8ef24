"""The models people get: the default one and those it falls back to, each asked one short question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from channels.base import Finding
from engine.errors import EngineError, ModelError
from engine.runtime import probe_model
from engine.settings import EngineSettings
from gateway.doctor.examination import Examination
from gateway.doctor.subject import Subject
from gateway.errors import ConfigInvalid

_SLOW_S = 5.0


def model_examinations(subject: Subject) -> Sequence[Examination]:
    """Give one examination for each model in use, or the one that tells why there is none."""
    if subject.settings is None:
        return ()
    try:
        engine = subject.settings.engine()
    except ConfigInvalid as error:
        refused = Finding("fail", "model_unusable", {"reason": str(error)}, "model_unusable")
        return (Examination("model", partial(_known, refused), subject.settings.default_model),)
    default = engine.default_model
    names = dict.fromkeys((default, *engine.models[default].fallbacks))
    return [Examination("model", partial(model, subject, engine, name), name) for name in names]


async def model(subject: Subject, engine: EngineSettings, name: str) -> Finding:
    """Ask it."""
    facts: dict[str, object] = {"model": engine.models[name].model}
    if subject.offline and engine.models[name].provider_name != "demo":
        return Finding("skipped", "offline", facts)
    try:
        probed = await probe_model(engine, name, subject.clock)
    except ModelError as error:
        return Finding("fail", "model_failed", {**facts, "reason": str(error)}, error.code)
    except EngineError as error:
        return Finding("fail", "model_unusable", {**facts, "reason": str(error)}, "model_unusable")
    if probed.is_demo:
        return Finding("ok", "model_demo", facts)
    facts |= {"first_s": f"{probed.first_s:.2f}", "whole_s": f"{probed.whole_s:.2f}"}
    if probed.first_s > _SLOW_S:
        return Finding("warn", "model_slow", facts, "model_slow")
    return Finding("ok", "model_answers", facts)


async def _known(finding: Finding) -> Finding:
    return finding
