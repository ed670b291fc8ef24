"""How people, conversations and organisations are written in settings, in the database and by `/whoami`."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote, unquote

NameKind = Literal["person", "conversation", "organisation"]
PERSON_FORM = "channel:account:person"
CONVERSATION_FORM = "channel:account:tenant:chat"
_CHOSEN_CHARS = 60
EVERY_CHAT = "*"
"""In place of the chat: everybody of that organisation."""


def person_name(channel: str, account: str, person: str) -> str:
    """Give a person's name by id: `channel:account:person`, each part percent-encoded. Never a display name."""
    return _joined(channel, account, person)


def account_name(channel: str, account: str) -> str:
    """Give an account's name, with which the names of all its people begin."""
    return _joined(channel, account)


def conversation_name(channel: str, account: str, tenant: str, chat: str) -> str:
    """Give a conversation's name; a thread has that of the chat it is in."""
    return _joined(channel, account, tenant, chat)


def organisation_name(channel: str, account: str, tenant: str) -> str:
    """Give the name of an organisation as this account sees it."""
    return f"{_joined(channel, account, tenant)}:{EVERY_CHAT}"


def shown(chosen: str, name: str) -> str:
    """Give the name somebody chose as data, printable and on one short line, with the name by id that counts."""
    printable = "".join(char if char.isprintable() else " " for char in chosen)
    line = " ".join(printable.split())[:_CHOSEN_CHARS]
    return f"{line} ({name})" if line else name


def parse_name(written: str) -> tuple[NameKind, str]:
    """Read a name as people write it and give its kind and its one spelling.

    Raises:
        ValueError: it is none of the three.
    """
    parts = [unquote(part) for part in written.strip().split(":")]
    if len(parts) not in (3, 4) or not all(parts):
        raise ValueError(f"{written!r} is neither {PERSON_FORM} nor {CONVERSATION_FORM}")
    if len(parts) == 3:
        return "person", _joined(*parts)
    if written.strip().endswith(f":{EVERY_CHAT}"):
        return "organisation", organisation_name(*parts[:3])
    return "conversation", _joined(*parts)


def parse_person(written: str) -> str:
    """Read a person's name and give its one spelling.

    Raises:
        ValueError: it is no person's name.
    """
    kind, name = parse_name(written)
    if kind != "person":
        raise ValueError(f"{written!r} is not {PERSON_FORM}")
    return name


def parse_conversation(written: str) -> str:
    """Read a conversation's name and give its one spelling.

    Raises:
        ValueError: it is no conversation's name.
    """
    kind, name = parse_name(written)
    if kind != "conversation":
        raise ValueError(f"{written!r} is not {CONVERSATION_FORM}")
    return name


def _joined(*parts: str) -> str:
    return ":".join(quote(part, safe="") for part in parts)
