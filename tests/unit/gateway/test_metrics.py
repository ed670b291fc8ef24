"""The figures as a scraper reads them."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from gateway.metrics import Metrics


def _samples(metrics: Metrics) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    families = text_string_to_metric_families(metrics.render().decode())
    return {(s.name, frozenset(s.labels.items())): s.value for family in families for s in family.samples}


def _key(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def test_everything_can_be_scraped() -> None:
    metrics = Metrics()
    metrics.run_ended("done")
    metrics.run_ended("done")
    metrics.event("feishu", "message")
    metrics.live_cards("feishu", 3)
    metrics.card_gap("feishu", 0.21)
    metrics.hidden_text("feishu", 0.05)
    metrics.channel_up("feishu", "main", True)
    metrics.submitted(0.004)
    metrics.deliveries_owed(2)
    samples = _samples(metrics)
    assert samples[_key("niuma_runs_total", status="done")] == 2
    assert samples[_key("niuma_events_total", channel="feishu", kind="message")] == 1
    assert samples[_key("niuma_live_cards", channel="feishu")] == 3
    assert samples[_key("niuma_card_gap_seconds_bucket", channel="feishu", le="0.2")] == 0
    assert samples[_key("niuma_card_gap_seconds_bucket", channel="feishu", le="0.215")] == 1
    assert samples[_key("niuma_hidden_text_age_seconds_sum", channel="feishu")] == 0.05
    assert samples[_key("niuma_channel_up", channel="feishu", account="main")] == 1
    assert samples[_key("niuma_submit_seconds_count")] == 1
    assert samples[_key("niuma_deliveries_owed")] == 2
    metrics.channel_up("feishu", "main", False)
    assert _samples(metrics)[_key("niuma_channel_up", channel="feishu", account="main")] == 0


def test_card_writes_are_read_where_they_are_counted() -> None:
    metrics = Metrics()
    totals = {"wanted": 10, "written": 4, "merged": 6}
    metrics.watch_writes("feishu", "main", lambda: totals)
    metrics.watch_writes("feishu", "other", lambda: {})
    key = _key("niuma_card_writes_total", channel="feishu", account="main", result="written")
    assert _samples(metrics)[key] == 4
    totals["written"] = 9
    samples = _samples(metrics)
    assert samples[key] == 9
    assert samples[_key("niuma_card_writes_total", channel="feishu", account="main", result="refused")] == 0
    assert samples[_key("niuma_card_writes_total", channel="feishu", account="other", result="wanted")] == 0


def test_two_gateways_in_one_process_do_not_mix() -> None:
    first, second = Metrics(), Metrics()
    first.run_ended("failed")
    assert _key("niuma_runs_total", status="failed") not in _samples(second)
