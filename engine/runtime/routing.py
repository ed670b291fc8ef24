"""The router as runs ask it: with the agents there are now, and the model that is to be asked."""

from __future__ import annotations

import logging
from dataclasses import replace

from engine.agent.route import Route, Way
from engine.messages import RunInput
from engine.models.base import Model
from engine.models.registry import ModelRegistry, is_demo
from engine.profiles import Roster
from engine.router import Domains, Surroundings, decide, decide_by_rules, request_of
from engine.settings import EngineSettings

log = logging.getLogger(__name__)


class RunRouter:
    """Implements `engine.agent.routing.Router`."""

    def __init__(self, settings: EngineSettings, roster: Roster, models: ModelRegistry) -> None:
        self._settings = settings
        self._roster = roster
        self._models = models
        self._version = 0
        self._around = Surroundings()

    @property
    def has_domains(self) -> bool:
        """See `Router.has_domains`."""
        return bool(self._around.domains.specialists)

    def refresh(self) -> None:
        """See `Router.refresh`."""
        version = self._roster.refresh()
        if version != self._version:
            instructions = self._roster.main.classify_prompt
            self._around = replace(self._around, domains=Domains(self._roster.domains), instructions=instructions)
            self._version = version
            for file, reason in self._roster.problems.items():
                log.warning("agent_left_out", extra={"file": str(file), "reason": reason})

    def by_rules(self, given: RunInput, previous: Way | None) -> Route | None:
        """See `Router.by_rules`."""
        return decide_by_rules(request_of(given, previous), self._around.skills, self._around.domains)

    async def by_model(self, given: RunInput, previous: Way | None, model: Model) -> Route:
        """See `Router.by_model`."""
        route = await decide(given, self._around, model=self.asks(model), previous=previous)
        if route.by != "default" or route.domains:
            return route
        # Nobody could say more than that it is work; a domain agent that fits does it.
        fitting = self._around.domains.fitting(request_of(given, previous))
        return route.model_copy(update={"domains": tuple(fitting)})

    def asks(self, own: Model) -> Model | None:
        """See `Router.asks`; the demo's script could only guess."""
        agent, models = self._settings.agent, self._settings.models
        model = self._models.get(agent.router_model) if agent.router_model in models else own
        known = models.get(model.name)
        return None if not agent.router_asks or known is None or is_demo(known) else model
