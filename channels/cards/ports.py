"""What the card writer asks of its host and of an adapter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from channels.cards.model import Card
from channels.events import Receipt
from channels.readable import Json


class Journal(Protocol):
    """Remembers what was done for this run, over crashes. The gateway passes the engine's in."""

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Run `fn` once and record its result under `path`; a recorded path gives the old result instead.

        Safe from several tasks at once. A path may be asked for once per attempt.
        """
        ...

    def recorded(self, path: str) -> Json | None:
        """Give what an earlier attempt recorded under `path`, without running anything."""
        ...

    async def guard(self) -> None:
        """Return while the run is ours: a `WriteGuard`, for requests that an adapter makes inside a step."""
        ...


class WriteGuard(Protocol):
    """Proves that this process still owns the run. Awaited after pacing, directly before each request.

    Raises:
        asyncio.CancelledError: ownership is lost; nothing more may be written.
    """

    async def __call__(self) -> None:
        """Return while the run is ours."""
        ...


async def unguarded() -> None:
    """Guard what belongs to no run."""


WriteKind = Literal["content", "batch", "create", "settings", "replace"]


@dataclass(frozen=True, slots=True)
class Write:
    """One request that brings the platform's card closer to the snapshot it was planned from."""

    method: str
    """Name of the account-wide budget it is taken from; a key of `Capabilities.methods`."""
    kind: WriteKind
    payload: Any
    """Opaque to everyone but the sink that planned it."""


class CardSink(Protocol):
    """One card on a platform. Used by one writer; calls never overlap."""

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """Give the requests that would make the reader see `card`; empty when they already do.

        Pure: nothing is sent, no state changes. While `final` is false it gives at most one content write and one
        batch; with `final` true, all that is needed for the complete, closed card, most important first.
        """
        ...

    async def send(self, write: Write) -> None:
        """Send one request of the last plan. Only on return does the sink count it as seen.

        Raises:
            RateLimited: nothing changed; plan again after `retry_after_s`.
            StreamEnded: this card can not be written this way any more; `plan` may offer another way (see `mode`).
            DeliveryUnknown: plan again; repeating a card write is harmless because sequences rise.
            ChannelError: any other refusal.
        """
        ...

    def renewal(self) -> Sequence[Write]:
        """Give the requests that prolong the stream's life; empty where the platform needs none."""
        ...

    def shows(self, card: Card) -> bool:
        """Tell whether the whole of `card`, to its last character, was accepted by the platform."""
        ...

    def quiet(self, card: Card) -> Sequence[Write]:
        """Give the requests that leave a card at rest whose answer went another way, whatever its `mode` is.

        They make it show `card`, a few words without buttons, or take away at least what spins and the buttons. Ask
        again after they were sent or refused; empty when nothing is left that could help.
        """
        ...

    @property
    def unrest(self) -> Literal["", "status", "active"]:
        """Tell what `quiet` could not do: `status`: an old word about its state stays; `active`: it looks at work."""
        ...

    @property
    def mode(self) -> Literal["stream", "patch", "message", "dead"]:
        """How this card is written now. `message`: only a plain final message is possible; `dead`: nothing is."""
        ...

    def state(self) -> Json:
        """Give what another process needs to find this card again."""
        ...

    def receipt(self) -> Receipt:
        """Give proof of what the reader sees."""
        ...
