"""Permissions for longer than one call: what they cover, when they end, and what no permission answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.agent.covering import cover_of
from engine.agent.state import Reviewed
from engine.permissions import Approvals, Policy, Role, Rule, Ruling, Touches
from engine.permissions.audit import Entry, decisions, note
from engine.permissions.grants import end_in, listed, take_back
from engine.sessions.store import close_conversation
from engine.storage.statement import execute
from engine.testing.scripted import Turn, call
from tests.unit.engine.agent.conftest import Bench, FakeTool, until


class Asker:
    """Runs one call after another, each a run of its own, and tells what was asked."""

    def __init__(self, bench: Bench, tool: FakeTool) -> None:
        self.bench, self.tool = bench, tool
        bench.tools = [tool]
        self.number = 0

    async def run(self, args: dict[str, Any] | None = None, *, answer: str = "", **given: Any) -> str:
        """Give `not asked`, or what the question offered, after answering it with `answer` (no answer: deny)."""
        self.number += 1
        self.bench.script(Turn(calls=[call(self.tool.name, args or {})]), Turn("ok"))
        scope = self.bench.scope(run=f"{self.number:026}")
        scope.input = scope.input.model_copy(update=given)
        task = self.bench.start(scope)
        asked = await until(lambda: task.done() or scope.events("approval"))
        if not isinstance(asked, list):
            await task
            return "not asked"
        content = asked[0].content
        more = {"lasting": answer} if answer not in ("", "once") else {}
        scope.answer(content["id"], "approve" if answer else "deny", by=scope.input.by.id, **more)
        await asyncio.wait_for(task, 5)
        return " ".join(content.get("offers", {"once only": []}))

    @property
    def runs(self) -> int:
        return len(self.tool.runs)


def changing(name: str = "change", **touches: Any) -> FakeTool:
    tool = FakeTool(name, effect="once", asks=True)
    tool.touched = Touches(**touches)
    return tool


def admin(bench: Bench) -> Any:
    return bench.scope().input.by.model_copy(update={"rank": "admin"})


async def entries(bench: Bench, run: int) -> list[tuple[str, str]]:
    found = await bench.database.read(lambda s: decisions(s, run=f"{run:026}"))
    return [(each.decided, each.tool) for each in reversed(found)]


async def test_a_conversation_grant_covers_the_same_path_until_the_conversation_starts_over(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    assert await asker.run(answer="conversation") == "conversation"
    assert await asker.run({"text": "other words"}) == "not asked"
    asker.tool.touched = Touches(writes=("b.txt",))
    assert await asker.run() == "conversation", "another place is another question"
    asker.tool.touched = Touches(writes=("a.txt",))
    assert await asker.run(to="test:main:t1:c2") == "conversation", "another conversation"
    somebody = bench.scope().input.by.model_copy(update={"id": "u2"})
    assert await asker.run(by=somebody) == "conversation", "another person"
    await bench.database.run(lambda s: close_conversation(s, "test:main:t1:c1"))
    assert await asker.run() == "conversation", "a new session"
    assert asker.runs == 2


async def test_new_takes_a_conversations_grants_away_and_leaves_lasting_ones(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    assert await asker.run(answer="conversation", by=admin(bench)) == "conversation always"
    asker.tool.touched = Touches(writes=("b.txt",))
    await asker.run(answer="always", by=admin(bench))
    assert await bench.database.run(lambda s: end_in(s, "test:main:t1:c1")) == 1
    assert await asker.run(by=admin(bench), to="test:main:t1:c2") == "not asked"
    (left,) = await bench.database.read(listed)
    assert (left.lifetime, left.covers) == ("always", '{"kind": "paths", "what": ["b.txt"]}')
    await bench.database.run(lambda s: take_back(s, left.id, by="operator", at_ms=1))
    assert await asker.run(by=admin(bench)) == "conversation always"


async def test_a_longer_answer_than_was_offered_counts_once(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    assert await asker.run(answer="always") == "conversation"
    assert await bench.database.read(listed) == [] and asker.runs == 1
    assert await asker.run() == "conversation"


async def test_every_decision_is_a_row(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    await asker.run({"text": "key: sk-live-1234567890"}, answer="conversation")
    await asker.run()
    await asker.run(to="test:main:t1:c2")
    bench.policy = Policy([Rule(id="no", verdict="deny")], {"main": Role()})
    await asker.run()
    bench.policy = Policy([Rule(id="yes", verdict="allow")], {"main": Role()})
    await asker.run()
    told = [await entries(bench, run) for run in range(1, 6)]
    assert told == [
        [("asked", "change"), ("approved_conversation", "change")],
        [("granted", "change")],
        [("asked", "change"), ("denied", "change")],
        [("refused", "change")],
        [("allowed", "change")],
    ]
    first = (await bench.database.read(lambda s: decisions(s, run=f"{1:026}")))[-1]
    assert "sk-live" not in first.args and "[hidden]" in first.args
    assert (first.person, first.rank, first.conversation) == ("person::t1:u1", "member", "test:main:t1:c1")
    assert first.open_until_ms is None, "the answer closed it"


async def test_a_harmless_call_is_a_row_too_once_over_a_crash(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.script(Turn(calls=[call("look")]), Turn("ok"))
    scope = bench.scope(run=f"{1:026}")
    scope.crash_before_recording("model/1")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    bench.script(Turn("ok"))
    await bench.start(scope.resume())
    assert await entries(bench, 1) == [("allowed", "look")]


async def test_what_must_be_asked_each_time_is_not_answered_by_a_grant(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    await asker.run(answer="conversation")
    bench.policy = Policy([Rule(id="each", verdict="ask", each_time=True)], {"main": Role()})
    assert await asker.run(answer="conversation") == "once only"
    assert await asker.run() == "once only"


async def test_a_grant_sends_nothing_once_strangers_words_were_read(bench: Bench) -> None:
    asker = Asker(bench, changing(hosts=("api.example.com",), sends=True))
    await asker.run(answer="conversation")
    assert await asker.run() == "not asked"
    asker.tool.is_foreign = True
    assert await asker.run() == "once only", "its own results are strangers' words now"


async def test_a_schedule_has_what_was_granted_to_it_and_nothing_of_a_person(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    await asker.run(answer="always", by=admin(bench))
    assert await asker.run(by=admin(bench)) == "not asked"
    assert await asker.run(by=admin(bench), schedule="daily", answer="always") == "always"
    assert await asker.run(by=admin(bench), schedule="daily") == "not asked"
    assert await asker.run(by=admin(bench), schedule="weekly") == "always"


async def test_a_cut_call_is_asked_about_also_where_it_was_granted(bench: Bench) -> None:
    asker = Asker(bench, changing(writes=("a.txt",)))
    await asker.run(answer="conversation")
    bench.script(Turn(calls=[call("change", {})]), Turn("ok"))
    scope = bench.scope(run=f"{9:026}")
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    after = scope.resume()
    task = bench.start(after)
    asked = await until(lambda: after.events("approval"))
    assert asked[0].content["reason"] == "cut" and "offers" not in asked[0].content
    after.answer(asked[0].content["id"], "deny")
    await task
    assert asker.runs == 2


async def test_too_many_open_questions_are_not_put_and_the_model_is_told(bench: Bench) -> None:
    bench.policy = Policy((), {"main": Role()}, approvals=Approvals(open_per_conversation=2))
    tool = changing(writes=("a.txt",))
    asker = Asker(bench, tool)

    def waits(session: Any) -> None:
        for run, status in (("a", "running"), ("b", "running"), ("c", "done")):
            execute(session, "INSERT INTO nm_run (id, status) VALUES (:id, :status)", id=run, status=status)
            at_ms, until_ms = bench.clock.now_ms(), bench.clock.now_ms() + (1 if run == "c" else 1000)
            where = "test:main:t1:c1"
            note(session, Entry(at_ms, "asked", run=run, path="p", conversation=where, open_until_ms=until_ms))

    await bench.database.run(waits)
    model = bench.script(Turn(calls=[call("change", {})]), Turn("ok"))
    scope = bench.scope(run=f"{7:026}")
    assert (await bench.agent()(scope)).status == "done"
    assert asker.runs == 0 and scope.events("approval") == []
    assert "Too many questions wait" in model.requests[1].messages[-1].text
    assert await entries(bench, 7) == [("crowded", "change")]
    assert await asker.run(to="test:main:t1:c2") == "conversation", "another conversation has room"
    await bench.clock.advance(1.1)
    assert await asker.run() == "conversation", "nobody can answer those any more"


@pytest.mark.parametrize(
    "command", ["cd . && python job.py", "(python 'job.py')|cat", "awk -fjob.py x", "cat * job.py"]
)
@pytest.mark.parametrize("each_time", [False, True])
async def test_what_can_be_allowed_once_only_is_bound_to_its_files_too(
    bench: Bench, command: str, each_time: bool
) -> None:
    tool = changing("shell_command", command=command)
    bench.tools = [tool]
    ask = Rule(id="each", verdict="ask", each_time=each_time)
    bench.policy = Policy([ask], {"main": Role()})
    script = bench.workspace / "job.py"
    script.write_text("print(1)")
    for number, words in enumerate(("print(1)", "print(2)"), 1):
        bench.script(Turn(calls=[call("shell_command", {})]), Turn("ok"))
        scope = bench.scope(run=f"{number:026}")
        task = bench.start(scope)
        asked = await until(lambda scope=scope: scope.events("approval"))
        script.write_text(words)
        scope.answer(asked[0].content["id"], "approve")
        await task
        assert scope.events("approval")[-1].content["state"] == ("approved" if number == 1 else "changed")
    assert len(tool.runs) == 1


async def test_a_script_changed_while_it_is_asked_about_is_not_run(bench: Bench) -> None:
    tool = changing("shell_command", command="python job.py")
    bench.tools = [tool]
    script = bench.workspace / "job.py"
    script.write_text("print(1)")
    bench.script(Turn(calls=[call("shell_command", {})]), Turn("ok"))
    scope = bench.scope()
    task = bench.start(scope)
    asked = await until(lambda: scope.events("approval"))
    assert asked[0].content["covers"] == {"kind": "command", "what": ["python job.py"]}
    script.write_text("print(2)")
    scope.answer(asked[0].content["id"], "approve", lasting="conversation")
    await task
    assert tool.runs == [] and await bench.database.read(listed) == []
    assert scope.events("approval")[-1].content["state"] == "changed"


@pytest.mark.parametrize(
    ("command", "is_bound"),
    [
        ("python job.py", True),
        ("python ./sub/../job.py", True),
        ("python /workspace/job.py", True),
        ("run --file=job.py", True),
        ("awk -fjob.py x", True),
        ("curl -d @job.py x", True),
        ("git status", False),
    ],
)
async def test_a_command_is_bound_to_the_files_it_names(bench: Bench, command: str, is_bound: bool) -> None:
    (bench.workspace / "sub").mkdir()
    script = bench.workspace / "job.py"
    item = reviewed(changing("shell_command", command=command))
    before = await cover_of(item, bench.workspace)
    script.write_text("print(2)")
    after = await cover_of(item, bench.workspace)
    assert before is not None and after is not None and (before.key != after.key) == is_bound


@pytest.mark.parametrize("command", ["ls | sh", "cd sub && ./x", "python $X", "cat *", f"cat {'a' * 300}", "cat ring"])
async def test_nothing_lasting_for_what_nobody_can_tell(bench: Bench, command: str) -> None:
    (bench.workspace / "ring").symlink_to("ring")
    assert await cover_of(reviewed(changing("shell_command", command=command)), bench.workspace) is None


async def test_nothing_lasting_for_a_file_too_large_to_read(bench: Bench) -> None:
    with (bench.workspace / "big.bin").open("wb") as file:
        file.truncate(5_000_001)
    assert await cover_of(reviewed(changing("shell_command", command="run big.bin")), bench.workspace) is None


def reviewed(tool: FakeTool) -> Reviewed:
    return Reviewed(call(tool.name), tool, {}, Ruling("ask", "default"))
