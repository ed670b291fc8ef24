"""The accounts' budgets, in the shape the engine asks for to share them between replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from channels.base import Channel
from channels.pacing import Known, Overheard, Pacer
from engine.budgets import Fact, Share, Use


class AccountBudgets:
    """Satisfies `engine.budgets.Budgets`; an account's key is `channel:account`, the same in every replica."""

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._pacers = {f"{channel.name}:{channel.account}": channel.pacer for channel in channels}

    def in_use(self) -> Mapping[str, Use]:
        """See `Budgets.in_use`."""
        return {key: _use(pacer) for key, pacer in self._pacers.items()}

    def take_shares(self, shares: Mapping[str, Share]) -> None:
        """See `Budgets.take_shares`."""
        for key, share in shares.items():
            pacer = self._pacers[key]
            pacer.learn(
                [Known(fact.name, fact.until_ms, fact.amount) for fact in share.facts],
                part=share.streaming,
                said=[Overheard(report.told, report.age_s) for report in share.reports],
            )
            pacer.take_share(share.now, coming=share.coming)

    def call_on_news(self, look: Callable[[], None]) -> None:
        """See `Budgets.call_on_news`."""
        for pacer in self._pacers.values():
            pacer.knowledge.on_news = look


def _use(pacer: Pacer) -> Use:
    knowledge = pacer.knowledge
    facts = [Fact(known.name, known.until_ms, known.amount) for known in knowledge.facts()]
    return Use(live=pacer.live, used=pacer.used, told=dict(knowledge.streamed()), facts=facts)
