"""The frame class is loaded without the package, and the package still works afterwards."""

from __future__ import annotations

import subprocess
import sys


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=50)
    return done.stdout.strip()


def test_only_the_frames_are_loaded():
    code = """
import sys, warnings
warnings.simplefilter("error")
from channels.feishu.loader import load_frame_class
load_frame_class()
loaded = [name for name in sys.modules if name.startswith("lark_oapi")]
print(len(loaded), "lark_oapi" in sys.modules, "lark_oapi.api" in sys.modules, "pkg_resources" in sys.modules)
"""
    count, *others = run(code).split()
    assert int(count) < 60
    assert others == ["False", "False", "False"]


def test_a_plain_import_afterwards_is_whole_and_uses_the_same_class():
    code = """
import warnings
from channels.feishu.loader import load_frame_class
ours = load_frame_class()
warnings.simplefilter("ignore")
import lark_oapi
from lark_oapi.ws.pb.pbbp2_pb2 import Frame
print(Frame is ours, hasattr(lark_oapi, "Client"))
"""
    assert run(code) == "True True"


def test_another_version_takes_the_plain_import():
    code = """
import warnings
warnings.simplefilter("ignore")
from channels.feishu import loader
loader.PROVEN_VERSION = "0.0.0"
frame = loader.load_frame_class()
import sys
print(frame.__name__, hasattr(sys.modules["lark_oapi"], "Client"))
"""
    assert run(code) == "Frame True"
