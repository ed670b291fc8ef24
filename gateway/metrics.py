"""What can be measured from outside, served at `/metrics` for Prometheus.

What happens is counted when it happens; what channels know of themselves is read at each scrape, so that nothing is
counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from channels.pacing import PacerStatistics, Spread
from engine.events import TOOL_TYPES, RunEvent
from gateway.clock import SystemClock

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SHORT_S = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
_LONG_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320)
_LABELS = ["channel", "account"]
MOST_NAMES = 100
"""Of models, tools and codes each: what comes beyond is counted as `other`, so that no name can fill the memory."""
_UNKNOWN_TOOL = "tool_not_found"


@dataclass(frozen=True, slots=True)
class WatchedChannel:
    """How one account is asked at each scrape."""

    channel: str
    account: str
    is_up: Callable[[], bool]
    statistics: Callable[[], PacerStatistics]

    @property
    def labels(self) -> list[str]:
        """Give the label values."""
        return [self.channel, self.account]


class Metrics:
    """All measurements of one gateway; counting never blocks. `now_ms` gives the time, for ages."""

    def __init__(self, now_ms: Callable[[], int] | None = None) -> None:
        self._now_ms = now_ms or SystemClock().now_ms
        self._registry = registry = CollectorRegistry()
        self._channels = _Channels()
        registry.register(self._channels)
        self._runs = Counter("niuma_runs", "Runs that ended here, by status.", ["status"], registry=registry)
        self._events = Counter("niuma_events", "Inbound events.", [*_LABELS, "kind"], registry=registry)
        self._died = Counter("niuma_letters_died", "Answers given up: nobody saw them.", registry=registry)
        self._dead = Gauge("niuma_dead_letters", "Answers that are given up now.", registry=registry)
        self._open = Gauge("niuma_deliveries_open", "What is owed now, in all replicas.", ["kind"], registry=registry)
        oldest = Gauge("niuma_delivery_oldest_seconds", "Age of the oldest that is owed.", registry=registry)
        self._oldest_ms: int | None = None
        oldest.set_function(self._oldest_s)
        self._calls = _Calls(registry)
        self._submit = Histogram(
            "niuma_submit_seconds", "Time to store an inbound event.", buckets=_SHORT_S, registry=registry
        )

    def run_ended(self, status: str) -> None:
        """Count a run (`"done"`, `"stopped"`, `"failed"`, `"interrupted"`), whatever ended it."""
        self._runs.labels(status).inc()

    def letter_died(self, reason: str) -> None:
        """Count an answer that is given up; the reason is in the log."""
        self._died.inc()

    def dead_letters(self, count: int) -> None:
        """Note how many answers are given up now."""
        self._dead.set(count)

    def deliveries(self, pending: Mapping[str, int], oldest_ms: int | None) -> None:
        """Note what is owed now, by kind, and since when (UTC ms) the oldest of it."""
        for kind in ("final", "refresh", "again"):
            self._open.labels(kind).set(pending.get(kind, 0))
        self._oldest_ms = oldest_ms

    def recorded(self, event: RunEvent) -> None:
        """Count the model or tool call that a stored event tells of."""
        if not isinstance(event.content, dict):
            return
        if event.type == "usage":
            self._calls.model(event.content)
        elif event.type in TOOL_TYPES and event.status in ("success", "fail"):
            self._calls.tool(event.content, is_fine=event.status == "success")

    def _oldest_s(self) -> float:
        return 0.0 if self._oldest_ms is None else max(0.0, self._now_ms() / 1000 - self._oldest_ms / 1000)

    def event(self, channel: str, account: str, kind: str) -> None:
        """Count an inbound event."""
        self._events.labels(channel, account, kind).inc()

    def submitted(self, seconds: float) -> None:
        """Note how long storing an event took."""
        self._submit.observe(seconds)

    def watch(self, channel: WatchedChannel) -> None:
        """Read this account's state and card figures at every scrape; a later one takes an earlier one's place."""
        self._channels.watched[channel.channel, channel.account] = channel

    def render(self) -> bytes:
        """Give everything as `CONTENT_TYPE`."""
        return generate_latest(self._registry)


class _Names:
    """Keeps the values of a label few."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def of(self, name: object) -> str:
        written = str(name or "unknown")[:64]
        if written not in self._known and len(self._known) >= MOST_NAMES:
            return "other"
        self._known.add(written)
        return written


