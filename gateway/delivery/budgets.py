"""The accounts' budgets, in the shape the engine asks for to share them between replicas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from channels.base import Channel
from engine.ports import Share, Use


class AccountBudgets:
    """Satisfies `engine.ports.Budgets`; an account's key is `channel:account`, the same in every replica."""

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._pacers = {f"{channel.name}:{channel.account}": channel.pacer for channel in channels}

    def in_use(self) -> Mapping[str, Use]:
        """See `Budgets.in_use`."""
        return {key: Use(live=pacer.live, used=pacer.used) for key, pacer in self._pacers.items()}

    def take_shares(self, shares: Mapping[str, Share]) -> None:
        """See `Budgets.take_shares`."""
        for key, share in shares.items():
            self._pacers[key].take_share(share.now, coming=share.coming)
