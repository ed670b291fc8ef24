"""Who is answered, by mode, list, organisation, thread and rank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from channels.events import Sender
from engine.runtime import Database
from tests.unit.gateway.access.stage import ANN, BOB, DIRECT, EVE, GROUP, ROBOT, Stage, message

THREAD = replace(GROUP, thread="1")
OTHER = replace(GROUP, thread="2")


@pytest.mark.parametrize(
    ("section", "sender", "mention", "refusal"),
    [
        ({}, ANN, True, None),
        ({}, ANN, False, "not_mentioned"),
        ({}, EVE, True, "other_tenant"),
        ({}, EVE, False, "not_mentioned"),
        ({"allow": ["fake:main:eve"]}, EVE, True, None),
        ({"allow": ["fake:main:t2:*"]}, EVE, True, None),
        ({"allow": ["fake:main:t1:team"]}, EVE, True, None),
        ({"allow": ["fake:other:eve", "fake:main:t3:*", "fake:main:t1:x"]}, EVE, True, "other_tenant"),
        ({"admins": ["fake:main:eve"]}, EVE, True, None),
        ({"groups": "open"}, ANN, False, None),
        ({"groups": "open"}, EVE, False, "other_tenant"),
        ({"groups": "off"}, ANN, True, "group_off"),
        ({"groups": "off", "admins": ["fake:main:ann"]}, ANN, True, "group_off"),
        ({"groups": "allowlist"}, ANN, True, "not_listed"),
        ({"groups": "allowlist", "allow": ["fake:main:t1:team"]}, ANN, True, None),
        ({"groups": "allowlist", "admins": ["fake:main:ann"]}, ANN, True, None),
        ({"groups": "off", "conversations": [{"id": "a", "conversation": "fake:main:t1:team", "groups": "open"}]},
         ANN, False, None),
        ({"groups": "open", "conversations": [{"id": "a", "conversation": "fake:main:t1:x", "groups": "off"}]},
         ANN, False, None),
    ],
)  # fmt: skip
async def test_groups(
    database: Database, section: dict[str, Any], sender: Sender, mention: bool, refusal: str | None
) -> None:
    assert await Stage(database, **section).refusal(sender, mention=mention) == refusal


@pytest.mark.parametrize(
    ("section", "sender", "refusal"),
    [
        ({}, ANN, None),
        ({}, EVE, "other_tenant"),
        ({"dm": "pairing"}, ANN, "not_paired"),
        ({"dm": "pairing"}, EVE, "other_tenant"),
        ({"dm": "pairing", "allow": ["fake:main:ann"]}, ANN, None),
        ({"dm": "pairing", "allow": ["fake:main:t1:*"]}, ANN, None),
        ({"dm": "pairing", "admins": ["fake:main:ann"]}, ANN, None),
        ({"dm": "allowlist"}, ANN, "not_listed"),
        ({"dm": "allowlist", "owners": ["fake:main:ann"]}, ANN, None),
        ({"dm": "allowlist", "allow": ["fake:main:eve"]}, EVE, None),
        ({"dm": "allowlist", "groups": "open"}, ANN, "not_listed"),
        ({"groups": "off"}, ANN, None),
    ],
)
async def test_direct_chats(database: Database, section: dict[str, Any], sender: Sender, refusal: str | None) -> None:
    assert await Stage(database, **section).refusal(sender, DIRECT) == refusal


async def test_f17_a_listed_person_must_mention_and_an_unlisted_one_is_told_once(database: Database) -> None:
    stage = Stage(database, groups="allowlist", allow=["fake:main:ann"])
    listed = message(ANN, GROUP, mention=False)
    assert (await stage.access.admit(listed)).refusal == "not_mentioned"
    assert await stage.access.telling(listed, "not_mentioned") is None
    first = await stage.told(BOB)
    assert first is not None and first.key == "notice.not_listed"
    assert await stage.told(BOB) is None
    assert await stage.refusal(ANN) is None


async def test_f30_a_thread_in_which_the_bot_was_asked_is_followed_and_no_other(database: Database) -> None:
    stage = Stage(database)
    stage.ran_in = {str(THREAD), str(GROUP)}
    assert await stage.refusal(BOB, THREAD, mention=False) is None
    assert await stage.refusal(BOB, OTHER, mention=False) == "not_mentioned"
    assert await stage.refusal(BOB, GROUP, mention=False) == "not_mentioned", "no thread (F29)"
    assert await stage.refusal(EVE, THREAD, mention=False) == "other_tenant"


@pytest.mark.parametrize(
    "section",
    [
        {"threads": "mention"},
        {"conversations": [{"id": "a", "conversation": "fake:main:t1:team", "threads": "mention"}]},
    ],
)
async def test_f30_following_can_be_switched_off(database: Database, section: dict[str, Any]) -> None:
    stage = Stage(database, **section)
    stage.ran_in = {str(THREAD)}
    assert await stage.refusal(BOB, THREAD, mention=False) == "not_mentioned"
    assert await stage.refusal(BOB, THREAD, mention=True) is None


async def test_a_followed_thread_obeys_the_mode_of_its_group(database: Database) -> None:
    for mode, refusal in (("off", "group_off"), ("allowlist", "not_listed"), ("open", None)):
        stage = Stage(database, groups=mode)
        stage.ran_in = {str(THREAD)}
        written = message(BOB, THREAD, mention=False)
        assert (await stage.access.admit(written)).refusal == refusal
        if refusal == "group_off":
            assert await stage.access.telling(written, "group_off") is None, "it was not said to the bot"


async def test_ranks_go_by_id_on_this_account_and_never_by_name(database: Database) -> None:
    stage = Stage(database, admins=["fake:main:ann", "fake:main:bob"], allow=["fake:main:eve"])
    access = stage.access
    assert [(await access.principal(GROUP, each)).rank for each in (ANN, BOB, EVE, ROBOT)] == [
        "owner",
        "admin",
        "guest",
        "guest",
    ]
    impostor = Sender("mallory", "t1", "Ann")
    assert (await access.principal(GROUP, impostor)).rank == "member"
    assert (await access.principal(replace(GROUP, account="second"), ANN)).rank == "member"
    stage = Stage(database, owners=["fake:main:bob"], admins=["fake:main:ann"])
    assert [(await stage.access.principal(GROUP, each)).rank for each in (ANN, BOB)] == ["admin", "owner"]


async def test_the_engine_is_told_the_rank(database: Database) -> None:
    stage = Stage(database, admins=["fake:main:ann"], allow=["fake:main:eve"])
    assert [(await stage.says(each)).by.rank for each in (ANN, BOB, EVE)] == ["owner", "member", "guest"]
    principal = await stage.access.principal(GROUP, ANN)
    assert (principal.id, principal.tenant, principal.name, principal.rank) == ("ann", "t1", "Ann", "owner")


async def test_strangers_of_other_organisations_learn_nothing(database: Database) -> None:
    for section in ({}, {"dm": "pairing"}, {"dm": "allowlist"}, {"groups": "allowlist"}):
        stage = Stage(database, **section)
        assert await stage.told(EVE) is None
        assert await stage.told(EVE, DIRECT) is None
        assert await stage.people.pending(now_ms=stage.clock.now_ms()) == []


async def test_what_has_no_words_is_answered_only_when_it_was_for_the_bot(database: Database) -> None:
    stage = Stage(database, groups="open")
    told = await stage.told(ANN, text=" ")
    assert told is not None and told.key == "notice.empty"
    assert await stage.told(ANN, text=" ", mention=False) is None
