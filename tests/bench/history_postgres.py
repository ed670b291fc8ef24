"""The same as `history`, on Postgres. Apart: it needs a server."""

from __future__ import annotations

import pytest

from tests.bench.history import measure_on
from tests.bench.row import Row
from tests.bench.stage import stage
from tests.processes.postgres import empty_database


async def measure(*, quick: bool = False) -> list[Row]:
    """Measure on a database of its own."""
    try:
        with empty_database() as database:
            async with stage() as set_:
                set_.settings = {**set_.settings, "NIUMA_DATABASE__URL": database.url}
                return await measure_on(set_, database.url, quick=quick)
    except pytest.skip.Exception as error:
        raise RuntimeError(str(error)) from error
