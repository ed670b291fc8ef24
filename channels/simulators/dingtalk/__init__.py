"""A DingTalk organisation that runs on this machine and speaks the real wire protocol."""

from __future__ import annotations

from channels.simulators.dingtalk.simulator import DingTalkSimulator

__all__ = ["DingTalkSimulator"]
