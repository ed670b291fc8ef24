"""Which files that people send are not taken, by what is in them; nothing is ever unpacked to find out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_KINDS: Mapping[str, frozenset[str]] = {
    "archives": frozenset(
        {
            "application/zip",
            "application/gzip",
            "application/x-gzip",
            "application/x-bzip2",
            "application/x-xz",
            "application/x-7z-compressed",
            "application/vnd.rar",
            "application/x-rar-compressed",
            "application/zstd",
            "application/x-tar",
            "application/java-archive",
        }
    ),
    "programs": frozenset(
        {
            "application/x-dosexec",
            "application/x-msdownload",
            "application/x-msdos-program",
            "application/x-executable",
            "application/x-mach-binary",
            "application/x-sharedlib",
        }
    ),
}


def refusal_of(mime: str, refused: Collection[str]) -> str:
    """Give the code why a file of this type is not taken, `archives_refused`; empty when it is."""
    family = mime.partition("/")[0]
    kind = next((kind for kind, types in _KINDS.items() if mime in types), family if family != "application" else "")
    return f"{kind}_refused" if kind in refused else ""
