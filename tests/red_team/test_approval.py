"""R53 to R60: what somebody may try with a question for approval. A call runs once, for whom it was asked, as asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.permissions import LivePolicy
from engine.permissions.grants import listed
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext
from engine.tools.declared.definition import Definition
from engine.tools.declared.script_tool import Outcome, Script, ScriptTool
from engine.tools.redaction import Secrets
from engine.tools.write_file import WriteFile
from gateway.clock import FakeClock
from gateway.paths import config_folder
from gateway.texts.en import TEXTS
from tests.journeys.house import CHEN, LIN, House, house
from tests.journeys.scripted_model import Call, Say
from tests.journeys.seen import Seen
from tests.unit.engine.agent.conftest import Bench, until

NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))


@pytest.fixture
def bench(clock: FakeClock, tmp_path: Path) -> Iterator[Bench]:
    """Give an agent under the rules that ship."""
    bench = Bench(clock, tmp_path)
    bench.policy = LivePolicy((config_folder(),))  # type: ignore[assignment]
    yield bench
    bench.database.close()


def toast(name: str) -> str:
    return TEXTS[f"toast.{name}"]


async def asking(h: House, words: str = "send a note please") -> tuple[str, Seen]:
    """Ask for something that needs approval; gives the question and the card that asks."""
    h.model.script([NOTE], [Say("It is sent.")], when=words)
    asked = await h.say(f"@niuma {words}")
    return asked, await h.sees(asked, lambda seen: "approve" in seen.buttons)


def notes(h: House) -> int:
    return sum(len(outbox.read_text().splitlines()) for outbox in h.home.rglob("outbox.txt"))


@pytest.mark.parametrize("button", ["approve", "approve_conversation"])
async def test_r53_another_members_press_is_told_so_and_runs_nothing(home: Path, button: str) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        assert await h.press_late(question, question.button(button), by=CHEN) == toast("not_yours")
        assert notes(h) == 0 and button in h.now(question).buttons
        assert await h.press(question, "deny") == toast("denied")
        await h.finished(asked)
        assert notes(h) == 0
        _, again = await asking(h, "another note")
        assert "approve" in again.buttons, "nothing was granted either"


async def test_r54_a_press_delivered_twice_and_after_a_restart_counts_once(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        button = question.button("approve_conversation")
        for _ in range(2):
            told = await h.press_late(question, button, event="evt_once")
            assert told == toast("approved_conversation")
        await h.finished(asked)
        await h.stop()
        await h.start()
        assert await h.press_late(question, button, event="evt_once") == toast("approved_conversation")
        assert await h.press_late(question, button) == toast("already_approved_unnamed")
        assert notes(h) == 1


async def test_r55_an_approval_is_for_the_call_that_was_shown(bench: Bench) -> None:
    bench.tools = [WriteFile()]
    write = [call("write_file", {"file_path": name, "content": "x"}, id=name) for name in ("a.txt", "b.txt")]
    bench.script(Turn(calls=write[:1]), Turn(calls=write[1:]), Turn("ok"))
    scope = bench.scope()
    task = bench.start(scope)
    (first,) = await until(lambda: scope.events("approval"))
    scope.answer(first.content["id"], "approve", lasting="conversation")
    second = (await until(lambda: scope.events("approval")[2:]))[0]
    assert second.content["args"]["file_path"] == "b.txt" and second.content["state"] == "pending"
    scope.answer(first.content["id"], "approve")
    await asyncio.sleep(0.02)
    assert not (bench.workspace / "b.txt").exists(), "an answer to the first question is none to the second"
    scope.answer(second.content["id"], "deny")
    await asyncio.wait_for(task, 5)
    assert [path.name for path in bench.workspace.iterdir()] == ["a.txt"]


async def test_r56_a_press_after_the_deadline_is_too_late(home: Path) -> None:
    async with house(home, {"agent.approval_timeout_s": "0.3"}) as h:
        asked, question = await asking(h)
        answer = await h.finished(asked)
        for button in ("approve", "approve_conversation"):
            assert await h.press_late(answer, question.button(button)) == toast("expired")
        assert TEXTS["approval.expired"] in answer.body and notes(h) == 0


async def test_r57_a_press_after_a_restart_runs_the_exact_call_once(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        await h.stop()
        await h.start()
        assert await h.press_late(question, question.button("approve_conversation")) == toast("approved_conversation")
        answer = await h.finished(asked)
        assert notes(h) == 1 and TEXTS["approval.lasting_conversation"] in answer.body
        h.model.script([NOTE], [Say("Sent again.")], when="once more")
        assert "Sent again." in (await h.finished(await h.say("@niuma once more"))).body
        assert notes(h) == 2, "what was granted before the restart holds after it"


class Scripts:
    """Instead of a sandbox: notes what would have run."""

    def __init__(self) -> None:
        self.ran: list[bytes] = []

    async def run_script(self, script: Script, context: ToolContext) -> Outcome:
        self.ran.append(script.content)
        return Outcome(0, "ran")


def tidy(scripts: Scripts, content: bytes, **handler: Any) -> ScriptTool:
    told = {"type": "script", "language": "python", "file": "tidy.py", **handler}
    definition = Definition.model_validate({"name": "tidy", "description": "Tidies up.", "handler": told})
    return ScriptTool(definition, definition.handler, content, scripts, Secrets({}))  # type: ignore[arg-type]


async def tidied(bench: Bench, run: int, *, lasting: str = "") -> bool:
    """Let an admin's run call `tidy` and answer its question, with no where nothing lasting is said."""
    bench.script(Turn(calls=[call("tidy", {})]), Turn("ok"))
    scope = bench.scope("tidy up", run=f"{run:026}")
    scope.input = scope.input.model_copy(update={"by": scope.input.by.model_copy(update={"rank": "admin"})})
    task = bench.start(scope)
    asked = await until(lambda: task.done() or scope.events("approval"))
    if isinstance(asked, list):
        more = {"lasting": lasting} if lasting else {}
        scope.answer(asked[0].content["id"], "approve" if lasting else "deny", **more)
    await asyncio.wait_for(task, 5)
    return bool(scope.events("approval"))


