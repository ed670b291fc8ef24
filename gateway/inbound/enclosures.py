"""What comes with messages: which parts a message has, and how the engine gets what is in them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, cast

from channels.base import Channel
from channels.cards.shorten import shorten
from channels.errors import ChannelError, MissingScope, NotSupported, TooLong
from channels.events import AttachmentHandle, ConversationRef, Fetched, InboundMessage, Quote
from engine.errors import EnclosureUnavailable
from engine.messages import Address, EnclosedPart, Part, TextPart
from engine.ports import Enclosure
from gateway.inbound.file_kind import is_sign_in_page, lies, mime_of, with_ending
from gateway.texts import Language, text

_READ = "read"
_LABEL_CHARS = 80
_QUOTED_FILES = 8
"""Of quoted and forwarded messages together."""
_FRAME = str.maketrans("[]", "()")


def enclosed_parts(message: InboundMessage, language: Language) -> list[Part]:
    """Give what came with a message, to be fetched when its run begins: a quote first, files in their order.

    A voice message that the platform has put into words is those words.
    """
    parts: list[Part] = []
    if message.forwards:
        parts.append(_message_part(message.message_id, text(language, "enclosed.forwards"), language))
    if message.quoted_message_id:
        parts.append(_message_part(message.quoted_message_id, text(language, "enclosed.quote"), language))
    return parts + [_attached(handle, language) for handle in message.attachments]


def is_spoken(message: InboundMessage) -> bool:
    """Tell whether the message has words that its writer spoke."""
    return any(handle.transcript.strip() for handle in message.attachments)


def _attached(handle: AttachmentHandle, language: Language) -> Part:
    if heard := handle.transcript.strip():
        return TextPart(text=text(language, "prompt.heard", words=heard))
    return _file_part(handle, language)


def _message_part(message_id: str, label: str, language: Language) -> EnclosedPart:
    ref = {"kind": _READ, "message": message_id, "language": language}
    return EnclosedPart(label=label, ref=ref, is_words=True)


def _file_part(handle: AttachmentHandle, language: Language) -> EnclosedPart:
    ref = {"kind": handle.kind, "key": handle.key, "message": handle.message_id, "name": handle.name}
    return EnclosedPart(label=_label(handle.name) or text(language, f"enclosed.{handle.kind}"), ref=ref)


def _label(name: str) -> str:
    """Give a file's name as data: one short line that cannot pass for words of ours around it."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in name[: 4 * _LABEL_CHARS])
    return shorten(" ".join(visible.split()).translate(_FRAME), _LABEL_CHARS)


class ChannelEnclosures:
    """Fetches from the channel that the conversation is on. Implements `engine.ports.Enclosures`."""

    def __init__(self, channels: Mapping[tuple[str, str], Channel]) -> None:
        self._channels = channels

    async def open(self, to: Address, part: EnclosedPart, max_bytes: int) -> Sequence[str | Enclosure]:
        """See `Enclosures.open`."""
        conversation = ConversationRef.parse(to)
        channel = self._channels.get((conversation.channel, conversation.account))
        if channel is None:
            raise EnclosureUnavailable(f"no channel for {to}", code="no_channel")
        try:
            if part.ref["kind"] == _READ:
                language = cast("Language", part.ref.get("language", "en"))
                return await _quoted_things(channel, await channel.read(part.ref["message"]), language, max_bytes)
            return [_checked(part, await channel.fetch(_handle(part.ref), max_bytes=max_bytes))]
        except ChannelError as error:
            raise EnclosureUnavailable(str(error), code=_code_of(error)) from error


async def _quoted_things(
    channel: Channel, quotes: Sequence[Quote], language: Language, max_bytes: int
) -> list[str | Enclosure]:
    """Give the words of quotes, and the files of their writers; one that cannot be read is said, and costs no other."""
    told = _told(quotes, language)
    things: list[str | Enclosure] = [told] if told else []
    handles = [handle for quote in quotes if not quote.by_us for handle in quote.attachments]
    for handle in handles[:_QUOTED_FILES]:
        part = _file_part(handle, language)
        try:
            things.append(_checked(part, await channel.fetch(handle, max_bytes=max_bytes)))
        except ChannelError as error:
            things.append(text(language, "prompt.quoted_unreadable", label=part.label, code=_code_of(error)))
        except EnclosureUnavailable as error:
            things.append(text(language, "prompt.quoted_unreadable", label=part.label, code=error.code))
    return things


def _handle(ref: Mapping[str, str]) -> AttachmentHandle:
    return AttachmentHandle(cast("Any", ref["kind"]), ref["key"], ref["message"], ref.get("name", ""))


def _told(quotes: Sequence[Quote], language: Language) -> str:
    """Put quotes into words, framed so that nobody takes them for the person's own."""
    said = [quote for quote in quotes if quote.text and not quote.by_us]
    return "\n".join(
        text(language, "prompt.quote", author=_label(quote.author), words=_quoted(quote.text)) for quote in said
    )


def _quoted(words: str) -> str:
    """Mark every line, so that no quoted words can end the quote."""
    return "\n".join(f"> {line}" for line in words.splitlines())


def _checked(part: EnclosedPart, fetched: Fetched) -> Enclosure:
    """Refuse what is not what it says it is: platforms answer a missing right with a page to sign in on."""
    name = fetched.name or part.label
    mime = mime_of(fetched.content, name, fetched.mime)
    if is_sign_in_page(fetched.content, name):
        raise EnclosureUnavailable(f"{name}: a web page came instead", code="sign_in_page")
    if lies(fetched.content, name):
        raise EnclosureUnavailable(f"{name}: its content is something else", code="not_as_named")
    if part.ref["kind"] == "image" and not mime.startswith("image/"):
        raise EnclosureUnavailable(f"{name}: no picture", code="no_picture")
    return Enclosure(fetched.content, with_ending(name, mime), mime)


def _code_of(error: ChannelError) -> str:
    match error:
        case TooLong():
            return "too_large"
        case MissingScope():
            return "missing_scope"
        case NotSupported():
            return "not_supported"
        case _:
            return "gone" if not error.works_again else "not_reachable"
