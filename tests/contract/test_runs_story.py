"""A run's story, told from what is stored: of runs at work, of ended ones, and of those of older versions."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from engine.agent.context import Equipment
from engine.agent.loop import Agent
from engine.agent.route import Route
from engine.agent.routing import STEP, route_events
from engine.errors import AuthFailed, Unavailable
from engine.messages import Usage
from engine.models.base import Model
from engine.models.fallback import FallbackModel
from engine.ports import Outcome, RunScope
from engine.runs.story import Beat, beats_of_events, beats_of_steps
from engine.runs.totals import totals
from engine.runtime import Dossier
from engine.settings import EngineSettings
from engine.storage.database import FILE_NAME, Database
from engine.storage.statement import execute
from engine.testing.scope import MemoryScope, run_input
from engine.testing.scripted import ScriptedModel, Turn, call
from engine.tools.registry import ToolSet
from engine.tools.send_note import SendNote
from gateway.cli.runs_data import shown
from gateway.cli.runs_shown import page
from gateway.cli.runs_story import Words
from gateway.clock import FakeClock, SystemClock
from gateway.metrics import Metrics
from gateway.migrations import migrate
from tests.contract.conftest import Place
from tests.contract.processes.house import House, running
from tests.contract.test_runs_archive import visiting
from tests.replay.stored_state import FOLDER

TOKEN = "sk-live-1234567890abcdef"


class OneModel:
    def __init__(self, model: Model) -> None:
        self._model = model

    def get(self, name: str | None = None) -> Model:
        return self._model

    async def aclose(self) -> None: ...


def agent(house: House, model: Model, home: Path) -> Agent:
    settings = EngineSettings(home=home)
    return Agent(Equipment(settings, house.runtime.database, OneModel(model), ToolSet([SendNote()]), SystemClock()))


def kinds(dossier: Dossier) -> list[str]:
    return [beat.kind for beat in dossier.story]


async def test_a_story_has_each_call_the_question_and_the_end(place: Place) -> None:
    note = call("send_note", {"text": f"the key is {TOKEN}"})
    turns = [Turn(fails=AuthFailed()), Turn("I note it.", calls=[note]), Turn(f"Noted {TOKEN}.", usage=Usage())]
    main, spare = ScriptedModel(turns[:1] * 2, name="main"), ScriptedModel(turns[1:], name="spare")
    chain = FallbackModel([main, spare], SystemClock())
    asked: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def work(scope: RunScope) -> Outcome:
        return await agent(await asked, chain, place.home)(scope)

    async with running(place.url, place.home, work) as house, visiting(place.url, place.home) as archive:
        house.runs.replica.watcher = metrics = Metrics()
        asked.set_result(house)
        run = (await house.say(f"remember {TOKEN}")).run
        question = await waiting_question(house, run)
        halfway = await archive.show(run)
        assert halfway is not None
        begun = ["asked", "claimed", "context", "model", "notice", "approval"]
        assert kinds(halfway) == begun, "while the gateway works on it"
        assert [(each.what, each.person) for each in halfway.waits] == [("person", "ann")]
        await house.press(run, "approve", nonce=question)
        await house.ended(run)
        told = await archive.show(run)
    assert told is not None
    counted = metrics.render().decode()
    assert 'niuma_model_calls_total{model="main",result="model_auth"} 2.0' in counted, "each stored call once"
    assert 'niuma_model_calls_total{model="spare",result="ok"} 2.0' in counted
    assert 'niuma_tool_calls_total{result="ok",tool="send_note"} 1.0' in counted and TOKEN not in counted
    assert kinds(told) == [*begun, "said", "approval", "tool", "model", "notice", "ended", "delivery"]
    first, second = (beat.facts for beat in told.story if beat.kind == "model")
    assert first["retried"] == [{"model": "main", "error": "model_auth"}] and first["calls"] == ["send_note"]
    assert (first["input_tokens"], first["cost"]) == (10, 0.001)
    assert (second["input_tokens"], second["cost"], second["ended"]) == (None, None, "stop"), "unknown, not 0"
    assert all(each["took_ms"] is not None for each in (first, second))
    sums = {each.name: (each.calls, each.failed, each.uncounted, each.cost) for each in told.totals.models}
    assert sums == {"main": (2, 2, 2, None), "spare": (2, 0, 1, 0.001)}
    assert [(each.name, each.calls, each.failed) for each in told.totals.tools] == [("send_note", 1, 0)]
    pages = ["\n".join(page(told, Words("en"), with_text=text)) for text in (False, True)]
    data = [json.dumps(shown(told, with_text=text)) for text in (False, True)]
    assert [each for each in (*pages, *data) if TOKEN in each] == [], "R51: no key in what an operator reads"
    assert ["remember" in each for each in (*pages, *data)] == [False, True, False, True]
    assert "model spare: 2 calls, 0 failed" in pages[0] and "tokens 10 + 5 + 1 calls not counted" in pages[0]
    assert pages[0].count("before it failed main: model_auth") == 2


@pytest.mark.parametrize("used", [0, 7], ids=["by rules", "by a model"])
def test_the_way_is_told_once_whoever_decided_it(used: int) -> None:
    scope = MemoryScope(run_input("q"), FakeClock())
    route = Route(way="team", by="model", reason="it said so", intent="plan", usage=Usage(input_tokens=used))
    events = route_events(scope, route, "small", has_domains=False, at_ms=1)
    told = list(beats_of_events(events))
    assert [beat.kind for beat in told if beat.path == STEP] == (["route", "model"] if used else ["route"])
    assert (told[0].facts["way"], told[0].facts["intent"], told[0].words) == ("team", "plan", "it said so")
    assert list(beats_of_steps([(STEP, 1, route.model_dump_json())], set())) == []


async def waiting_question(house: House, run: str) -> str:
    sql = "SELECT body FROM nm_event WHERE run = :run AND type = 'approval'"
    for _ in range(1000):
        row = (await house.runtime.database.read(lambda s: execute(s, sql, run=run).all())) or None
        if row:
            return str(json.loads(row[0].body)["content"]["id"])
        await asyncio.sleep(0.01)
    raise AssertionError("nobody was asked")


async def test_a_failed_call_is_told_with_its_reason(sqlite_template: Path, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(sqlite_template.read_bytes())
    asked: asyncio.Future[House] = asyncio.get_running_loop().create_future()

    async def work(scope: RunScope) -> Outcome:
        return await agent(await asked, ScriptedModel([Turn("hal", fails=Unavailable())], name="main"), tmp_path)(scope)

    async with running("sqlite", tmp_path, work) as house, visiting("sqlite", tmp_path) as archive:
        asked.set_result(house)
        run = (await house.say("hello")).run
        assert (await house.ended(run)).status == "failed"
        told = await archive.show(run)
    assert told is not None
    (failed,) = (beat.facts for beat in told.story if beat.kind == "model")
    assert (failed["ended"], failed["error"], failed["input_tokens"]) == ("failed", "model_unavailable", None)
    assert "failed (model_unavailable)" in "\n".join(page(told, Words("en"), with_text=False))
    assert "模型 main：失败（model_unavailable）" in "\n".join(page(told, Words("zh"), with_text=False))


OLD = sorted(FOLDER.glob("*/after_[fio]*.db.gz"))


@pytest.mark.parametrize("packed", OLD, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[0]}")
async def test_runs_of_older_versions_have_a_story(packed: Path, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress(packed.read_bytes()))
    database = Database("sqlite", tmp_path)
    migrate(database)
    steps = database.read_now(lambda s: execute(s, "SELECT run, path FROM nm_step").all())
    runs = database.read_now(lambda s: execute(s, "SELECT id FROM nm_run").scalars().all())
    database.close()
    async with visiting("sqlite", tmp_path) as archive:
        for run in runs:
            told = await archive.show(run)
            assert told is not None and told.story[0].kind == "asked"
            calls = [beat for beat in told.story if beat.kind in ("model", "tool")]
            made = {step.path for step in steps if step.run == run}
            assert {beat.path for beat in calls} >= {each for each in made if each.startswith("model/")}
            assert all(beat.facts["took_ms"] is None for beat in calls), "nobody measured then"
            assert page(told, Words("en"), with_text=True) and shown(told, with_text=True)


def test_a_sum_says_what_it_leaves_out() -> None:
    def model(**facts: Any) -> Beat:
        usual = {"model": "m", "took_ms": 1000, "input_tokens": 5, "output_tokens": 2, "cost": 0.5, "retried": []}
        return Beat("model", 1, facts={**usual, "error": None, **facts})

    unknown = model(took_ms=None, input_tokens=None, output_tokens=None, cost=None)
    (one,) = totals([model(), unknown, model(cost=None), model(error="model_timeout")]).models
    assert (one.calls, one.failed, one.took_ms, one.untimed) == (4, 1, 3000, 1)
    assert (one.input_tokens, one.output_tokens, one.uncounted) == (15, 6, 1)
    assert (one.cost, one.unpriced) == (1.0, 2)
    assert totals([unknown]).used.cost is None
