"""Running programs where they cannot do harm: what is asked for, the walls, the watch, and the trial whether it works."""

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
