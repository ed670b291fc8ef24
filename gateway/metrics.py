"""What can be measured from outside: a typed front to a Prometheus registry, served at `/metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WRITES = ("wanted", "written", "merged", "refused")
_SHORT_S = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5)
_GAP_S = (0.1, 0.15, 0.185, 0.2, 0.215, 0.24, 0.3, 0.4, 0.6, 1, 2, 3.5, 5, 10, 30)

Counts = Callable[[], Mapping[str, int]]
"""Gives running totals by the names in `WRITES`; missing ones count as 0."""


class Metrics:
    """All measurements of one gateway; safe to call from any thread, never blocks."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._writes = _CardWrites()
        registry.register(self._writes)
        self._runs = Counter("niuma_runs", "Runs that ended, by status.", ["status"], registry=registry)
        self._live = Gauge("niuma_live_cards", "Cards being written now.", ["channel"], registry=registry)
        self._events = Counter("niuma_events", "Inbound events.", ["channel", "kind"], registry=registry)
        self._gaps = Histogram(
            "niuma_card_gap_seconds",
            "Time between two writes of a card.",
            ["channel"],
            buckets=_GAP_S,
            registry=registry,
        )
        self._hidden = Histogram(
            "niuma_hidden_text_age_seconds",
            "Age of the newest text a reader could not see yet, at each write.",
            ["channel"],
            buckets=_GAP_S,
            registry=registry,
        )
        self._up = Gauge("niuma_channel_up", "1: connected.", ["channel", "account"], registry=registry)
        self._submit = Histogram(
            "niuma_submit_seconds", "Time to store an inbound event.", buckets=_SHORT_S, registry=registry
        )
        self._owed = Gauge("niuma_deliveries_owed", "Final answers not proven to be visible.", registry=registry)

    def run_ended(self, status: str) -> None:
        """Count a run (`"done"`, `"stopped"`, `"failed"`, `"interrupted"`)."""
        self._runs.labels(status).inc()

    def live_cards(self, channel: str, count: int) -> None:
        """Set how many cards are live."""
        self._live.labels(channel).set(count)

    def event(self, channel: str, kind: str) -> None:
        """Count an inbound event."""
        self._events.labels(channel, kind).inc()

    def card_gap(self, channel: str, seconds: float) -> None:
        """Note the time since the card's last write."""
        self._gaps.labels(channel).observe(seconds)

    def hidden_text(self, channel: str, seconds: float) -> None:
        """Note how old the newest hidden text was when it was shown."""
        self._hidden.labels(channel).observe(seconds)

    def channel_up(self, channel: str, account: str, up: bool) -> None:
        """Set whether an account is connected."""
        self._up.labels(channel, account).set(int(up))

    def submitted(self, seconds: float) -> None:
        """Note how long storing an event took."""
        self._submit.observe(seconds)

    def deliveries_owed(self, count: int) -> None:
        """Set how many answers are owed."""
        self._owed.set(count)

    def watch_writes(self, channel: str, account: str, counts: Counts) -> None:
        """Read an account's card writes from `counts` at every scrape; replaces an earlier one."""
        self._writes.sources[(channel, account)] = counts

    def render(self) -> bytes:
        """Give everything as `CONTENT_TYPE`."""
        return generate_latest(self._registry)


class _CardWrites(Collector):
    """Reads the writers' own totals, so that nothing is counted twice."""

    def __init__(self) -> None:
        self.sources: dict[tuple[str, str], Counts] = {}

    def collect(self) -> Iterable[CounterMetricFamily]:
        family = CounterMetricFamily(
            "niuma_card_writes", "Card writes by result.", labels=["channel", "account", "result"]
        )
        for (channel, account), counts in list(self.sources.items()):
            totals = counts()
            for result in WRITES:
                family.add_metric([channel, account, result], totals.get(result, 0))
        yield family
