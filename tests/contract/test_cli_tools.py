"""`niuma tools`: an operator's tool from a file to a call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contract.cli import Niuma

HTTP = {
    "name": "find_ticket",
    "description": "Finds tickets.",
    "parameters": [{"name": "words", "required": True}],
    "handler": {"type": "http", "url": "http://127.0.0.1:9/tickets?q={{words}}"},
}


def test_a_tool_is_added_shown_switched_and_tried(niuma: Niuma) -> None:
    Path("ticket.json").write_text(json.dumps(HTTP))
    assert niuma("tools", "add", "ticket.json").code == 0
    again = niuma("tools", "add", "ticket.json")
    assert again.code == 2 and "--replace" in again.stderr
    listed = {each["name"]: each for each in json.loads(niuma("tools", "list", "--json").stdout)}
    assert (listed["find_ticket"]["kind"], listed["find_ticket"]["state"]) == ("http", "on")
    assert listed["read_file"]["kind"] == "built_in"
    shown = json.loads(niuma("tools", "show", "find_ticket").stdout)
    assert (shown["effect"], shown["asks"], shown["parameters"]["required"]) == ("none", False, ["words"])
    assert niuma("tools", "disable", "find_ticket").stdout == "find_ticket is off\n"
    assert "find_ticket\thttp\toff" in niuma("tools").stdout
    # The guard of a run holds here, too: this address is not public.
    tried = niuma("tools", "test", "find_ticket", "--args", '{"words": "x"}', "--json")
    assert (tried.code, json.loads(tried.stdout)["success"]) == (1, False)
    assert "127.0.0.1" in json.loads(tried.stdout)["text"]
    wrong = niuma("tools", "test", "find_ticket", "--args", "{}")
    assert wrong.code == 1 and "arguments.words is missing" in wrong.stdout


def test_what_is_wrong_is_told_with_its_field_here_and_by_the_doctor(niuma: Niuma, tmp_path: Path) -> None:
    Path("bad.json").write_text(json.dumps({**HTTP, "timeout_s": 0}))
    refused = niuma("tools", "add", "bad.json")
    assert refused.code == 2 and "timeout_s: " in refused.stderr
    folder = tmp_path / "data" / "tools"
    folder.mkdir(parents=True)
    (folder / "bad.json").write_text("{")
    assert "bad\tfile\tbroken\t" in niuma("tools", "list").stdout
    found = json.loads(niuma("doctor", "--json", "--offline").stdout)
    text = json.dumps(found, ensure_ascii=False)
    assert "bad.json" in text and "tools_wrong" in text
    assert niuma("tools", "test", "nothing").code == 2


def test_a_built_in_tool_is_tried_in_this_folder(niuma: Niuma) -> None:
    Path("a.txt").write_text("one\ntwo\n")
    done = niuma("tools", "test", "read_file", "--args", '{"file_path": "a.txt"}')
    assert done.code == 0 and "two" in done.stdout
