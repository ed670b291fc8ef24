"""How the client types streamed text: a prefix is continued letter by letter, anything else replaced at once."""

from __future__ import annotations

from dataclasses import dataclass

from channels.simulators.jsons import Json, as_object

DEFAULT_FREQUENCY_MS = 70
DEFAULT_STEP = 1
"""Source: open.feishu.cn "Streaming updates" (print_frequency_ms, print_step), read 2026-02."""


@dataclass(frozen=True)
class Typing:
    """One element's text as the client shows it; times are the simulator's steady seconds."""

    text: str
    typed_from: int
    since_s: float
    chars_per_s: float

    def shown(self, now_s: float) -> int:
        """Tell how many characters stand on the screen."""
        return min(len(self.text), self.typed_from + int((now_s - self.since_s) * self.chars_per_s))

    def after(self, text: str, now_s: float, config: Json) -> Typing:
        """Give the state after the element's text became `text`."""
        step, frequency_ms = (
            _pace(config, "print_step", DEFAULT_STEP),
            _pace(config, "print_frequency_ms", DEFAULT_FREQUENCY_MS),
        )
        speed = 1000 * step / max(1, frequency_ms)
        if not text.startswith(self.text):
            return Typing(text, len(text), now_s, speed)
        streaming = as_object(config.get("streaming_config")) or {}
        flushes = streaming.get("print_strategy", "fast") == "fast"
        return Typing(text, len(self.text) if flushes else self.shown(now_s), now_s, speed)


def _pace(config: Json, name: str, default: int) -> float:
    value = (as_object(config.get("streaming_config")) or {}).get(name, default)
    chosen = as_object(value)
    return float((chosen.get("pc") or chosen.get("default") or default) if chosen is not None else value)
