"""One page that shows several simulated platforms side by side."""

from channels.simulators.showroom.showroom import Showroom

__all__ = ["Showroom"]
