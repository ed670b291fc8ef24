"""The two files of rules: what they say, and what is refused with the nearest right word."""

from __future__ import annotations

import pytest

from engine.errors import SettingsInvalid
from engine.permissions.book import parse_permissions, parse_roles
from engine.permissions.live import together
from engine.permissions.request import Request

RULE = '[[rules]]\nid = "a"\nverdict = "deny"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[rule]]\n", "'rule' means nothing; did you mean 'rules'?"),
        ("rules = 3", "rules: is a list of tables"),
        (f"{RULE}tols = ['x']", "rules.a: 'tols' means nothing; did you mean 'tool'?"),
        ('[[rules]]\nid = "a"\nverdict = "denny"', "rules.a.verdict: 'denny' means nothing; did you mean 'deny'?"),
        (f"{RULE}rank = ['gest']", "rules.a.rank.0: 'gest' means nothing; did you mean 'guest'?"),
        (f"{RULE}tool = []", "rules.a.tool: is an empty list"),
        (f"{RULE}tool = 'shell_command'", "rules.a.tool: is a list"),
        (f"{RULE}{RULE}", "rules.a: is there twice"),
        (f"{RULE}each_time = true", "rules.a.each_time: goes with"),
        ('[[rules]]\nverdict = "deny"', "rules.1.id: field required"),
        ("[approvals]\nallways = ['owner']", "approvals: 'allways' means nothing; did you mean 'always'?"),
        ("[usual]\nshell_command = 'aks'", "usual.shell_command: 'aks' means nothing; did you mean 'ask'?"),
        ("[[rules]\n", "is not TOML"),
    ],
)
def test_a_mistake_is_told_with_the_nearest_word(text: str, told: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        parse_permissions(text, "permissions.toml")
    assert str(refused.value).startswith("permissions.toml: ") and told in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[main]\nnot_tool = ['x']", "main: 'not_tool' means nothing; did you mean 'not_tools'?"),
        ("tools = ['x']", "'tools' means nothing; did you mean 'tools'?"),
        ("[Main]\n", "Main: is no name"),
    ],
)
def test_a_mistake_in_a_role_is_told(text: str, told: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"roles\.toml") as refused:
        parse_roles(text, "roles.toml")
    assert told in str(refused.value)


def test_of_two_files_the_stricter_part_holds() -> None:
    shipped = parse_permissions(
        f"{RULE}rank = ['guest']\n[usual]\nshell_command = 'ask'\n[approvals]\nopen_in_all = 9", "shipped"
    )
    own = parse_permissions(
        "[[rules]]\nid = 'b'\nverdict = 'allow'\n[usual]\nsend_file = 'deny'\nshell_command = 'allow'\n"
        "[approvals]\nalways = []\nconversation = ['owner', 'guest']\nopen_in_all = 99",
        "own",
    )
    roles = [parse_roles("[main]\nnot_tools = ['x']", "r"), parse_roles("[main]\nnot_tools = ['y']\n[extra]", "r")]
    policy = together([shipped, own], roles)
    assert policy.judge(Request("shell_command", rank="guest")).verdict == "deny"
    assert policy.judge(Request("shell_command")).verdict == "allow", "a rule speaks of it"
    assert [policy.judge(Request(tool)).verdict for tool in ("x", "y", "z")] == ["deny", "deny", "allow"]
    assert policy.judge(Request("x", role="extra")).verdict == "allow"
    assert policy.approvals.always == () and policy.approvals.conversation == ("owner",)
    assert policy.approvals.open_in_all == 9
    only_usual = together([shipped, parse_permissions("[usual]\nshell_command = 'allow'", "own")], roles)
    assert only_usual.judge(Request("shell_command")).verdict == "ask"


def test_a_rule_of_ones_own_does_not_take_the_place_of_a_shipped_one() -> None:
    with pytest.raises(SettingsInvalid, match=r"rules\.a: another file has a rule of this id"):
        together([parse_permissions(RULE, "shipped"), parse_permissions(RULE, "own")], [])
