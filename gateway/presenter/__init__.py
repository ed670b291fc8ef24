"""The only place where an event becomes a card."""

from gateway.presenter.presenter import Presenter, Style

__all__ = ["Presenter", "Style"]
