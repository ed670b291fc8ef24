"""A Slack workspace that runs on this machine and speaks the real wire protocol."""

from __future__ import annotations

from channels.simulators.slack.simulator import SlackSimulator

__all__ = ["SlackSimulator"]
