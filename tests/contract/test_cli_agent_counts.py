"""`niuma agent` counts with a tool and tells the right numbers, with the offline model and with one over the wire."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.cli import Niuma
from tests.journeys.scripted_model import Call, Say, ScriptedModel, scripted_model

ENGLISH = "How many Python lines are in this folder, by directory?"
CHINESE = "统计当前项目代码行数"
FILES = {"top.py": 2, "src/a.py": 3, "src/app/b.py": 5, "tests/t.py": 1, "README.md": 7}
pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def project(niuma: Niuma, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Niuma:
    """Give the command line in a folder of five files; the offline model types fast."""
    monkeypatch.setattr("engine.models.demo.TOKENS_PER_S", 20_000.0)
    for name, lines in FILES.items():
        file = tmp_path / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x = 1\n" * lines, encoding="utf-8")
    return niuma


@pytest.fixture
def served() -> Iterator[ScriptedModel]:
    """Give a model endpoint that lives in a thread: the command line has the test's own."""
    ready, over = threading.Event(), asyncio.Event()
    found: list[tuple[ScriptedModel, asyncio.AbstractEventLoop]] = []

    async def serve() -> None:
        async with scripted_model() as model:
            found.append((model, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(20)
    model, loop = found[0]
    yield model
    loop.call_soon_threadsafe(over.set)
    thread.join(20)


def asked(niuma: Niuma, words: str, **env: str) -> dict[str, Any]:
    done = niuma("agent", "--json", words, **env)
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


def scanned(body: dict[str, Any]) -> dict[str, Any]:
    (tool,) = body["data"]["tools"]
    assert (tool["name"], tool["status"]) == ("project_scan", "success")
    assert [event["type"] for event in body["trace"]].count("tool") == 1
    return tool["parsed"]


def routed(body: dict[str, Any]) -> tuple[str, str]:
    (told,) = [e["content"]["params"] for e in body["trace"] if e["content"] and "routed" in str(e["content"])]
    return told["way"], told["by"]


def lines_by_directory(parsed: dict[str, Any]) -> dict[str, int]:
    return {each["directory"]: each["lines"] for each in parsed["by_directory"]}


def test_the_offline_model_counts_python_by_directory(project: Niuma) -> None:
    body = asked(project, ENGLISH)
    parsed = scanned(body)
    assert (parsed["total_lines"], parsed["total_files"]) == (11, 4)
    assert lines_by_directory(parsed) == {".": 2, "src": 3, "src/app": 5, "tests": 1}
    assert "**4** files, **11** lines" in body["answer"]
    assert "| `src/app` | 1 | 5 |" in body["answer"]
    assert routed(body) == ("agent", "rules")


def test_the_offline_model_counts_the_project_in_chinese(project: Niuma) -> None:
    body = asked(project, CHINESE)
    parsed = scanned(body)
    assert (parsed["total_lines"], parsed["lines_by_extension"]) == (18, {".py": 11, ".md": 7})
    assert "共 **5** 个文件，**18** 行" in body["answer"]
    assert routed(body) == ("agent", "rules")


@pytest.mark.parametrize(
    ("words", "arguments", "total"), [(ENGLISH, '{"extensions": [".py"]}', 11), (CHINESE, "{}", 18)]
)
def test_a_model_over_the_wire_counts_with_the_tool(
    project: Niuma, served: ScriptedModel, words: str, arguments: str, total: int
) -> None:
    served.script((Call("project_scan", arguments),), (Say(f"{total} lines"),))
    main = {"MODEL": "openai/main", "API_BASE": served.url, "API_KEY": "sk-x"}
    env = {f"NIUMA_MODELS__MAIN__{key}": value for key, value in main.items()}
    body = asked(project, words, NIUMA_MODELS__DEFAULT="main", **env)
    parsed = scanned(body)
    assert parsed["total_lines"] == total
    assert lines_by_directory(parsed)["src/app"] == 5
    assert body["answer"] == f"{total} lines"
    told = json.loads(served.asked[1].texts("tool")[0])
    assert told["by_directory"] == parsed["by_directory"]
    assert len(served.asked) == 2, "rules saw the way: no model was asked for it"
    assert not served.complaints
