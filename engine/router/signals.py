"""All signals of single requests. Add one to the table it belongs to; `team.py` counts what one pattern cannot."""

from __future__ import annotations

from engine.router.fact_signals import FACTS
from engine.router.knowledge_signals import KNOWLEDGE
from engine.router.order_signals import ORDERS
from engine.router.place_signals import PLACES
from engine.router.signal import Signal
from engine.router.talk_signals import TALK
from engine.router.writing_signals import WRITING

SIGNALS: tuple[Signal, ...] = (*TALK, *KNOWLEDGE, *WRITING, *PLACES, *ORDERS, *FACTS)
