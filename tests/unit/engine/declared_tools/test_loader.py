"""A folder of tool files: what is right is used, what is wrong is named, all of it at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ToolFailed
from engine.messages import Principal, RunId
from engine.tools.base import ToolContext
from engine.tools.declared.loader import NO_SANDBOX, Loaded, Means, load_tools
from engine.tools.declared.script_tool import Outcome, Script, ScriptTool
from engine.tools.redaction import Secrets
from engine.tools.registry import LiveToolSet, ToolSet
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Fetcher

GOOD: dict[str, Any] = {
    "name": "search_docs",
    "description": "Searches.",
    "parameters": [{"name": "query", "required": True}],
    "handler": {"type": "http", "url": "https://api.example/search?q={{query}}"},
}
SCRIPT: dict[str, Any] = {
    "name": "count",
    "description": "Counts.",
    "parameters": [{"name": "n", "type": "integer", "default": 3}],
    "handler": {"type": "script", "language": "python", "file": "count.py", "env": {"TOKEN": "${TOKEN}", "A": "b"}},
}


class Recorded:
    """A sandbox that only writes down what it is given."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.scripts: list[Script] = []

    async def run_script(self, script: Script, context: ToolContext) -> Outcome:
        self.scripts.append(script)
        return self.outcome


def load(folder: Path, runner: Recorded | None = None, **files: Any) -> Loaded:
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text, "utf-8")
    means = Means(Fetcher(Boundary()), Secrets({"TOKEN": "t0ken-value"}), runner)
    return load_tools(folder, means, taken=("read_file",))


