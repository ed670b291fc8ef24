"""What the operating system says of a folder's disk; tests give their own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class Disk:
    """The real one."""

    def can_write(self, folder: Path) -> bool:
        """Tell whether this process may make files in `folder`; makes none."""
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
        return not read_only and os.access(folder, os.W_OK | os.X_OK)

    def free_bytes(self, folder: Path) -> int:
        """Give the space left for this user."""
        return shutil.disk_usage(folder).free


def readable(size_bytes: float) -> str:
    """Give a size as people write it."""
    for unit in ("B", "KB", "MB"):
        if size_bytes < 1000:
            return f"{size_bytes:.0f} {unit}"
        size_bytes /= 1000
    return f"{size_bytes:.1f} GB"
