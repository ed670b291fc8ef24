"""Whether the account's card template has a place for the answer.

No call tells it. A frame for a variable that the template lacks is refused with a code that a missing right and an
ended card have too, and the other call takes the text without a word and shows nothing.
Source: open.dingtalk.com "api-streamingupdate", users' reports of `unknownError`, read 2026-11-30.
"""

from __future__ import annotations

import logging
import uuid

from channels.clock import Clock
from channels.dingtalk.client import Client, Frame
from channels.errors import ChannelError, StreamEnded

_KNOWN_FOR_S = 600.0
"""Then a card is tried again: somebody may have mended the template."""
_log = logging.getLogger(__name__)


class TextPlace:
    """What is known of one account's template."""

    def __init__(self, client: Client, clock: Clock, variable: str) -> None:
        self._client = client
        self._clock = clock
        self._variable = variable
        self._missing_until_s = 0.0

    @property
    def is_missing(self) -> bool:
        """Tell whether a card was found to show no answer, not long ago."""
        return self._clock.steady_s() < self._missing_until_s

    async def find_out(self) -> bool:
        """Tell whether the first frame to a new card was refused because there is no place for it.

        A card that nobody has is asked for in the same way: told that it is not there, we have the right to stream.
        """
        nobody = f"none-{uuid.uuid4().hex}"
        try:
            await self._client.stream(Frame(nobody, uuid.uuid4().hex, self._variable, "…"))
        except ChannelError as error:
            if isinstance(error, StreamEnded) and error.reason == "gone":
                self._missing_until_s = self._clock.steady_s() + _KNOWN_FOR_S
                _log.error("dingtalk_template_lacks_text", extra={"variable": self._variable})
        return self.is_missing
