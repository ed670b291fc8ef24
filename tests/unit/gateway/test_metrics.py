from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from channels.capabilities import Capabilities
from channels.pacing import Pacer
from engine.events import EventStatus, EventType, RunEvent
from engine.messages import RunId
from gateway.clock import FakeClock
from gateway.metrics import MOST_NAMES, Metrics, WatchedChannel


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


def call(type: EventType, status: EventStatus, **content: object) -> RunEvent:
    return RunEvent(run=RunId("r"), type=type, status=status, content=content)


def test_calls_are_counted_by_model_and_tool_with_their_results_and_times() -> None:
    metrics = Metrics()
    failed = [{"model": "main", "error": "model_timeout"}]
    used = {"input_tokens": 10, "output_tokens": 2, "cost": 0.25, "took_ms": 900}
    metrics.recorded(call("usage", "success", model="spare", failed=failed, **used))
    metrics.recorded(call("usage", "fail", model="main", error="model_auth", cost=None))
    metrics.recorded(call("usage", "success", model="old", input_tokens=1, output_tokens=1, cost=None))
    metrics.recorded(call("bash", "success", name="shell_command", took_ms=20))
    metrics.recorded(call("tool", "fail", name="x" * 2000, error="tool_not_found"))
    metrics.recorded(call("bash", "in_progress", name="shell_command"))
    found = samples(metrics)
    calls = {name: value for name, value in found.items() if "_calls_total" in name}
    assert calls == {
        "niuma_model_calls_total[('model', 'spare'), ('result', 'ok')]": 1,
        "niuma_model_calls_total[('model', 'main'), ('result', 'model_timeout')]": 1,
        "niuma_model_calls_total[('model', 'main'), ('result', 'model_auth')]": 1,
        "niuma_model_calls_total[('model', 'old'), ('result', 'ok')]": 1,
        "niuma_tool_calls_total[('result', 'ok'), ('tool', 'shell_command')]": 1,
        "niuma_tool_calls_total[('result', 'tool_not_found'), ('tool', 'unknown')]": 1,
    }
    assert found["niuma_model_seconds_sum[('model', 'spare')]"] == 0.9
    assert found["niuma_tool_seconds_count[('tool', 'shell_command')]"] == 1
    costs = {name: value for name, value in found.items() if "cost_usd_total" in name}
    assert costs == {"niuma_model_cost_usd_total[('model', 'spare')]": 0.25}, "an unknown price is no price of 0"


def test_names_and_codes_cannot_fill_the_memory() -> None:
    metrics = Metrics()
    for n in range(3 * MOST_NAMES):
        metrics.recorded(call("tool", "fail", name=f"tool{n}", error=f"code{n}"))
    made = [name for name in samples(metrics) if name.startswith("niuma_tool_calls_total")]
    assert len(made) == MOST_NAMES + 1
    assert samples(metrics)["niuma_tool_calls_total[('result', 'other'), ('tool', 'other')]"] == 2 * MOST_NAMES
