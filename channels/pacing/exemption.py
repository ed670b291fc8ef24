"""Whether the platform counts streaming writes: known from the settings, or found out with one refusal at most."""

from __future__ import annotations

from typing import Literal

from channels.capabilities import Capabilities
from channels.pacing.budget import MethodBudget

_QUIET_S = 900.0
_LONGEST_QUIET_S = 4 * 3600.0


class Exemption:
    """The switch of one account.

    With `auto`, streaming is not held to a limit until a request would be over it. From there on one request at a time
    goes over it, as a probe, until the platform has either refused it (then streaming counts) or taken clearly more
    than the limit allows (then it does not count). So a switch costs one refusal, however many cards are live.
    """

    def __init__(self, capabilities: Capabilities) -> None:
        self._setting = capabilities.app_limit
        self.streaming = capabilities.streaming_methods
        self._counted_until_s = float("-inf")
        self._quiet_s = _QUIET_S
        self.switches = 0
        self.probing: set[str] = set()
        """Methods of which a request over the limit is on its way: those of one frame at most."""

    @property
    def unknown(self) -> bool:
        """Tell whether it is for us to find out."""
        return self._setting == "auto"

    def counts(self, method: str, now_s: float) -> bool:
        """Tell whether `method` is taken from its budget now."""
        if method not in self.streaming:
            return True
        if self._setting == "auto":
            return now_s < self._counted_until_s
        return self._setting == "counted"

    def refused(self, budgets: list[MethodBudget], method: str, now_s: float) -> bool:
        """Note that the platform refused `method` for the whole app; true when that makes streaming count."""
        if self._setting != "auto" or self.counts(method, now_s):
            return False
        self.switches += 1
        self.count_until(now_s + self._quiet_s, budgets)
        return True

    def count_until(self, until_s: float, budgets: list[MethodBudget]) -> None:
        """Take streaming from the budgets until then: the platform refused it, here or in another process."""
        if self._setting == "auto" and until_s > self._counted_until_s:
            self._counted_until_s = until_s
            self._quiet_s = min(_LONGEST_QUIET_S, self._quiet_s * 2)
            for budget in budgets:
                budget.doubt()

    def counting_for_s(self, now_s: float) -> float:
        """Give for how many seconds streaming counts from now on, because it was refused; else 0."""
        return max(0.0, self._counted_until_s - now_s) if self._setting == "auto" else 0.0

    def mode(self, now_s: float) -> Literal["exempt", "counted"]:
        """Give how streaming methods are treated now."""
        if self._setting == "auto":
            return "counted" if now_s < self._counted_until_s else "exempt"
        return "counted" if self._setting == "counted" else "exempt"
