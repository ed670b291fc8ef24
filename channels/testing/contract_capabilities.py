"""The part of the channel contract that proves capabilities: a flag is true only where these checks pass."""

from __future__ import annotations

from channels.cards.model import Action, CardStatus
from channels.testing.harness import Harness, card, close, new_run, opened, seen_once

_TICKS = 20


async def knows_its_own_methods(harness: Harness) -> None:
    """What streams is a method with a limit, and a stream is renewed before its life is over."""
    can = (await harness.make_channel()).capabilities
    assert can.streaming_methods <= can.methods.keys()
    assert (can.renew_after_s is None) == (can.stream_life_s is None)
    assert can.renew_after_s is None or can.stream_life_s is None or can.renew_after_s < can.stream_life_s


async def outlives_its_stream(harness: Harness) -> None:
    """A card that grows for longer than a stream lives goes on growing, without one refusal (`stream_life_s`)."""
    channel, run = await harness.make_channel(), new_run()
    life_s = channel.capabilities.stream_life_s
    if life_s is None:
        return
    stream, before = await opened(harness, channel, run), await harness.refusals()
    text = ""
    for number in range(_TICKS + 4):
        text += f"word{number} "
        stream.show(card(text))
        await harness.pass_time(life_s / _TICKS)
    assert f"word{_TICKS + 3} " in await harness.visible_text(harness.conversation())
    closed = await close(harness, stream, text + "the end")
    assert closed.seen, closed
    assert await harness.refusals() == before
    await seen_once(harness, text + "the end", messages=1)


async def hands_a_press_on(harness: Harness) -> None:
    """A button that is shown can be pressed, and what it carries comes back (`can_press_buttons`)."""
    channel, run = await harness.make_channel(), new_run()
    stream, approve = await opened(harness, channel, run), Action("approve", "Approve", run, "n1", audience="somebody")
    stream.show(card("may I?", CardStatus.WAITING, actions=(approve,)))
    await harness.pass_time(1.0)
    pressed = await harness.press(approve)
    assert dict(pressed.value) == approve.value()
    assert pressed.conversation == harness.conversation()
    closed = await close(harness, stream, "may I? thanks")
    assert closed.seen, closed
