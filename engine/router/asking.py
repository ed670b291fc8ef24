"""Asking a model which way a request goes, where the rules cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from engine.errors import BadOutput
from engine.messages import AssistantMessage, Message, SystemMessage, TextPart, Usage, UserMessage
from engine.models.base import Completed, Model, ModelRequest
from engine.router.request import Request
from engine.router.specialists import Specialist
from engine.router.verdict import Verdict, parse_verdict

TRIES = 2
ANSWER_TOKENS = 300
DESCRIPTION_CHARS = 200
AGENTS_AT_MOST = 50
AGENT_LIST = "{agentList}"
"""Stands in a prompt where the domain agents are listed; a prompt of the operator's may leave it out."""
_AGAIN = "That was not the asked JSON object. Give only the object, with way, intent, domains and confidence."


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking. `verdict` is `None` when the model twice gave something else."""

    verdict: Verdict | None
    usage: Usage


async def ask_model(request: Request, model: Model, domains: Sequence[Specialist], instructions: str = "") -> Answer:
    """Ask once, and once more when the answer is not the asked object.

    Raises:
        ModelError: the model did not answer.
    """
    names = [each.name for each in domains]
    messages: list[Message] = [
        SystemMessage(text=_instructions(instructions, domains)),
        UserMessage(parts=(TextPart(text=_question(request)),)),
    ]
    spent = Usage()
    for _ in range(TRIES):
        done = await _completed(model, messages)
        spent += done.usage
        try:
            return Answer(parse_verdict(done.message.text, names), spent)
        except BadOutput:
            said = done.message.text.strip() or "(nothing)"
            messages += [AssistantMessage(text=said[:2_000]), UserMessage(parts=(TextPart(text=_AGAIN),))]
    return Answer(None, spent)


async def _completed(model: Model, messages: Sequence[Message]) -> Completed:
    request = ModelRequest(messages=tuple(messages), max_output_tokens=ANSWER_TOKENS, temperature=0.0)
    async with aclosing(model.stream(request)) as stream:
        async for item in stream:
            if isinstance(item, Completed):
                return item
    raise BadOutput("the model ended without an answer")


def _instructions(own: str, domains: Sequence[Specialist]) -> str:
    lines = [f"- {each.name}: {' '.join(each.when_to_use.split())[:DESCRIPTION_CHARS]}" for each in domains]
    listed = "\n".join(lines[:AGENTS_AT_MOST]) or "(there are none)"
    return (own.strip() or built_in_instructions()).replace(AGENT_LIST, listed)


@lru_cache
def built_in_instructions() -> str:
    """Give the prompt that is used when the operator has none of their own."""
    return (files("engine.router") / "prompts" / "route.md").read_text(encoding="utf-8").strip()


def _question(request: Request) -> str:
    """Give the request between marks that it cannot close, with what the words alone do not show."""
    words = request.whole.replace("<<<", "< < <").replace(">>>", "> > >")
    before = request.previous or "nothing"
    return f"Files with it: {request.files}. Before it in this conversation: {before}.\n<<<\n{words}\n>>>"
