"""A stored answer once more, because somebody asked for it: a message of its own, beside whatever shows the first."""

from __future__ import annotations

from dataclasses import replace

from channels.base import CardOpening
from channels.errors import ChannelError, Unproven
from engine.ports import Delivered, Opening, Owed
from gateway.delivery.anew import receipt_json
from gateway.delivery.away import is_away
from gateway.delivery.doubt import Doubt
from gateway.delivery.journal import CardJournal
from gateway.delivery.place import Place
from gateway.presenter import Presenter


class Again:
    """One asking: sent once, however often it is tried. Other askings of the same run are other messages."""

    def __init__(self, place: Place, opening: Opening, presenter: Presenter, journal: CardJournal) -> None:
        assert opening.again is not None
        self._channel = place.channel
        self._journal = journal.under(f"again/{opening.again}/")
        self._presenter = presenter
        # Adapters know a message by its run: the first one's must not be taken for this one.
        self._card = CardOpening(
            conversation=place.conversation,
            run=f"{opening.run}-again-{opening.again}",
            attempt=opening.attempt,
            reply_to=opening.input.anchor,
            # Buttons stay where the run is judged: on the first one.
            card=replace(presenter.final_card(), actions=(), call=None),
            way_back=opening.input.way_back,
        )

    async def send(self) -> Delivered | Owed:
        """Send it, or tell that nobody knows whether it was."""
        try:
            sent = await self._channel.send_final(self._card, self._journal)
        except Unproven:
            told = replace(self._card, run=f"{self._card.run}-doubt", card=self._presenter.left_card("unproven"))
            return await Doubt(self._channel, self._journal).tell(told)
        except ChannelError as error:
            away = is_away(error, self._channel)
            return Owed(reason=error.code, permanent=not error.works_again, away=away)
        return Delivered(receipt=receipt_json(sent.receipt))