def changed(handler: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {**GOOD, **more, "handler": {**GOOD["handler"], **(handler or {})}}


def test_a_folder_is_read_by_name_and_what_is_off_is_told(tmp_path: Path) -> None:
    loaded = load(tmp_path, b=GOOD, a=changed(name="other"), c=changed(name="resting", enabled=False))
    assert [tool.name for tool in loaded.tools] == ["other", "search_docs"]
    assert (loaded.mistakes, loaded.off) == ((), ("resting",))
    assert loaded.tools[1].parameters == {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    }
    assert load(tmp_path / "none").tools == ()


@pytest.mark.parametrize(
    ("content", "reasons"),
    [
        ("{", ["it is no JSON"]),
        ("[" * 100_000, ["nested too deeply"]),
        ('{"name": "a", "name": "b"}', ["a key is given twice"]),
        ("[]", ["file: "]),
        ({}, ["name: Field required", "description: Field required", "handler: "]),
        (changed(name="Bad Name", timeout_s=0, colour=1), ["name: ", "timeout_s: ", "colour: "]),
        (changed(name="read_file"), ["already a tool named 'read_file'"]),
        (changed({"type": "ftp"}), ["handler: "]),
        (changed({"url": "https://{{query}}.example/"}), ["the host '{{query}}.example' must be written out"]),
        (changed({"url": "https://u:p@api.example/{{query}}"}), ["must be written out"]),
        (changed({"url": "https://api.example@{{query}}/"}), ["must be written out"]),
        (changed({"url": "https://api.example:99999/{{query}}"}), ["must be written out"]),
        (changed({"url": "file:///etc/{{query}}"}), ["url must be http"]),
        (changed({"url": "https://api.example/{{query}}#x"}), ["url must be http"]),
        (changed({"url": "https://api.example/a b/{{query}}"}), ["must be encoded"]),
        (changed({"url": "https://api.example/{{query"}), ["not written as"]),
        (changed({"url": "https://api.example/?{{query}}=1"}), ["cannot hold a place"]),
        (changed({"query": {"q": "1"}}), ["url and query both give ['q']"]),
        (changed({"headers": {"Host": "x", "a b": "y"}}), ["'Host' belongs to the connection; 'a b' is no name"]),
        (changed({"headers": {"A": "${NIUMA_TOKEN}"}}), ["'NIUMA_TOKEN' is the gateway's own"]),
        (changed({"body": {"a": 1}}), ["a GET request has no body"]),
        (changed({"headers": {"A": "{{more}}"}}), ["no parameter is named 'more'"]),
        (changed({"url": "https://api.example/"}), ["the parameter 'query' is not used"]),
        (
            changed(
                parameters=[{"name": "query"}, {"name": "query"}], handler={"url": "https://api.example/{{query}}"}
            ),
            ["'query' is there twice", "must be required or have a default"],
        ),
        (changed(parameters=[{"name": "query", "type": "array"}]), ["cannot be of type array"]),
        (
            changed(parameters=[{"name": "query", "type": "integer", "default": "x", "enum": ["y"]}]),
            ["default", "choice"],
        ),
    ],
)
def test_each_mistake_is_named_and_keeps_nothing_else_away(content: Any, reasons: list[str], tmp_path: Path) -> None:
    loaded = load(tmp_path, bad=content, good=changed(name="healthy"))
    assert [tool.name for tool in loaded.tools] == ["healthy"]
    told = [mistake.reason for mistake in loaded.mistakes]
    assert {mistake.file for mistake in loaded.mistakes} == {"bad.json"}
    for reason in reasons:
        assert any(reason in each for each in told), told


def test_all_files_tell_their_mistakes_at_once(tmp_path: Path) -> None:
    loaded = load(tmp_path, a="{", b=changed(name="A"), c={})
    assert {mistake.file for mistake in loaded.mistakes} == {"a.json", "b.json", "c.json"}


def test_scripts_are_refused_where_there_is_no_sandbox(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("print(1)")
    loaded = load(tmp_path, count=SCRIPT)
    assert (loaded.tools, [each.reason for each in loaded.mistakes]) == ((), [NO_SANDBOX])


@pytest.mark.parametrize("file", ["gone.py", "../count.py", "/etc/passwd", "link.py", "."])
def test_a_script_lies_beside_its_file(file: str, tmp_path: Path) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    (tmp_path / "count.py").write_text("print(1)")
    (folder / "link.py").symlink_to(tmp_path / "count.py")
    runner = Recorded(Outcome(0))
    loaded = load(folder, runner, count={**SCRIPT, "handler": {**SCRIPT["handler"], "file": file}})
    assert "there is no file" in loaded.mistakes[0].reason
    assert loaded.tools == ()


def test_a_scripts_environment_takes_no_argument(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("print(1)")
    loaded = load(
        tmp_path, Recorded(Outcome(0)), count={**SCRIPT, "handler": {**SCRIPT["handler"], "env": {"A": "{{n}}"}}}
    )
    assert "cannot hold an argument" in loaded.mistakes[0].reason


async def test_a_script_runs_as_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("print(1)")
    runner = Recorded(Outcome(0, '{"n": 1, "t": "t0ken-value"}'))
    (tool,) = load(tmp_path, runner, count=SCRIPT).tools
    before = tool.touches({})
    (tmp_path / "count.py").write_text("print(2)")
    result = await tool.run({}, ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k"))
    (script,) = runner.scripts
    assert (script.content, script.given, script.env) == (b"print(1)", b'{"n": 3}', {"TOKEN": "t0ken-value", "A": "b"})
    assert result.parsed == {"exit_code": 0, "data": {"n": 1, "t": "[hidden]"}}
    assert (tool.effect, tool.asks) == ("once", True)
    # What a person always allowed is bound to the content.
    (again,) = load(tmp_path, runner, count=SCRIPT).tools
    assert again.touches({}).subject != before.subject


async def test_a_script_that_fails_says_so(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text("print(1)")
    for outcome in (Outcome(2, "out", "password=hunter22 wrong"), Outcome(None, "out", "", "ended after 30 s")):
        (tool,) = load(tmp_path, Recorded(outcome), count=SCRIPT).tools
        assert isinstance(tool, ScriptTool)
        result = await tool.run({"n": 1}, ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k"))
        assert (result.success, result.error) == (False, "tool_failed")
        assert "hunter22" not in result.text
        assert outcome.why in result.text


def test_a_set_is_replaced_while_it_is_used(tmp_path: Path) -> None:
    first, second = load(tmp_path, a=GOOD), changed(name="newer")
    tools = LiveToolSet("built_in", ())
    assert isinstance(tools, ToolSet)
    tools.replace("declared", first.tools)
    seen = iter(tools)
    (tmp_path / "a.json").write_text(json.dumps(second))
    tools.replace("declared", load(tmp_path).tools)
    assert [tool.name for tool in seen] == ["search_docs"]
    assert tools.names == ("newer",)
    assert tools.get("search_docs") is None
    with pytest.raises(ValueError, match="two tools"):
        tools.replace("more", load(tmp_path).tools)
    assert len(tools) == 1


async def test_a_broken_sandbox_is_a_failure_of_the_tool(tmp_path: Path) -> None:
    class Broken(Recorded):
        async def run_script(self, script: Script, context: ToolContext) -> Outcome:
            raise ToolFailed("no sandbox works here")

    (tmp_path / "count.py").write_text("print(1)")
    (tool,) = load(tmp_path, Broken(Outcome(0)), count=SCRIPT).tools
    with pytest.raises(ToolFailed):
        await tool.run({}, ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k"))
