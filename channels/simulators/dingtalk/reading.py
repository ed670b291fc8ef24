"""What a member reads of a message, as plain text."""

from __future__ import annotations

from channels.simulators.dingtalk.cards import Card
from channels.simulators.dingtalk.world import Message
from channels.simulators.jsons import as_objects

PLACEHOLDERS = {"picture": "[图片]", "image": "[图片]", "audio": "[语音]", "video": "[视频]", "file": "[文件]"}


def read_message(message: Message, card: Card | None, viewer: str | None, blank_above_chars: int) -> str:
    """Give a message's words; a card as one person sees it, a recalled message not at all."""
    if message.recalled:
        return ""
    if message.msg_type == "card":
        return "" if card is None else read_card(card, viewer, blank_above_chars)
    content = message.content
    if message.msg_type == "richText":
        return "".join(str(part.get("text", "[图片]")) for part in as_objects(content.get("parts")))
    if message.msg_type in PLACEHOLDERS:
        words = content.get("recognition") or content.get("fileName") or content.get("file_name") or ""
        return f"{PLACEHOLDERS[message.msg_type]} {words}".strip()
    if message.msg_type == "unknownMsgType":
        return "[不支持的消息]"
    lines = [content.get("text") or content.get("markdown") or content.get("title") or ""]
    lines += [f"[{button['title']}]" for button in as_objects(content.get("buttons"))]
    return "\n".join(str(line) for line in lines)


def read_card(card: Card, viewer: str | None, blank_above_chars: int) -> str:
    """Give the shown variables in the template's order, then the visible buttons; a blank card reads as nothing."""
    if card.is_blank(blank_above_chars):
        return ""
    shown = [each for each in card.template.variables if each.kind != "hidden"]
    lines = [card.value(each.name, viewer) for each in shown if card.is_shown(each.visible_key, viewer)]
    buttons = [each for each in card.template.buttons if card.is_shown(each.visible_key, viewer)]
    lines += [f"[{card.label(button, viewer)}]" for button in buttons]
    return "\n".join(line for line in lines if line)
