"""Who may talk to the bot, where, and how much; and who may press. Asked before any visible sign."""

from gateway.access.access import Access, is_called
from gateway.access.admission import Admission, Refusal, Telling
from gateway.access.rules import chat_of

__all__ = ["Access", "Admission", "Refusal", "Telling", "chat_of", "is_called"]
