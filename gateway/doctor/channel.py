"""What each configured account can tell of itself, asked of its adapter without starting it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack

from pydantic import BaseModel

from channels.base import Channel, Examinable, Finding
from channels.registry import build_channels
from gateway.doctor.examination import Examination
from gateway.doctor.subject import Subject


async def channel_examinations(subject: Subject, stack: AsyncExitStack) -> Sequence[Examination]:
    """Give the examinations of every account that can be used; what they need stays open until `stack` is closed."""
    if subject.settings is None:
        return ()
    accounts: dict[str, list[BaseModel]] = {}
    for account in subject.settings.usable_accounts()[0]:
        accounts.setdefault(account.channel, []).append(account.settings)
    found: list[Examination] = []
    for channel in build_channels(accounts, subject.clock).values():
        found += await examinations_of(channel, stack, offline=subject.offline)
    return found


async def examinations_of(channel: Channel, stack: AsyncExitStack, *, offline: bool) -> Sequence[Examination]:
    """Give the examinations of one channel, none when it cannot tell."""
    about = f"{channel.name}:{channel.account}"
    if not isinstance(channel, Examinable):
        return ()
    if offline:
        return (Examination("credentials", _offline, about),)
    every = await stack.enter_async_context(channel.examining())
    return [Examination(each.name, each.examine, about) for each in every]


async def _offline() -> Finding:
    return Finding("skipped", "offline")
