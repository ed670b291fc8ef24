"""`niuma doctor`: what is well, what is not, and what to do about it."""

from __future__ import annotations

from gateway.doctor.examination import Examined
from gateway.doctor.examine import examine
from gateway.doctor.report import as_data, as_lines, has_failed
from gateway.doctor.subject import Subject

__all__ = ["Examined", "Subject", "as_data", "as_lines", "examine", "has_failed"]
