"""Commands: words with a slash that are carried out at once and never sent to a model."""

from gateway.commands.command import Command, parse_command
from gateway.commands.commands import Commands, Order, Reply

__all__ = ["Command", "Commands", "Order", "Reply", "parse_command"]
