"""What a call may do: rules, roles and what they rule. Nothing here runs a tool or asks a person."""

from engine.permissions.approvals import LIFETIMES, Approvals, Lifetime
from engine.permissions.live import LivePolicy
from engine.permissions.policy import Policy
from engine.permissions.request import Request, Touches
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Ruling, Verdict, strictest

__all__ = [
    "LIFETIMES",
    "Approvals",
    "Lifetime",
    "LivePolicy",
    "Policy",
    "Request",
    "Role",
    "Rule",
    "Ruling",
    "Touches",
    "Verdict",
    "strictest",
]
