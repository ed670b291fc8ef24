"""Killed at every failpoint, wherever niuma answers: the answer complete, shown once, on the first card.

On the embedded database the next process goes on; of three replicas on one Postgres the one with the failpoint gets the
message, and a peer goes on within the lease and a second. `NIUMA_TEST_POINTS=all` plays every point on both.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.texts.en import TEXTS
from tests.journeys.resumes import resumes, told
from tests.journeys.scripted_model import Call, Say
from tests.journeys.towns.late import button
from tests.journeys.towns.region import REDELIVERED_S, Corner, Region, answer_to, region
from tests.journeys.towns.town import Look
from tests.processes.figures import note
from tests.processes.fleet import PROFILES, Fleet, fleet
from tests.processes.replicas import TTL_S, Replica

BUDGET_S = {"postgres": TTL_S + 1.0, "sqlite": 3.0}
"""From the kill, or alone on a folder from the next start, to the first write of the new owner."""
BUSY_S = 2.0
"""What other tests beside this one may take of it; the full play has the machine for itself."""
AGAIN = TEXTS["approval.cut"].partition("; ")[2]
DOUBT = TEXTS["notice.unproven"].partition("{")[0]
OLD = (TEXTS["toast.already_approved_unnamed"], TEXTS["toast.approved"])
"""What a second press on an answered question is told; on DingTalk it is the same press again."""
ALL = os.environ.get("NIUMA_TEST_POINTS") == "all"
_EVERYWHERE = ("before_ingest:1", "after_ingest:1", "after_send:1", "after_final:1", "during_drain:1", "after_once:1")
TRIES = 4
POINTS = {
    "feishu": (*_EVERYWHERE, "after_create:1", "mid_stream:1", "mid_stream:6"),
    "slack-channel": (*_EVERYWHERE, "mid_stream:1", "mid_stream:2"),
    "slack-direct": (*_EVERYWHERE, "mid_stream:1", "mid_stream:3"),
    "dingtalk-card": (*_EVERYWHERE, "mid_stream:1", "mid_stream:3"),
    "dingtalk-card-direct": ("before_ingest:1", "after_send:1", "mid_stream:3"),
    "dingtalk-plain": (*_EVERYWHERE, "after_send:2"),
    "dingtalk-plain-group": ("before_ingest:1", "after_send:1", "after_send:2"),
}
"""`after_create` is Feishu's alone: elsewhere a message is created by sending it. Without a card
nothing streams, and the first thing that is sent is the sign that somebody reads, the second the answer."""
FEW = {
    "feishu": ("after_create:1", "mid_stream:6", "after_once:1"),
    "slack-channel": ("after_send:1", "during_drain:1"),
    "slack-direct": ("mid_stream:3", "after_once:1"),
    "dingtalk-card": ("before_ingest:1", "after_send:1", "after_once:1"),
    "dingtalk-plain": ("after_ingest:1",),
}
"""What three replicas play in every run of all tests."""
HALF = {
    "slack-channel": ("before_ingest:1", "after_send:1", "during_drain:1", "mid_stream:2"),
    "slack-direct": ("after_ingest:1", "after_final:1", "after_once:1", "mid_stream:1"),
    "dingtalk-card": ("after_ingest:1", "after_final:1", "during_drain:1", "mid_stream:1"),
    "dingtalk-card-direct": ("mid_stream:3",),
    "dingtalk-plain": ("after_once:1", "after_send:2"),
    "dingtalk-plain-group": ("before_ingest:1",),
}
"""What one process plays beside all of Feishu's; with `FEW`, every point once on every platform."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 if ALL else 240)]


