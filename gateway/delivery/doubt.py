"""An answer of which nobody can find out whether it arrived: its person is told so once, and how to see it again."""

from __future__ import annotations

import logging

from channels.base import CardOpening, Channel
from channels.errors import ChannelError, Unproven
from engine.ports import UNPROVEN, Owed
from gateway.delivery.away import is_away
from gateway.delivery.journal import CardJournal

logger = logging.getLogger(__name__)


class Doubt:
    """Told by a message of its own, in other words than the answer's: what cannot be repeated is not repeated.

    The ledger keeps the row until the person was told, or perhaps was; then it is a dead letter.
    """

    def __init__(self, channel: Channel, journal: CardJournal) -> None:
        self._channel = channel
        self._journal = journal.under("doubt/")

    async def tell(self, opening: CardOpening) -> Owed:
        """Tell it, if that was not done; `opening.card` says it."""
        try:
            await self._channel.send_final(opening, self._journal)
        except Unproven:
            # Perhaps told. A third message about a second one helps nobody.
            return Owed(reason=UNPROVEN, permanent=True)
        except ChannelError as error:
            logger.warning("doubt_not_told", extra={"run": opening.run, "code": error.code})
            away = is_away(error, self._channel)
            return Owed(reason=UNPROVEN, permanent=not error.works_again, away=away)
        return Owed(reason=UNPROVEN, permanent=True)