class _Calls:
    """Calls of models and tools, as their stored events tell them: each once, whatever was resumed."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._models, self._tools, self._codes = _Names(), _Names(), _Names()
        self._asked = Counter("niuma_model_calls", "Calls, by result.", ["model", "result"], registry=registry)
        self._model_s = Histogram(
            "niuma_model_seconds", "From the question to the end.", ["model"], buckets=_LONG_S, registry=registry
        )
        self._tokens = Counter("niuma_model_tokens", "As providers tell.", ["model", "kind"], registry=registry)
        self._cost = Counter("niuma_model_cost_usd", "Of calls with a known price.", ["model"], registry=registry)
        self._made = Counter("niuma_tool_calls", "Calls, by result.", ["tool", "result"], registry=registry)
        self._tool_s = Histogram(
            "niuma_tool_seconds", "From the beginning to the result.", ["tool"], buckets=_LONG_S, registry=registry
        )

    def model(self, told: Mapping[str, Any]) -> None:
        for failed in told.get("failed") or ():
            self._asked.labels(self._models.of(failed["model"]), self._codes.of(failed["error"])).inc()
        model = self._models.of(told.get("model"))
        self._asked.labels(model, self._result(told.get("error"))).inc()
        if told.get("took_ms") is not None:
            self._model_s.labels(model).observe(told["took_ms"] / 1000)
        for kind in ("input", "output"):
            self._tokens.labels(model, kind).inc(told.get(f"{kind}_tokens") or 0)
        if told.get("cost") is not None:
            self._cost.labels(model).inc(told["cost"])

    def tool(self, told: Mapping[str, Any], *, is_fine: bool) -> None:
        error = None if is_fine else told.get("error") or "failed"
        # A name that a model made up is nobody's tool.
        tool = "unknown" if error == _UNKNOWN_TOOL else self._tools.of(told.get("name"))
        self._made.labels(tool, self._result(error)).inc()
        if told.get("took_ms") is not None:
            self._tool_s.labels(tool).observe(told["took_ms"] / 1000)

    def _result(self, error: object) -> str:
        return self._codes.of(error) if error else "ok"


class _Channels(Collector):
    def __init__(self) -> None:
        self.watched: dict[tuple[str, str], WatchedChannel] = {}

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("niuma_channel_up", "1: connected.", labels=_LABELS)
        live = GaugeMetricFamily("niuma_live_cards", "Cards being written now.", labels=_LABELS)
        writes = CounterMetricFamily("niuma_card_writes", "Card snapshots by result.", labels=[*_LABELS, "result"])
        gaps = SummaryMetricFamily("niuma_card_gap_seconds", "Between two writes of a card.", labels=_LABELS)
        hidden = SummaryMetricFamily(
            "niuma_hidden_text_age_seconds", "Age of the newest text when it became visible.", labels=_LABELS
        )
        for each in self.watched.values():
            figures = each.statistics()
            up.add_metric(each.labels, int(each.is_up()))
            live.add_metric(each.labels, figures.live_cards)
            for result in ("wanted", "written", "merged", "refused", "throttled"):
                writes.add_metric([*each.labels, result], getattr(figures, result))
            _add_spread(gaps, each.labels, figures.gap)
            _add_spread(hidden, each.labels, figures.hidden)
        yield from (up, live, writes, gaps, hidden)


def _add_spread(family: SummaryMetricFamily, labels: list[str], spread: Spread) -> None:
    """Prometheus' own client writes no quantiles; its text format has them."""
    for quantile, value in (("0.5", spread.p50_s), ("0.95", spread.p95_s), ("0.99", spread.p99_s)):
        values = dict(zip(_LABELS, labels, strict=True))
        family.add_sample(family.name, {**values, "quantile": quantile}, value)
    family.add_sample(f"{family.name}_count", dict(zip(_LABELS, labels, strict=True)), spread.count)