class Scene:
    """One corner of the region, and the gateways; `kills` by the home of the killed."""

    def __init__(self, home: Path, region: Region, corner: Corner, fleet: Fleet) -> None:
        self.home = home
        self.region = region
        self.corner = corner
        self.fleet = fleet
        self.kills = defaultdict[Path, list[float]](list)
        self.looks: dict[str, str] = {}

    async def doomed(self, point: str) -> Replica:
        """Start the one that will die at a failpoint; it gets what is said."""
        drains = {"NIUMA_RUNS__DRAIN_S": "0.2"} if point.startswith("during_drain") else {}
        replica = await self.fleet.start(NIUMA_FAILPOINT=point, **drains)
        await self.fleet.connected(len(self.fleet.team))
        return replica

    async def asked_of(self, doomed: Replica, script: Callable[[str], object]) -> tuple[str, str]:
        """Ask until the doomed one takes the question up, or dies of it; gives its mark and its message."""
        for _ in range(TRIES):
            mark = self.region.mark()
            script(mark)
            question = self.corner.say(f"about {mark}")
            if await self._takes_up(doomed, mark):
                return mark, question
            await self._lets_pass(question)  # a peer was quicker, which is its right
        raise AssertionError(f"{TRIES} questions were taken by others\n{self.fleet.logs()}")

    async def _takes_up(self, doomed: Replica, mark: str) -> bool:
        taken = await self.fleet.until(lambda: not doomed.process.is_alive or self._taker(mark), "a claim")
        return taken in (True, doomed.home)

    async def _lets_pass(self, question: str) -> None:
        await self.fleet.until(lambda: self.corner.asks(question) or not self.open_runs(), "a question, or the end")
        if self.open_runs():
            await self.corner.press(question, "deny")
        await self.fleet.until(lambda: not self.open_runs(), "the end")

    def open_runs(self) -> list[Any]:
        """Give the runs that have not ended; what is shown without any is all that will be."""
        return self.fleet.rows("SELECT id FROM nm_run WHERE ended_at IS NULL")

    def _taker(self, mark: str) -> Path | None:
        """Give the home of whoever claimed the run of a question."""
        runs = {run for run, text in self.fleet.rows("SELECT id, input FROM nm_run") if mark in text}
        return next((line["home"] for line in self.fleet.claims() if line["run"] in runs), None)

    async def dies(self, replica: Replica) -> None:
        """Wait for its end, and let the next go on."""
        assert await replica.process.ended(30) == -9, self.fleet.logs()
        self.kills[replica.home].append(time.time())
        await self.fleet.end(replica)
        if self.fleet.database is None:
            self.kills[replica.home][-1] = time.time()
            await self.fleet.fill(1)

    async def answered(self, question: str, end: str) -> Look:
        """Wait for the whole answer."""
        look: Look = await self.fleet.until(lambda: self.corner.look(question, end), f"an answer to {question}")
        return look

    async def rest(self) -> None:
        """End the process that went on, where only one may be at a time; late pushes would kill the next one."""
        await self.region.acknowledged()
        for replica in list(self.fleet.team) if self.fleet.database is None else []:
            replica.process.terminate()
            assert await replica.process.ended() == 0, self.fleet.logs()
            await self.fleet.end(replica)


@asynccontextmanager
async def scene(profile: str, corner: str, home: Path) -> AsyncIterator[Scene]:
    async with (
        region() as place,
        fleet(profile, home, place.environment(), place.connections) as team,
    ):
        made = Scene(home, place, place.corners()[corner], team)
        if team.database is not None:
            await team.fill(team.size - 1)
        place.aim_at_newest()
        yield made


def chosen(profile: str, corner: str) -> tuple[str, ...]:
    usual = {**POINTS, **HALF} if profile == "sqlite" else FEW
    return POINTS[corner] if ALL else usual[corner]


PLAYED = [(profile, corner) for profile in PROFILES for corner in POINTS if ALL or profile == "sqlite" or corner in FEW]


@pytest.mark.parametrize(("profile", "corner"), PLAYED)
async def test_killed_at_every_failpoint(tmp_path: Path, profile: str, corner: str) -> None:
    async with scene(profile, corner, tmp_path) as s:
        for point in chosen(profile, corner):
            try:
                await (asks_again(s, point) if point.startswith("after_once") else goes_on(s, point))
            except AssertionError as error:
                raise AssertionError(f"{profile}, {corner}, {point}: {error}") from error
            await s.rest()
        assert not s.region.conflicts(), "no write of the old owner came after one of the new"
        found = resumes(s.fleet, s.kills, s.region.writes(s.looks))
    note(f"{profile} {corner}: {told(found)} {[f'{each.claimed_after_s:.1f}/{each.seconds:.1f}' for each in found]}")
    if s.corner.has_card and profile == "postgres":
        allowed_s = BUDGET_S[profile] + (0.0 if ALL else BUSY_S)
        late = [each for each in found if each.seconds > allowed_s]
        assert not late, late


