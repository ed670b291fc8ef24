"""What goes over the loopback between the Feishu adapter and the simulator, on one clock that tests move.

Nothing depends on the speed of the machine: whenever the clock stands still, everything on its way over the network
arrives first. A request takes `LATENCY_S` of the pretended time there and as much back.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, cast

import aiohttp

from channels.errors import ChannelError
from channels.feishu import http
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.testing.trace import Trace
from gateway.clock import FakeClock

Json = dict[str, Any]

LATENCY_S = 0.05
_LONGEST_SHOWN = 40


class LoopbackClock(FakeClock):
    """Stands still until the network is quiet, and takes the simulator's clock along."""

    def __init__(self, sim: FeishuSimulator) -> None:
        super().__init__()
        self._sim = sim
        self._told_s = 0.0
        self.on_the_way = 0
        """Requests that left and were not answered yet."""

    async def settle(self, rounds: int = 20) -> None:
        """Let everything happen that can without time passing, answers of the other end included."""
        self._sim.advance(self.steady_s() - self._told_s)
        self._told_s = self.steady_s()
        await FakeClock.settle(rounds)
        while self.on_the_way:
            await asyncio.sleep(0.0005)
            if not self.on_the_way:
                await FakeClock.settle(rounds)


class Wire:
    """Takes the place of `http.send`: lets requests take their time and writes each down."""

    def __init__(self, clock: LoopbackClock) -> None:
        self.trace = Trace(clock)
        self.clock = clock
        self._names: dict[str, str] = {}

    async def send(self, session: aiohttp.ClientSession, request: http.Request) -> http.Answer:
        """Send as `http.send` does."""
        line = _Line(self.trace, self._described(request))
        await self.clock.sleep(LATENCY_S)
        self.clock.on_the_way += 1
        try:
            answer = await http.send(session, request)
        except ChannelError as error:
            line.end(type(error).__name__)
            raise
        finally:
            self.clock.on_the_way -= 1
        self._learn_names(answer.body)
        line.end(answer.code)
        await self.clock.sleep(LATENCY_S)
        return answer

    def call(self, theirs: str, ours: str) -> None:
        """Write `ours` wherever the platform's id is meant."""
        self._names[theirs] = ours

    def _described(self, request: http.Request) -> Json:
        path = re.sub(r"^https?://[^/]+/open-apis", "", request.url)
        body = dict(request.body or {})
        sequence = {"sequence": body.pop("sequence")} if "sequence" in body else {}
        described = {"do": f"{request.verb} {path}", **sequence, "body": _shortened(_opened(body))}
        return json.loads(self._renamed(json.dumps(described, ensure_ascii=False)))

    def _learn_names(self, body: Json) -> None:
        data = cast("Json", body.get("data") or {})
        for key, prefix in (("card_id", "card"), ("message_id", "message")):
            if key in data:
                number = 1 + sum(name.startswith(prefix) for name in self._names.values())
                self._names.setdefault(str(data[key]), f"{prefix}{number}")

    def _renamed(self, text: str) -> str:
        for theirs, ours in self._names.items():
            text = text.replace(theirs, ours)
        return text


class _Line:
    """Keeps its place among the lines from the moment a request leaves; the answer's code is added later."""

    def __init__(self, trace: Trace, described: Json) -> None:
        self._trace = trace
        self._number = len(trace.lines)
        trace.add(**described)

    def end(self, code: int | str) -> None:
        line = json.loads(self._trace.lines[self._number])
        body = line.pop("body")
        line |= {"code": code, "body": body}
        self._trace.lines[self._number] = json.dumps(line, ensure_ascii=False)


def _opened(value: Any) -> Any:
    """Read JSON inside of strings, and leave of cards what differs from one write to the next."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return _opened(json.loads(value))
    if isinstance(value, dict):
        fields = {key: _opened(each) for key, each in cast("Json", value).items()}
        return _card(fields) if fields.get("schema") == "2.0" else fields
    if isinstance(value, list):
        return [_element(each) for each in cast("list[Any]", value)]
    return value


def _card(card: Json) -> Json:
    header = card["header"]
    return {
        "streaming_mode": card["config"]["streaming_mode"],
        "header": f"{header['title']['content']} [{header['template']}]",
        "elements": card["body"]["elements"],
    }


def _element(value: Any) -> Any:
    opened = _opened(value)
    if not isinstance(opened, dict) or "element_id" not in opened:
        return opened
    element = cast("Json", opened)
    return {element["element_id"]: element.get("content", element.get("tag"))}


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in cast("Json", value).items()}
    if isinstance(value, list):
        return [_shortened(each) for each in cast("list[Any]", value)]
    if isinstance(value, str) and len(value) > 2 * _LONGEST_SHOWN + 10:
        return f"{value[:_LONGEST_SHOWN]} …{len(value)}… {value[-_LONGEST_SHOWN:]}"
    return value
