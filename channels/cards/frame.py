"""One preview: the snapshot it shows, the requests it sends, and the kinds it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, field

from channels.cards.model import Card
from channels.cards.ports import CardSink, Write
from channels.cards.skips import Skips


@dataclass(slots=True)
class Frame:
    """What was planned for a snapshot."""

    card: Card
    is_fresh: bool
    """The snapshot was never tried before; otherwise the plan only asks whether anything is left to write."""
    writes: list[Write] = field(default_factory=list[Write])
    methods: tuple[str, ...] = ()
    """Of the requests, each once."""
    skipped: list[str] = field(default_factory=list[str])

    @property
    def is_empty(self) -> bool:
        """Tell whether the reader sees all of the snapshot already."""
        return not self.writes and not self.skipped


def plan_frame(sink: CardSink, skips: Skips, card: Card, *, is_fresh: bool) -> Frame:
    """Plan a preview: the beginning of the sink's plan in which no method is needed twice, without skipped kinds."""
    frame, methods = Frame(card, is_fresh), list[str]()
    for write in sink.plan(card, final=False):
        if write.method in methods:
            break
        if skips.skips(write.kind):
            frame.skipped.append(write.kind)
            continue
        methods.append(write.method)
        frame.writes.append(write)
    frame.methods = tuple(methods)
    return frame
