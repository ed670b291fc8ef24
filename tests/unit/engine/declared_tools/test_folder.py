"""Tool files while a gateway runs: added, mended, switched, and what a run that works already keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import SettingsInvalid, ToolFailed
from engine.messages import Principal, RunId
from engine.tools.base import ToolContext
from engine.tools.declared import store
from engine.tools.declared.folder import ToolFolder
from engine.tools.declared.loader import Means
from engine.tools.declared.sandbox_runner import SandboxRunner
from engine.tools.declared.script_tool import Script
from engine.tools.redaction import Secrets
from engine.tools.registry import LiveToolSet
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Fetcher
from tests.sandbox import working_sandbox
from tests.unit.engine.agent.conftest import FakeTool
from tests.unit.engine.declared_tools.test_loader import GOOD

MEANS = Means(Fetcher(Boundary()), Secrets({}), None)
SCRIPT = {
    "name": "count",
    "description": "Counts.",
    "handler": {"type": "script", "language": "python", "file": "count.py"},
}


def put(folder: Path, name: str, content: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_folder_is_read_again_only_when_something_changed(tmp_path: Path) -> None:
    told: list[list[str]] = []
    own = LiveToolSet("built", [FakeTool("read_file")])  # type: ignore[list-item]

    def changed(tools: Any) -> None:
        own.replace("declared", tools)
        told.append([tool.name for tool in tools])

    folder = ToolFolder(tmp_path / "tools", lambda: MEANS, taken=["read_file"], changed=changed)
    folder.look()
    (tmp_path / "tools").mkdir()
    put(tmp_path / "tools", "a", GOOD)
    folder.look()
    folder.look()
    assert told == [[], ["search_docs"]]
    assert own.names == ("read_file", "search_docs")
    # A broken file leaves the others, and says why.
    put(tmp_path / "tools", "b", "{")
    [mistake] = folder.look().mistakes
    assert (mistake.file, own.names) == ("b.json", ("read_file", "search_docs"))
    put(tmp_path / "tools", "a", {**GOOD, "enabled": False})
    folder.look()
    assert own.names == ("read_file",)


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({**GOOD, "name": "Bad"}, "name: "),
        ({"name": "a", "handler": {"type": "http"}}, "handler.http.url: "),
        ({**SCRIPT, "handler": {**SCRIPT["handler"], "file": "../count.py"}}, "handler.file: "),  # type: ignore[dict-item]
        ({**GOOD, "name": "read_file"}, "name: 'read_file' is a built-in tool"),
        ("{", "JSON"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_field(tmp_path: Path, content: Any, field: str) -> None:
    file = put(tmp_path, "given", content)
    with pytest.raises(SettingsInvalid, match=field):
        store.add(tmp_path / "tools", file, taken=frozenset({"read_file"}))
    assert not (tmp_path / "tools").exists()


def test_a_tool_is_added_with_its_script_replaced_only_when_asked_and_switched(tmp_path: Path) -> None:
    folder, file = tmp_path / "tools", put(tmp_path, "given", SCRIPT)
    with pytest.raises(SettingsInvalid, match=r"handler\.file: there is no file"):
        store.add(folder, file, taken=frozenset())
    (tmp_path / "count.py").write_text("print(1)")
    store.add(folder, file, taken=frozenset())
    assert sorted(each.name for each in folder.iterdir()) == ["count.json", "count.py"]
    with pytest.raises(SettingsInvalid, match="is there already"):
        store.add(folder, file, taken=frozenset())
    (tmp_path / "count.py").write_text("print(2)")
    store.add(folder, file, taken=frozenset(), replace=True)
    assert (folder / "count.py").read_text() == "print(2)"
    other = put(tmp_path, "other", {**SCRIPT, "name": "other"})
    (tmp_path / "count.py").write_text("print(3)")
    with pytest.raises(SettingsInvalid, match="of the tool 'count'"):
        store.add(folder, other, taken=frozenset())
    assert (folder / "count.py").read_text() == "print(2)"
    assert json.loads((folder / "count.json").read_text()) == SCRIPT
    store.switch(folder, "count", on=False)
    assert json.loads((folder / "count.json").read_text()) == {**SCRIPT, "enabled": False}
    with pytest.raises(SettingsInvalid, match="no tool file for 'none'"):
        store.switch(folder, "none", on=True)


async def run_script(tmp_path: Path, code: str, **more: Any) -> Any:
    script = Script(
        **{"language": "python", "name": "x.py", "given": b'{"n": 2}', "env": {}, **more}, content=code.encode()
    )
    context = ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k")
    return await SandboxRunner(await working_sandbox()).run_script(script, context)


async def test_a_script_gets_its_arguments_and_its_own_environment_only(tmp_path: Path) -> None:
    code = (
        "import json,os,sys; a=json.load(sys.stdin); print(a['n'] + 1, sorted(os.environ), os.getcwd(), os.listdir())"
    )
    outcome = await run_script(tmp_path, code, env={"TOKEN": "t"})
    assert (outcome.exit_code, outcome.why, outcome.stderr) == (0, "", "")
    assert (
        outcome.stdout.startswith("3 [") and "'TOKEN'" in outcome.stdout and outcome.stdout.endswith("/workspace []\n")
    )
    assert "NIUMA" not in outcome.stdout


async def test_no_file_of_the_workspace_is_run_or_read_as_a_script_begins(tmp_path: Path) -> None:
    # With the workspace for a home, whatever an agent or a person leaves there ran inside the script, with its key.
    place = "import sys; print(f'.local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages')"
    packages = tmp_path / (await run_script(tmp_path, place)).stdout.strip()
    packages.mkdir(parents=True)
    (packages / "evil.pth").write_text("import os; print('stolen', os.environ.get('TOKEN'))\n")
    outcome = await run_script(tmp_path, "import os; print(os.listdir(os.environ['HOME']))", env={"TOKEN": "t"})
    assert (outcome.exit_code, outcome.stdout) == (0, "[]\n")
    own = await run_script(tmp_path, "import os; print(os.environ['HOME'])", env={"HOME": "/workspace/own"})
    assert own.stdout == "/workspace/own\n"


async def test_a_long_script_arrives_whole_and_what_it_says_at_its_end_is_told(tmp_path: Path) -> None:
    # Longer than one argument of a program may be, and with characters that a shell could read otherwise.
    lines = "\n".join(f"# {n} 'é' $(false) `x` \\ 好" for n in range(8_000))
    outcome = await run_script(tmp_path, f"{lines}\nimport sys; print('end'); sys.exit(3)")
    assert (outcome.exit_code, outcome.stdout) == (3, "end\n")


async def test_a_script_has_no_network_and_ends_in_time(tmp_path: Path) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert "Error" in (await run_script(tmp_path, code)).stderr
    outcome = await run_script(tmp_path, "while True: pass", timeout_s=0.3)
    assert (outcome.exit_code, outcome.why) == (None, "ended: not done within 0.3 s")


async def test_other_languages_run_where_they_are_there(tmp_path: Path) -> None:
    outcome = await run_script(tmp_path, 'read -r line; echo "got $line"', language="bash")
    assert outcome.stdout == 'got {"n": 2}\n'
    try:
        outcome = await run_script(
            tmp_path, "console.log(JSON.parse(require('fs').readFileSync(0)).n)", language="node"
        )
    except ToolFailed as error:
        assert "there is no node here" in str(error)
    else:
        assert outcome.stdout == "2\n"
