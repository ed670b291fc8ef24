"""Running programs where they cannot do harm, and the trial whether that works here."""

from engine.tools.sandbox.bubblewrap import Bubblewrap
from engine.tools.sandbox.order import Confinement, Ending, Finished, Limits, Order, Tell
from engine.tools.sandbox.run import run
from engine.tools.sandbox.trial import Trial, find_confinement, try_sandbox
from engine.tools.sandbox.unconfined import Unconfined

__all__ = [
    "Bubblewrap",
    "Confinement",
    "Ending",
    "Finished",
    "Limits",
    "Order",
    "Tell",
    "Trial",
    "Unconfined",
    "find_confinement",
    "run",
    "try_sandbox",
]