async def goes_on(s: Scene, point: str) -> None:
    """Ask, kill at the failpoint, and see what an undisturbed answer looks like."""
    doomed = await s.doomed(point)
    words = 150 if point.startswith("mid_stream") else 60
    mark, question = await s.asked_of(doomed, lambda mark: s.region.tell(mark, words, every_s=0.04))
    answer = answer_to(mark, words)
    if point.startswith("during_drain"):
        await s.fleet.until(lambda: s.region.model.about(mark), "the model is asked")
        await asyncio.sleep(0.3)
        doomed.process.terminate()
    await s.dies(doomed)
    if point.startswith("before_ingest"):
        s.region.advance(REDELIVERED_S)
    await s.answered(question, f"{mark}end")
    await s.fleet.until(lambda: not s.open_runs(), "the end")
    # Without a card nobody can tell whether what was being sent arrived: the person is told how to see it again.
    in_doubt = not s.corner.has_card and point == "after_send:2"
    if in_doubt:
        await s.fleet.until(lambda: DOUBT in s.corner.town.street.heard(s.corner.where), "the doubt is told")
    look = await s.answered(question, f"{mark}end")
    assert (look.text.count(answer), look.messages - in_doubt) == (1, 1), look
    asked = len(s.region.model.about(mark))
    assert asked == 1 if point.split(":")[0] in ("before_ingest", "after_ingest", "after_final") else asked <= 2
    s.looks[mark] = plain(look.text.partition(DOUBT)[0], mark)
    if "undisturbed" not in s.looks:
        await looks_undisturbed(s)
    assert s.looks[mark] == s.looks["undisturbed"]


async def looks_undisturbed(s: Scene) -> None:
    mark = s.region.mark()
    s.region.tell(mark, 60, every_s=0.04)
    look = await s.answered(s.corner.say(f"about {mark}"), f"{mark}end")
    s.looks["undisturbed"] = plain(look.text, mark)


def plain(text: str, mark: str) -> str:
    """Give what is read without what differs between two answers to like questions.

    A replica that did not get the message itself has no session on DingTalk, and without one nobody can be mentioned.
    """
    short = re.sub(rf"( ?{mark}(\d+|end))+", " ANSWER", text).replace(mark, "MARK")
    return re.sub(r"\d+(\.\d+)? ?s\b", "_ s", re.sub(r"^@0147lin\s+", "", short)).strip()


async def asks_again(s: Scene, point: str) -> None:
    """A tool that must not run twice is cut by the kill: the card asks before it runs again, and no is no."""
    doomed = await s.doomed(point)

    def wants(mark: str) -> None:
        note = Call("send_note", json.dumps({"text": f"note {mark}"}))
        s.region.model.script([Say("I will send it."), note], [Say(f"That was {mark}end")], when=mark)

    mark, question = await s.asked_of(doomed, wants)
    await s.fleet.until(lambda: s.corner.asks(question), "the card asks")
    seen = button(s.corner.town, question, "approve") if s.corner.has_card else None
    pressing = asyncio.ensure_future(s.corner.press(question, "approve"))
    await s.dies(doomed)
    await asyncio.wait([pressing])
    await s.fleet.until(lambda: AGAIN in s.corner.town.street.heard(s.corner.where), "it asks again")
    await s.fleet.until(lambda: s.corner.asks(question), "with buttons")
    if seen is not None:
        told_so = await seen.press()
        assert any(each in told_so for each in OLD), "a button of the first question does nothing any more, and says so"
    await s.corner.press(question, "deny")
    look = await s.answered(question, f"{mark}end")
    assert look.messages == 1 or not s.corner.has_card, look
    await s.fleet.until(lambda: not s.open_runs(), "the end")
    notes = [line for file in s.home.rglob("outbox.txt") for line in file.read_text().splitlines()]
    assert notes.count(f"note {mark}") == 1, notes
    assert len(s.region.model.about(mark)) == 2, "no recorded step was repeated"


async def test_killed_while_a_message_waits_out_a_refusal_the_answer_is_sent_by_the_next(tmp_path: Path) -> None:
    async with scene("sqlite", "dingtalk-plain", tmp_path) as s:
        busy = {"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"}
        s.corner.town.street.fault("sendBySession", busy, times=-1)
        await s.fleet.fill(1)
        mark = s.region.mark()
        answer = s.region.tell(mark, 3)
        question = s.corner.say(f"about {mark}")
        await s.fleet.until(lambda: s.corner.town.street.entries("rest", "sendBySession"), "a try")
        await asyncio.sleep(0.3)
        s.fleet.team[0].process.kill()
        await s.dies(s.fleet.team[0])
        s.corner.town.street.sim.faults.clear()
        look = await s.answered(question, f"{mark}end")
        await s.fleet.until(lambda: not s.open_runs(), "the end")
        assert (look.text.count(answer), s.corner.town.street.count(s.corner.where)) == (1, 1), look
