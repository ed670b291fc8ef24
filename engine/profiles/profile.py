"""One agent, as a file describes it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAIN = "main"
"""The agent that people talk to; it has no domain, and puts together what the others found."""
ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
MAX_PROMPT_CHARS = 20_000

Word = Annotated[str, Field(min_length=2, max_length=60)]
Prompt = Annotated[str, Field(max_length=MAX_PROMPT_CHARS)]


class Name(BaseModel):
    """What people read, in both languages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    en: str = Field(min_length=1, max_length=60)
    zh: str = Field(min_length=1, max_length=60)


class Profile(BaseModel):
    """An agent. What differs between agents is here; the loop that works for them is one.

    `classify_prompt` and `aggregate_prompt` are the main agent's: how requests are sorted and how the lanes' results
    are put together; `{agentList}` in them stands for the domain agents. Empty prompts: the built-in ones. `enabled`,
    `model`, `tools` and `role` are the domain agents'.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=ID, max_length=40)
    name: Name
    description: str = Field(min_length=1, max_length=1_000)
    """When to use it; what a router and a model read."""
    keywords: tuple[Word, ...] = ()
    """Words that send a request to it."""
    enabled: bool = True
    prompt: Prompt = ""
    """What it is told beyond the rules that hold for every agent."""
    model: str = ""
    """A name from the settings; empty: the conversation's."""
    tools: tuple[str, ...] | None = None
    """The only tools it has; not given: those of the main agent."""
    role: str = "main"
    """Its position: one of the roles that the permissions know."""
    classify_prompt: Prompt = ""
    aggregate_prompt: Prompt = ""

    @property
    def is_domain(self) -> bool:
        """Tell whether requests may be sent to it."""
        return self.enabled and self.id != MAIN

    @property
    def names(self) -> tuple[str, ...]:
        """Give what people call it."""
        return (self.id, self.name.en, self.name.zh)

    @property
    def when_to_use(self) -> str:
        """Give what it is for, in one line."""
        return f"{self.name.en} / {self.name.zh}: {' '.join(self.description.split())}"