@pytest.mark.parametrize("changed", ["script", "definition"])
async def test_r58_a_changed_script_is_asked_about_again(bench: Bench, changed: str) -> None:
    scripts = Scripts()
    bench.tools = [tidy(scripts, b"print(1)")]
    assert await tidied(bench, 1, lasting="always")
    assert not await tidied(bench, 2)
    assert scripts.ran == [b"print(1)"] * 2
    if changed == "script":
        bench.tools = [tidy(scripts, b"steal()")]
    else:
        bench.tools = [tidy(scripts, b"print(1)", env={"HOME": "/"})]
    assert await tidied(bench, 3)
    assert scripts.ran == [b"print(1)"] * 2


async def test_r58_a_changed_file_that_a_command_names_is_asked_about_again(bench: Bench) -> None:
    from tests.unit.engine.agent.test_grants import Asker, admin, changing

    script = bench.workspace / "report.py"
    script.write_text("print(1)")
    asker = Asker(bench, changing("shell_command", command="python report.py"))
    await asker.run(answer="always", by=admin(bench))
    assert await asker.run(by=admin(bench)) == "not asked"
    script.write_text("steal()")
    assert await asker.run(by=admin(bench)) == "conversation always"
    assert asker.runs == 2


async def test_r59_what_was_granted_for_a_conversation_ends_with_it(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        covers = TEXTS["approval.covers_paths"].format(tool="send_note", what="outbox.txt")
        assert covers in question.body
        assert await h.press(question, "approve_conversation") == toast("approved_conversation")
        await h.finished(asked)
        h.model.script([NOTE], [Say("Sent again.")], when="once more")
        assert "Sent again." in (await h.finished(await h.say("@niuma once more"))).body and notes(h) == 2
        listing = await h.say("@niuma /grants")
        await h.until(lambda: any("send_note of outbox.txt" in str(each["text"]) for each in h.messages()), why=listing)
        await h.say("@niuma /new")
        await h.until(lambda: not h.unacked(), why="acked")
        _, again = await asking(h, "after new")
        assert "approve" in again.buttons and notes(h) == 2
        database = h.runtime.database
        assert await database.read(listed) == []


async def test_r60_a_forwarded_copy_of_the_question_answers_nothing(home: Path) -> None:
    async with house(home) as h:
        asked, question = await asking(h)
        elsewhere = h.sim.add_chat("elsewhere", [LIN, CHEN])
        for button in ("approve", "approve_conversation"):
            assert await h.press_late(question, question.button(button), chat=elsewhere) == toast("stale")
        assert notes(h) == 0 and "approve" in h.now(question).buttons
        assert await h.press(question, "deny") == toast("denied")
        await h.finished(asked)
