"""Everything of one measurement: platform and model on one core, the real gateway on another, each its own process."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.bench import machine
from tests.bench.place import Place, until
from tests.bench.places import Feishu
from tests.bench.sight import Answer, read_answer
from tests.processes.gateway import GatewayProcess, gateway

_SERVES = re.compile(r"serves on (\S+)")
START_S = 60.0
"""A start may take this long, far over its budget: a busy machine must not end the measurement."""


@dataclass(slots=True)
class Stage:
    """The processes of one measurement."""

    place: Place
    model_url: str
    home: Path
    session: aiohttp.ClientSession
    gateway: GatewayProcess | None = None
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further variables of every gateway's environment."""
    starts: int = 0
    under: tuple[str, ...] = ()
    """What the gateway runs under, see `tests.processes.gateway`."""

    @asynccontextmanager
    async def serving(self, **more: str) -> AsyncIterator[GatewayProcess]:
        """Run a gateway on the measured core, connected; `more` are further variables of its environment."""
        async with gateway(self.home, under=self.under, **{**self.environment(), **more}) as process:
            machine.pin(process.pid)
            self.gateway = process
            try:
                await _first(self._ready(process), process.ended(START_S + 1))
                assert process.is_alive, "the gateway ended at its start"
                yield process
            except Exception as error:
                error.add_note(f"the gateway's log ends with:\n{process.log()[-3000:]}")
                raise

    async def ask(self, key: str, order: str, *, chat: int = 0) -> str:
        """Ask in a chat; gives the message id."""
        return await self.place.ask(f"key={key} {order}", chat=chat)

    async def ask_all(self, count: int, order: str) -> dict[str, str]:
        """Ask in `count` chats at once; gives key -> message id."""
        keys = [f"k{n}" for n in range(count)]
        asked = await asyncio.gather(*(self.ask(key, order, chat=n) for n, key in enumerate(keys)))
        return dict(zip(keys, asked, strict=True))

    async def finished(self, questions: Sequence[str], *, within_s: float) -> None:
        """Wait until each has its finished card. Looks seldom: looking costs the tenant time."""
        deadline = asyncio.get_running_loop().time() + within_s
        wanted = set(questions)
        while True:
            done = {each.question for each in await self.place.shown() if each.is_finished}
            if wanted <= done:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise TimeoutError(f"{len(wanted - done)} of {len(wanted)} answers are not finished in {within_s} s")
            await asyncio.sleep(0.5)

    async def answers(self, asked: dict[str, str]) -> list[Answer]:
        """Give what readers saw of these questions."""
        timeline, sent = await self.timeline(), await self.sent()
        cards = {each.question: each for each in await self.place.shown()}
        pushed = [(each["mono_s"], str(each["body"])) for each in timeline if each["kind"] == "out"]
        found: list[Answer] = []
        for key, question in asked.items():
            states = await self.place.states(cards[question])
            word = self.place.frame_word(question)
            asked_s = next(at_s for at_s, frame in pushed if word in frame)
            up_s = self.place.up_s(question, timeline, states)
            found.append(read_answer(key, asked_s, up_s, states, sent.get(key, [])))
        return found

    async def timeline(self) -> list[dict[str, Any]]:
        """Give every request and frame so far."""
        return await self.place.timeline()

    async def sent(self) -> dict[str, list[float]]:
        """Give when the model sent each piece of each key."""
        return await self._get(f"{self.model_url}/sent")

    async def _get(self, url: str) -> Any:
        async with self.session.get(url) as response:
            response.raise_for_status()
            return await response.json()

    async def _ready(self, process: GatewayProcess) -> None:
        """Wait for `/readyz`: before that, a message may meet a bot that does not know its own name yet."""

        async def told() -> str | None:
            said = _SERVES.findall(process.log())
            return said[-1] if len(said) > self.starts else None

        async def ready() -> bool:
            async with self.session.get(f"{url}/readyz") as response:
                return response.status == 200

        url = await until(told, within_s=START_S, why="the gateway tells its address")
        self.starts += 1
        await until(ready, within_s=START_S, why="readyz")

    def environment(self) -> dict[str, str]:
        """Give what the gateway is told of this measurement."""
        return {
            "NIUMA_AGENT__ROUTER_ASKS": "false",  # one question to the model is one answer
            "NIUMA_MODELS__DEFAULT": "bench",
            # One person asks in place of hundreds.
            "NIUMA_ACCESS__PER_PERSON_PER_MINUTE": "0",
            "NIUMA_RUNS__OPEN_PER_PERSON": "0",
            "NIUMA_MODELS__BENCH__MODEL": "openai/bench",
            "NIUMA_MODELS__BENCH__API_BASE": f"{self.model_url}/v1",
            "NIUMA_MODELS__BENCH__API_KEY": "none",
            **self.place.environment(),
            **self.settings,
        }


@asynccontextmanager
async def stage(*, app_limit: str = "exempt", exempt: bool = True, delay_s: float = 0.0) -> AsyncIterator[Stage]:
    """Run a Feishu tenant and a model; `exempt`: the platform does not count streaming, `delay_s`: a call's time."""
    async with stage_on(Feishu, NIUMA_CHANNELS__FEISHU__MAIN__APP_LIMIT=app_limit) as set_:
        await set_.place.options(streaming_exempt=exempt, api_delay_s=delay_s)
        yield set_


@asynccontextmanager
async def stage_on(kind: type[Place], **settings: str) -> AsyncIterator[Stage]:
    """Run a platform and a model; `settings` are further variables of the gateway's environment."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="niuma-bench-")))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        place = await stack.enter_async_context(platform(kind, session))
        model_url = await stack.enter_async_context(paced_model())
        yield Stage(place, model_url, home, session, settings=settings)


@asynccontextmanager
async def platform(kind: type[Place], session: aiohttp.ClientSession) -> AsyncIterator[Place]:
    """Run a platform."""
    async with _process("tests.bench.tenant", kind.name) as url:
        yield kind(url, session)


@asynccontextmanager
async def paced_model() -> AsyncIterator[str]:
    """Run the model endpoint; gives its address."""
    async with _process("tests.bench.paced_model") as url:
        yield url


async def _first(*waits: Coroutine[Any, Any, Any]) -> None:
    tasks = [asyncio.ensure_future(each) for each in waits]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()


@asynccontextmanager
async def _process(module: str, *words: str) -> AsyncIterator[str]:
    command = (sys.executable, "-m", module, *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        assert line.startswith("listening "), (module, line)
        yield line.split()[1]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
