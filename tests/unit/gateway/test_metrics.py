from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from channels.capabilities import Capabilities
from channels.pacing import Pacer
from gateway.clock import FakeClock
from gateway.metrics import Metrics, WatchedChannel


def samples(metrics: Metrics) -> dict[str, float]:
    families = text_string_to_metric_families(metrics.render().decode())
    every = [sample for family in families for sample in family.samples]
    return {f"{sample.name}{sorted(sample.labels.items())}": sample.value for sample in every}


def test_what_happened_is_counted() -> None:
    metrics = Metrics()
    metrics.run_ended("done")
    metrics.run_ended("done")
    metrics.event("fake", "main", "message")
    metrics.submitted(0.004)
    found = samples(metrics)
    assert found["niuma_runs_total[('status', 'done')]"] == 2
    assert found["niuma_events_total[('account', 'main'), ('channel', 'fake'), ('kind', 'message')]"] == 1
    assert found["niuma_submit_seconds_count[]"] == 1


async def test_channels_are_read_at_each_scrape(clock: FakeClock) -> None:
    metrics, pacer, up = Metrics(), Pacer(Capabilities(can_update_cards=True, can_press_buttons=True), clock), [True]
    metrics.watch(WatchedChannel("fake", "main", lambda: up[0], pacer.statistics))
    labels = "[('account', 'main'), ('channel', 'fake')]"
    assert samples(metrics)[f"niuma_channel_up{labels}"] == 1
    assert samples(metrics)[f"niuma_live_cards{labels}"] == 0
    card = pacer.join()
    assert card is not None
    up[0] = False
    pacer.log.written += 3
    pacer.log.gap.add(0.21)
    found = samples(metrics)
    assert found[f"niuma_channel_up{labels}"] == 0
    assert found[f"niuma_live_cards{labels}"] == 1
    assert found["niuma_card_writes_total[('account', 'main'), ('channel', 'fake'), ('result', 'written')]"] == 3
    assert found["niuma_card_gap_seconds[('account', 'main'), ('channel', 'fake'), ('quantile', '0.5')]"] == 0.21


def test_dead_letters_are_counted_and_come_back() -> None:
    metrics = Metrics()
    metrics.letter_died("down")
    metrics.dead_letters(1)
    assert "niuma_letters_died_total 1.0" in metrics.render().decode()
    assert "niuma_dead_letters 1.0" in metrics.render().decode()
    metrics.dead_letters(0)
    assert "niuma_dead_letters 0.0" in metrics.render().decode()
