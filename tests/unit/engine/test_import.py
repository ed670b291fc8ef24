from __future__ import annotations

import subprocess
import sys

HEAVY = ("aiohttp", "litellm", "dbos", "alembic", "openai")


def test_the_engines_face_is_imported_without_what_only_a_model_or_a_queue_needs() -> None:
    told = f"import engine.runtime, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
