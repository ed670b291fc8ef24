"""One short question to one model, to see whether it answers and how quickly."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from engine.messages import TextPart, UserMessage
from engine.models.base import Completed, ModelRequest, Restarted
from engine.models.registry import ModelRegistry, is_demo
from engine.ports import Clock
from engine.settings import EngineSettings

_QUESTION = "Reply with the one word: pong"


@dataclass(frozen=True, slots=True)
class Probed:
    """What came back. The demo model is not asked: there is nothing to reach."""

    is_demo: bool = False
    first_s: float = 0.0
    """Seconds to the first piece of the answer."""
    whole_s: float = 0.0
    answer: str = ""


async def probe_model(settings: EngineSettings, name: str, clock: Clock) -> Probed:
    """Ask the model of this name, without those it falls back to. Stores nothing.

    Raises:
        ModelError: it did not answer, by kind.
        SettingsInvalid: it cannot be built from these settings.
    """
    alone = settings.models[name].model_copy(update={"fallbacks": ()})
    if is_demo(alone):
        return Probed(is_demo=True)
    registry = ModelRegistry(settings.model_copy(update={"models": {name: alone}, "default_model": name}), clock)
    request = ModelRequest(messages=(UserMessage(parts=(TextPart(text=_QUESTION),)),))
    began_s, first_s = clock.steady_s(), 0.0
    answer = ""
    try:
        async with aclosing(registry.get(name).stream(request)) as stream:
            async for item in stream:
                if not isinstance(item, Restarted):
                    first_s = first_s or clock.steady_s() - began_s
                if isinstance(item, Completed):
                    answer = item.message.text
    finally:
        await registry.aclose()
    return Probed(first_s=first_s, whole_s=clock.steady_s() - began_s, answer=answer)
