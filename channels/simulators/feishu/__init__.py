"""A Feishu tenant that runs on this machine and speaks the real wire protocol."""

from __future__ import annotations

from channels.simulators.feishu.simulator import FeishuSimulator

__all__ = ["FeishuSimulator"]
