"""What a call may do: rules, roles and what they rule. Pure; nothing here runs a tool or asks a person."""

from engine.permissions.policy import Policy
from engine.permissions.request import Request, Touches
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Ruling, Verdict, strictest

__all__ = ["Policy", "Request", "Role", "Rule", "Ruling", "Touches", "Verdict", "strictest"]
