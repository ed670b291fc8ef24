"""What is said about who may talk to the bot, in English. Same keys and placeholders as `access_zh`."""

from __future__ import annotations

TEXTS = {
    "notice.not_paired": "I do not know you yet. An administrator can let you in within the hour with: /pair {code}",
    "notice.pairing_full": "I do not know you yet, and others are waiting to be let in. Please try again later.",
    "notice.not_listed": "I may not answer you here. Please ask an administrator; to them you are {person}.",
    "notice.group_off": "I am switched off in this group.",
    "notice.bot_turns": "I do not answer bots here any more until a person writes.",
    "notice.person_too_fast": "That is faster than I may answer. What comes now gets no answer; go on in a minute.",
    "notice.conversation_too_fast": "Too many messages here. What is sent now gets no answer; go on in a minute.",
    "notice.person_full": (
        "{count} of your questions are still open, so I did not take this one in. Wait for an answer or /stop one, "
        "then send it again."
    ),
    "notice.conversation_full": (
        "{count} messages are open in this conversation, so I did not take this one in. Please send it again when some "
        "are answered; /queue shows them."
    ),
    "notice.gateway_full": (
        "I am very busy: {count} questions are waiting, so I did not take this one in. Please send it again in a few "
        "minutes."
    ),
    "notice.busy": "I am busy: your question is number {position} in line. It is kept; there is no need to repeat it.",
    "notice.busy_next": "I am busy: your question is next in line. It is kept; there is no need to repeat it.",
    "notice.busy_over": "It was your question's turn; the answer is on a card of its own.",
    "busy.title": "Waiting in line",
    "toast.person_full": "Too many of your questions are open. Please press again when one is answered.",
    "toast.conversation_full": "Too many messages wait here. Please press again when some are answered.",
    "toast.gateway_full": "I am too busy just now. Please press again in a few minutes.",
    "error.put_out": "You may not talk to me any more, so this was not answered. An administrator can let you in.",
    "reply.paired": "{who} may talk to me now.",
    "reply.pair_denied": "{who} was refused.",
    "reply.pair_revoked": "{who} may not talk to me any more, unless the settings say so.",
    "reply.pair_not_in": "{who} was not let in by an administrator of this account.",
    "reply.pair_unknown": "Nobody here is waiting with this code. A code is valid for one hour.",
    "reply.pair_usage": "/pair CODE, /pair CODE guest, /pair deny CODE or /pair revoke channel:account:person",
    "reply.access_is": "Here: groups={groups} threads={threads}",
    "reply.access_usage": "/access groups=mention|open|allowlist|off|default threads=follow|mention|default",
    "reply.access_fixed": "The settings decide that for this group.",
    "reply.access_groups_only": "That is for groups; the settings say who may write to me directly.",
    "reply.whoami": "You are {person}, {rank}. This conversation is {conversation}.",
    "rank.owner": "owner",
    "rank.admin": "administrator",
    "rank.member": "member",
    "rank.guest": "guest",
    "command.whoami": "your name in settings, your rank, this conversation's name",
    "command.pair": "let somebody in by their code, refuse them, take it back",
    "command.access": "when I listen in this group",
    "pair.none": "Nobody is waiting, and nobody was let in.",
    "pair.waiting": "waits: {who}, code {code}, for another {minutes} min",
    "pair.in": "in: {who}, {rank}, since {since}",
    "pair.no_database": "There is no database yet, or an older one. Start the gateway once, or run: niuma db migrate",
}
