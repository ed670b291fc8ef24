"""Commands: words with a slash that are carried out at once and never sent to a model."""

from gateway.commands.command import Command, Unknown, parse_command
from gateway.commands.commands import Commands
from gateway.commands.order import Order, Reply
from gateway.commands.pressed import told_of

__all__ = ["Command", "Commands", "Order", "Reply", "Unknown", "parse_command", "told_of"]
