"""Loads the official protobuf frame class without the 11,000 modules that its package imports on the way.

Importing anything below `lark_oapi` runs the package's `__init__`, which imports every API it has: 1.5 to 4.8 seconds
and 170 MB. Empty stand-ins for the parent packages, in place only while the one module is loaded, avoid that:
0.08 seconds. It is a private trick, therefore bound to the version it was proven with; any other version takes the
plain import.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
import sys
import threading
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from channels.feishu.frames import WireFrame

PROVEN_VERSION = "1.7.5"
_PARENTS = ("lark_oapi", "lark_oapi.ws", "lark_oapi.ws.pb", "lark_oapi.ws.pb.google")
"""The last one's `__init__` imports `pkg_resources`, which is slow and warns."""
_lock = threading.Lock()
_log = logging.getLogger(__name__)


@cache
def load_frame_class() -> type[WireFrame]:
    """Give the protobuf message of the long connection; safe from several threads, quick from the second call on."""
    with _lock:
        stubs = _install_stubs()
        try:
            return _import_frame()
        except Exception:
            if not stubs:
                raise
            _log.warning("feishu_frames_loaded_the_slow_way", exc_info=True)
        finally:
            _remove(stubs)
        _forget()
        return _import_frame()


def _import_frame() -> type[WireFrame]:
    from lark_oapi.ws.pb.pbbp2_pb2 import Frame

    return cast("type[WireFrame]", Frame)


def _install_stubs() -> list[str]:
    """Put empty parents in place; none when the real package is loaded already or the version is another."""
    if "lark_oapi" in sys.modules or importlib.metadata.version("lark-oapi") != PROVEN_VERSION:
        return []
    spec = importlib.util.find_spec("lark_oapi")
    if spec is None or not spec.submodule_search_locations:
        return []
    root = spec.submodule_search_locations[0]
    for name in _PARENTS:
        stub = ModuleType(name)
        stub.__path__ = [root + name.removeprefix("lark_oapi").replace(".", "/")]
        sys.modules[name] = stub
    return list(_PARENTS)


def _remove(stubs: list[str]) -> None:
    """Take the parents away again, so that a later plain import of the package is a real one."""
    for name in stubs:
        sys.modules.pop(name, None)


def _forget() -> None:
    """Drop what a failed load left behind."""
    for name in [name for name in sys.modules if name.startswith("lark_oapi.")]:
        del sys.modules[name]
