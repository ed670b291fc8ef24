"""All rules together: the stricter of several wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.permissions.request import Request
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Ruling, strictest

_FOREIGN = "this run has read what strangers wrote, and the call would send data out"


class Policy:
    """Rules and roles. Immutable: changed files make a new one."""

    def __init__(self, rules: Iterable[Rule] = (), roles: Mapping[str, Role] | None = None) -> None:
        self._rules = tuple(rules)
        self._roles = dict(roles or {})

    def judge(self, request: Request) -> Ruling:
        """Give the strictest of what speaks of a call; what nothing speaks of is as its tool usually is.

        A role that does not exist comes with no tool at all.
        """
        spoken = [ruling for rule in self._rules if (ruling := rule.ruling(request)) is not None]
        own = strictest(spoken) or Ruling(request.usual, "default")
        return strictest([own, *self._by_role(request), *_by_what_was_read(request)]) or own

    def _by_role(self, request: Request) -> list[Ruling]:
        role = self._roles.get(request.role)
        if role is None:
            return [Ruling("deny", f"role:{request.role}", f"there is no role {request.role!r}")]
        ruling = role.ruling(request)
        return [] if ruling is None else [ruling]


def _by_what_was_read(request: Request) -> list[Ruling]:
    """Whoever wrote what was read must not decide what is sent where: a rule that allows does not allow this."""
    if request.read_foreign and request.touches.sends:
        return [Ruling("ask", "foreign", _FOREIGN)]
    return []
