"""The decision by rules: every signal that speaks adds its weight, and a clear lead decides."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.agent.route import Route, Way
from engine.router.request import Request
from engine.router.signal import Pull
from engine.router.signals import SIGNALS
from engine.router.specialists import Directory
from engine.router.team import team_pull

LEAD = 2
"""So far ahead a way must be; less is for the model."""
ENOUGH_FOR_TEAM = 4
SURE = 8
"""A lead from which on confidence is 1."""
SHORT_CHARS = 24
"""What is shorter can be a word of consent."""

_TOLD = frozenset({"asks_how", "asks_for_a_meaning", "asks_about_the_bot"})
"""Signals of being told something: who asks how a thing is built does not want it built."""
_FORMS = frozenset({"question", "names_a_day", "points_at_something", "greets_first"})
"""Signals that decide nothing alone or together."""
_GO_ON = re.compile(
    r"^(?:好的?|可以|行|嗯|是的?|对|同意|没问题|ok|okay|yes|yep|sure|please)?[,。!.\s]*(?:请|就|那就|那)?"
    r"(?:继续|接着|执行|开始|来|做|干|动手|就这样|重试|再试|再来一次|再跑|去做|"
    r"continue|go on|go ahead|proceed|do it|do that|again|retry|try again|start|keep going|yes|yep)"
    r"(?:吧|做|干|一下|一次|执行|please|with it|now|[,。!.\s])*$"
)


@dataclass(slots=True)
class Tally:
    """What spoke, and for which way."""

    weights: dict[Pull, int] = field(default_factory=lambda: {"direct": 0, "agent": 0, "team": 0})
    spoke: list[tuple[str, Pull, int]] = field(default_factory=list[tuple[str, Pull, int]])

    def add(self, name: str, pull: Pull, weight: int) -> None:
        """Take note of a signal."""
        self.weights[pull] += weight
        self.spoke.append((name, pull, weight))

    @property
    def is_bare(self) -> bool:
        """Tell whether only a form or a time speaks: "Is the grommet blue?" may be about anybody's grommet."""
        names = {name for name, pull, _ in self.spoke if pull != "team"}
        return (names <= _FORMS and names != {"greets_first"}) or names == {"names_what_just_was"}

    def strongest(self, way: Way) -> str:
        """Give the name of what spoke loudest for a way."""
        return max((each for each in self.spoke if each[1] == way), key=lambda each: each[2])[0]

    def reason(self) -> str:
        """Give what spoke, for the trace: `direct 6 (asks_how 4, question 2), agent 1 (names_a_time 1)`."""
        told: list[str] = []
        for way, weight in self.weights.items():
            names = ", ".join(f"{name} {each}" for name, pull, each in self.spoke if pull == way)
            told += [f"{way} {weight} ({names})"] if names else []
        return ", ".join(told)


def decide_by_rules(request: Request, skills: Directory, domains: Directory) -> Route | None:
    """Give the way where the rules see one clearly, else `None`. Costs no call and well under a millisecond."""
    tally = Tally()
    _hear_the_message(request, tally)
    for signal in SIGNALS:
        if signal.speaks(request):
            tally.add(signal.name, signal.pull, signal.weight)
    fits, domain_fits = skills.fitting(request), domains.fitting(request)
    for name, weight in (fits | domain_fits).items():
        tally.add(f"fits {name}", "agent", weight)
    weight, found = team_pull(request)
    if weight:
        tally.add(found, "team", weight)
    return _decided(tally, tuple(fits), tuple(domain_fits))


def _hear_the_message(request: Request, tally: Tally) -> None:
    """Add what the message is, beside its words."""
    if request.files:
        tally.add("has_files", "agent", 6)
    if request.has_material:
        tally.add("has_material", "direct", 4)
    if request.has_code:
        tally.add("has_code", "direct", 1)
    if request.previous in ("agent", "team") and len(request.ask) <= SHORT_CHARS and _GO_ON.match(request.ask):
        tally.add("goes_on_with_work", "agent", 12)
    if request.ask and not any(char.isalnum() for char in request.ask):
        tally.add("only_signs", "direct", 4)


def _decided(tally: Tally, skills: tuple[str, ...], domains: tuple[str, ...]) -> Route | None:
    direct, agent, team = tally.weights["direct"], tally.weights["agent"], tally.weights["team"]
    names = {name for name, _, _ in tally.spoke}
    is_told = bool(names & _TOLD) or ("explains" in names and team < SURE)
    if team >= ENOUGH_FOR_TEAM and not is_told:
        way, lead = "team", team
    elif tally.is_bare:
        return None
    elif abs(direct - agent) >= LEAD:
        way, lead = ("direct" if direct > agent else "agent"), abs(direct - agent)
    else:
        return None
    return Route(
        way=way,
        by="rules",
        reason=tally.reason(),
        intent=tally.strongest(way),
        domains=() if way == "direct" else domains,
        skills=skills,
        confidence=min(1.0, 0.5 + lead / (2 * SURE)),
    )
