"""What an operator reads of lasting permissions (`niuma permissions`), in English. Same keys as `permissions_zh`."""

from __future__ import annotations

TEXTS = {
    "permissions.nothing_decided": "No decision is recorded.",
    "permissions.none": "Nothing is allowed for longer than once.",
    "permissions.always": "{code}  always: {tool} {covers}, allowed by {who}, since {since}",
    "permissions.conversation": (
        "{code}  in one conversation: {tool} {covers}, allowed by {who}, since {since}, {conversation}"
    ),
    "permissions.covers_command": "of exactly: {what}",
    "permissions.covers_script": "of {what} as it was",
    "permissions.covers_paths": "of {what}",
    "permissions.covers_hosts": "of any address at {what}",
    "permissions.covers_call": "with the same arguments",
    "permissions.revoked": "{code} is taken back: the next such call asks again.",
    "permissions.unknown": "There is no permission {code}.",
    "permissions.rules_ok": "The rules and roles can be read.",
}
