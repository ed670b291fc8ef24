"""Shows runs on channels: the engine's `Surface` port over the channels' cards."""

from gateway.delivery.budgets import AccountBudgets
from gateway.delivery.delivery import Delivery

__all__ = ["AccountBudgets", "Delivery"]
