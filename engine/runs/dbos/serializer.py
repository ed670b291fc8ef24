"""JSON instead of the library's default (pickle), which would let whoever writes the database run code here."""

from __future__ import annotations

import json
from typing import Any

from dbos import Serializer


class JsonSerializer(Serializer):
    """Stores arguments and results as JSON; errors as their text."""

    def serialize(self, data: Any) -> str:
        """Give JSON; what JSON does not know becomes its text."""
        return json.dumps(data, default=str)

    def deserialize(self, serialized_data: str) -> Any:
        """Read JSON."""
        return json.loads(serialized_data)

    def name(self) -> str:
        """Give the name that is stored beside the data."""
        return "niuma_json"
