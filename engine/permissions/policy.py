"""All rules together: the stricter of several wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engine.permissions.approvals import Approvals
from engine.permissions.request import Request
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Ruling, Verdict, strictest

_FOREIGN = "this run has read what strangers wrote, and the call would send data out"


class Policy:
    """Rules and roles. Immutable: changed files make a new one.

    `usual` says how tools are where no rule speaks of a call, by name; a tool's own way may be stricter. A role may be
    told of several times: then its agents have what all of them allow.
    """

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        roles: Mapping[str, Role | Sequence[Role]] | None = None,
        *,
        usual: Mapping[str, Verdict] | None = None,
        approvals: Approvals | None = None,
    ) -> None:
        self._rules = tuple(rules)
        self._roles = {name: (told,) if isinstance(told, Role) else tuple(told) for name, told in (roles or {}).items()}
        self._usual: dict[str, Verdict] = dict(usual or {})
        self._approvals = approvals or Approvals()

    @property
    def approvals(self) -> Approvals:
        """Give how people may answer."""
        return self._approvals

    def judge(self, request: Request) -> Ruling:
        """Give the strictest of what speaks of a call; what nothing speaks of is as its tool usually is.

        A role that does not exist comes with no tool at all.
        """
        spoken = [ruling for rule in self._rules if (ruling := rule.ruling(request)) is not None]
        own = spoken or [self._default(request)]
        every = [*own, *self._by_role(request), *_by_what_was_read(request)]
        ruling = strictest(every) or own[0]
        # Of several questions about one call the least lasting answer is enough for all.
        once = any(each.each_time for each in every if each.verdict == "ask")
        return replace(ruling, each_time=once) if ruling.verdict == "ask" else ruling

    def _default(self, request: Request) -> Ruling:
        told = self._usual.get(request.tool, request.usual)
        return strictest([Ruling(request.usual, "default"), Ruling(told, "default")]) or Ruling("deny", "default")

    def _by_role(self, request: Request) -> list[Ruling]:
        told = self._roles.get(request.role)
        if not told:
            return [Ruling("deny", f"role:{request.role}", f"there is no role {request.role!r}")]
        return [ruling for role in told if (ruling := role.ruling(request)) is not None]


def _by_what_was_read(request: Request) -> list[Ruling]:
    """Whoever wrote what was read must not decide what is sent where: a rule that allows does not allow this."""
    if request.read_foreign and request.touches.sends:
        return [Ruling("ask", "foreign", _FOREIGN, each_time=True)]
    return []
