"""The part of the channel contract that speaks of files: `can_send_files` is true only where these checks pass."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from channels.errors import Rejected
from channels.events import OutFile
from channels.testing.harness import Harness, killed, new_run
from channels.testing.journal import MemoryJournal

_TWO_HOURS_S = 7200.0
"""Longer than any platform remembers the key of a message."""
_PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(64)


async def sends_a_file_once(harness: Harness) -> None:
    """The same key is one file, with its journal and, for a while, without; its name is there to read."""
    channel, place, key, journal = await harness.make_channel(), harness.conversation(), new_run(), MemoryJournal()
    report = _file("report.csv")
    first = await harness.finish(channel.send_file(place, report, journal, reply_to=None, key=key))
    again = await harness.finish(channel.send_file(place, report, journal.next_attempt(), reply_to=None, key=key))
    assert first.message_ids and first.message_ids == again.message_ids
    assert f"file/{key}" in journal.ran
    assert all(path.startswith(f"file/{key}") for path in journal.ran), journal.ran
    await _seen(harness, report.name, times=1)


async def sends_files_of_one_name_each(harness: Harness) -> None:
    """Two files are two messages, however alike they are; a picture is sent too."""
    channel, place, ids = await harness.make_channel(), harness.conversation(), set[tuple[str, ...]]()
    chart = OutFile("chart.png", "image/png", _PICTURE)
    for file in (_file("report.csv"), _file("report.csv"), chart):
        work = channel.send_file(place, file, MemoryJournal(), reply_to=None, key=new_run())
        ids.add((await harness.finish(work)).message_ids)
    assert len(ids) == 3, ids


async def sends_a_file_after_its_question_was_taken_back(harness: Harness) -> None:
    """The message that is answered is gone: the file goes to the conversation."""
    channel, question = await harness.make_channel(), await harness.ask()
    await harness.take_back(question)
    work = channel.send_file(
        harness.conversation(), _file("late.csv"), MemoryJournal(), reply_to=question, key=new_run()
    )
    await harness.finish(work)
    await _seen(harness, "late.csv", times=1)


async def refuses_an_empty_file_for_good(harness: Harness) -> None:
    """There is nothing to send: the refusal says that a repeat would meet it again, and nothing is shown."""
    channel, empty = await harness.make_channel(), OutFile("empty.csv", "text/csv", b"")
    work = channel.send_file(harness.conversation(), empty, MemoryJournal(), reply_to=None, key=new_run())
    try:
        await harness.finish(work)
    except Rejected as error:
        assert not error.works_again
    else:
        raise AssertionError("an empty file was sent")
    await _seen(harness, "empty.csv", times=0)


async def sends_a_file_once_whatever_record_was_lost(harness: Harness) -> None:
    """Killed after any step of a file and before its record, tried again two hours later: there once."""
    channel, place, learned = await harness.make_channel(), harness.conversation(), MemoryJournal()
    await harness.finish(channel.send_file(place, _file("first.csv"), learned, reply_to=None, key="first"))
    for number, path in enumerate(learned.ran):
        key, journal, file = new_run(), MemoryJournal(), _file(f"report{number}.csv")
        journal.lose.add(path.replace("file/first", f"file/{key}"))
        await killed(harness, channel.send_file(place, file, journal, reply_to=None, key=key))
        channel = await harness.later(_TWO_HOURS_S)
        await harness.finish(channel.send_file(place, file, journal.next_attempt(), reply_to=None, key=key))
        await _seen(harness, file.name, times=1)


Check = Callable[[Harness], Coroutine[Any, Any, None]]

FILES: tuple[Check, ...] = (
    sends_a_file_once,
    sends_files_of_one_name_each,
    sends_a_file_after_its_question_was_taken_back,
    refuses_an_empty_file_for_good,
    sends_a_file_once_whatever_record_was_lost,
)


def _file(name: str) -> OutFile:
    return OutFile(name, "text/csv", f"month,amount\nMay,{new_run()}\n".encode())


async def _seen(harness: Harness, name: str, *, times: int) -> None:
    visible = await harness.visible_text(harness.conversation())
    assert visible.count(name) == times, f"{name!r} is shown {visible.count(name)} times in {visible!r}"
