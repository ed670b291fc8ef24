"""PlanReview of commands: what would hide, wait, stay, or not work here is refused before anybody is asked."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence

from engine.agent.shell_words import Simple, simples

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "csh", "tcsh", "busybox"})
_OTHER_USERS = frozenset({"sudo", "su", "doas", "pkexec", "runuser"})
_NOT_HERE = {
    "linux": {
        "dir": "ls",
        "ipconfig": "ip addr",
        "cls": "nothing, there is no screen",
        "copy": "cp",
        "del": "rm",
        "erase": "rm",
        "move": "mv",
        "ren": "mv",
        "findstr": "grep",
        "tasklist": "ps",
        "taskkill": "kill",
        "systeminfo": "uname -a",
        "powershell": "a Linux command",
        "pwsh": "a Linux command",
        "cmd": "a Linux command",
        "sw_vers": "uname -a",
        "pbcopy": "a file",
        "pbpaste": "a file",
        "launchctl": "a command that ends by itself",
    },
    "darwin": {
        "dir": "ls",
        "ipconfig": "ifconfig",
        "powershell": "a macOS command",
        "apt-get": "brew",
        "ip": "ifconfig",
    },
}
_CMDLET = re.compile(
    r"(?:Get|Set|New|Remove|Write|Select|Where|ForEach|Invoke|Start|Stop|Test|Out|Add|Copy|Move)-[A-Z]\w+"
)
_DRIVE = re.compile(r"(?:^|[\s\"'=])[A-Za-z]:\\")
_EDITORS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "pico", "ed", "visudo", "vipw"})
_SCREENS = frozenset(
    {"top", "htop", "btop", "less", "more", "man", "tmux", "screen", "watch", "dialog", "whiptail", "mc"}
)
_REMOTE = frozenset({"ssh", "telnet", "ftp", "sftp", "passwd"})
_PROMPTS = frozenset({"python", "python3", "node", "irb", "lua", "sqlite3", "psql", "mysql", "bc", *_SHELLS})
_STAYING = frozenset(
    {"nohup", "setsid", "disown", "daemonize", "start-stop-daemon", "systemctl", "service", "at", "batch"}
)
_LOOKS = frozenset({"ls", "pwd", "tree", "whoami", "date", "hostname", "uname", "true"})
_ASKED_FOR = re.compile(
    r"\b(?:ls|dir|list|files?|folders?|director(?:y|ies)|tree|pwd|path|where|date|time|who|host|system|kernel)\b"
    r"|文件|目录|列出|清单|路径|在哪|日期|时间|几点|几号|主机|系统|内核|用户",
    re.I,
)
_EVALUATED = frozenset({"eval", "source", "."})


def command_refusal(command: str, *, asked: str = "", is_first: bool = False, platform: str = sys.platform) -> str:
    """Tell why a command is not run, in words the model can use; empty when nothing speaks against it.

    `asked` is what the person said; `is_first`: nothing has been done in this run yet.
    """
    parts = list(simples(command))
    for part in parts:
        for check in _CHECKS:
            if reason := check(part):
                return reason
        if reason := _wrong_platform(part, platform):
            return reason
    if platform in _NOT_HERE and _DRIVE.search(command):
        return "there are no drives here; paths are relative to the workspace, with /"
    return _left_running(parts) or (_needless(parts, asked) if is_first else "")


def _nested(part: Simple) -> str:
    if part.name in _SHELLS and (part.has("-c", "-s") or part.fed or _hides(part.words[1:])):
        return f"a shell inside the shell ({part.name}) hides what would run; give the commands themselves"
    if part.name in ("xargs", "find", "parallel") and any(
        word.rpartition("/")[2] in _SHELLS for word in part.words[1:]
    ):
        return f"{part.name} starting a shell hides what would run; use a loop with the commands themselves"
    if part.name in _EVALUATED and (part.name == "eval" or _hides(part.words[1:])):
        return f"{part.name} hides what would run; give the commands themselves"
    if part.words[0].startswith(("$", "`")):
        return "the program's own name is computed, which hides what would run; write it out"
    return ""


def _hides(words: Sequence[str]) -> bool:
    return any(word.startswith(("<", "$", "`")) or "$(" in word for word in words)


def _other_user(part: Simple) -> str:
    return f"there is no other user here, {part.name} cannot work; leave it out" if part.name in _OTHER_USERS else ""


def _interactive(part: Simple) -> str:
    if part.name in _EDITORS:
        return f"{part.name} waits for a terminal, and there is none; change files with a file tool or with sed"
    if part.name in _SCREENS and not (part.fed or part.piped or part.has("-b", "-V", "--version", "--help")):
        return f"{part.name} waits for a terminal, and there is none; use a command that prints and ends"
    if part.name in _REMOTE and not part.has("-V", "--version"):
        return f"{part.name} asks for a password or a terminal, and there is none"
    if part.name in _PROMPTS and not part.fed and len(part.words) == 1:
        return f"{part.name} without a program waits for input, and there is none; name a file or give the program"
    return _prompting(part)


def _prompting(part: Simple) -> str:
    words = part.words
    if part.name == "git" and len(words) > 1:
        if (
            words[1] == "commit"
            and not part.has("-m", "-F", "-C", "--message", "--file", "--no-edit", "--dry-run")
            and not any(word.startswith(("--message=", "--file=")) for word in words)
        ):
            return "git commit without -m opens an editor, and there is none; give the message with -m"
        if words[1] in ("rebase", "add", "checkout", "stash") and part.has("-i", "-p", "--interactive", "--patch"):
            return "git would ask for each piece, and nobody answers; name the files or commits"
    if part.name == "crontab" and part.has("-e"):
        return "crontab -e opens an editor, and there is none"
    if part.name in ("tail", "journalctl") and part.has("-f", "-F", "--follow") and not part.piped:
        return f"{part.name} -f never ends; leave -f out"
    if part.name == "ping" and not part.has("-c", "-w"):
        return "ping never ends without -c; give the number of packets"
    return ""


def _stays(part: Simple) -> str:
    if part.name in _STAYING and not part.has("--version", "status", "list-units"):
        return f"nothing may run on after the call, so {part.name} is of no use; run the command itself and let it end"
    return ""


def _wrong_platform(part: Simple, platform: str) -> str:
    name = part.name.removesuffix(".exe")
    system = {"linux": "Linux", "darwin": "macOS"}.get(platform, platform)
    if use := _NOT_HERE.get(platform, {}).get(name):
        return f"this is {system}: there is no {name}; use {use}"
    if platform in _NOT_HERE and (_CMDLET.fullmatch(name) or part.words[0].endswith(".exe")):
        return f"this is {system}, not Windows: {part.name} does not exist; use a command of {system}"
    return ""


def _left_running(parts: Sequence[Simple]) -> str:
    if any(part.background for part in parts) and not any(part.name == "wait" for part in parts):
        return "what & leaves in the background is ended with the call; leave & out, or end the command with wait"
    return ""


def _needless(parts: Sequence[Simple], asked: str) -> str:
    """Refuse a round that only looks around, when that is not what the person wants to know."""
    if not asked or _ASKED_FOR.search(asked) or not parts or any(part.name not in _LOOKS for part in parts):
        return ""
    if any(operand not in (".", "./") for part in parts for operand in part.operands):
        return ""
    return (
        f"{parts[0].name} does not answer what was asked; run what answers it, or use project_scan to see the project"
    )


_CHECKS: tuple[Callable[[Simple], str], ...] = (_nested, _other_user, _interactive, _stays)
