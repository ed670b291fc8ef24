"""The newest entries of much that passes by."""

from __future__ import annotations

from channels.kept import Kept


def test_the_oldest_goes_and_what_is_set_again_is_new() -> None:
    kept: Kept[str, int] = Kept(2)
    kept["a"], kept["b"] = 1, 2
    kept["a"] = 3
    kept["c"] = 4
    assert dict(kept) == {"a": 3, "c": 4}


def test_reading_makes_nothing_newer() -> None:
    kept: Kept[str, int] = Kept(2)
    kept["a"], kept["b"] = 1, 2
    assert kept.get("a") == kept.setdefault("a", 9) == 1
    kept["c"] = 3
    assert list(kept) == ["b", "c"]


def test_what_is_taken_out_leaves_room() -> None:
    kept: Kept[str, int] = Kept(2)
    kept["a"], kept["b"] = 1, 2
    assert kept.pop("a") == 1
    kept["c"] = 3
    assert list(kept) == ["b", "c"]
