"""Fault rules: what goes wrong, where, and how often."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from channels.simulators.jsons import Json, as_object, as_objects

ACTIONS = frozenset(
    {"status", "code", "msg", "error", "headers", "delay_s", "drop", "lost_answer", "hang", "duplicate", "lost_ack"}
)
MATCHES = frozenset({"method", "path", "event", "app_id"})


class RuleError(ValueError):
    """A rule has a part nobody knows."""


@dataclass
class Rule:
    """Applies to the matching requests or events from number `skip` on, `times` times (-1 = for ever).

    A rule with `event` matches deliveries of that type (a regular expression), one with `path` or `method` requests.
    Actions on requests: `status`, `code`, `msg` (or `error`, where a platform names its errors) and `headers` answer
    without effect, `delay_s` waits first, `hang` never answers, `drop` resets the connection before the effect,
    `lost_answer` after it. Actions on events: `delay_s`, `drop` (this attempt is not sent), `duplicate` (sent again
    under another event_id), `lost_ack` (the ack is ignored).
    """

    match: dict[str, str]
    action: dict[str, Any]
    times: int = 1
    skip: int = 0
    seen: int = field(default=0)

    def fits(self, facts: dict[str, str]) -> bool:
        """Tell whether the rule speaks about these facts; `event` rules never fit requests and the reverse."""
        if ("event" in self.match) != ("event" in facts):
            return False
        return all(re.search(pattern, facts.get(name, "")) for name, pattern in self.match.items())

    def take(self) -> bool:
        """Count one match; tell whether it is hit."""
        self.seen += 1
        hit = self.seen > self.skip
        return hit and (self.times < 0 or self.seen <= self.skip + self.times)


class Faults:
    """The rules in force; the first that fits and is not used up decides."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def add(self, *rules: Json) -> list[Rule]:
        """Add rules given as JSON objects and give them; one whose `times` is set to 0 is over.

        Raises:
            RuleError: a name in `match` or `action` is unknown, or `action` is empty.
        """
        added = [_parse_rule(rule) for rule in rules]
        self._rules += added
        return added

    def clear(self) -> None:
        """Take all rules away."""
        self._rules.clear()

    def find(self, **facts: str) -> dict[str, Any]:
        """Give the action for a request (method, path, app_id) or a delivery (event, app_id); empty when none."""
        for rule in self._rules:
            if rule.fits(facts) and rule.take():
                return rule.action
        return {}


def parse_rules(body: Json) -> list[Json]:
    """Read `{"rules": [...]}`."""
    return as_objects(body.get("rules"))


def _parse_rule(raw: Json) -> Rule:
    match, action = as_object(raw.get("match")) or {}, as_object(raw.get("action")) or {}
    unknown = set(raw) - {"match", "action", "times", "skip"} | set(match) - MATCHES | set(action) - ACTIONS
    if unknown or not action:
        raise RuleError(f"unknown or missing parts of a rule: {sorted(unknown) or ['action']}")
    return Rule(match, action, int(raw.get("times", 1)), int(raw.get("skip", 0)))
