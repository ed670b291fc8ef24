"""Everything that is examined, in the order it is shown. A new examination is a function and a line here."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.doctor.configured import configured_examinations
from gateway.doctor.database import database_examinations
from gateway.doctor.examination import Examination
from gateway.doctor.folder import folder_examinations
from gateway.doctor.machine import machine_examinations
from gateway.doctor.model import model_examinations
from gateway.doctor.process import process_examinations
from gateway.doctor.subject import Subject


def examinations(subject: Subject) -> Sequence[Examination]:
    """Give the examinations of this machine and of the models; those of the channels follow."""
    return (
        *configured_examinations(subject),
        *folder_examinations(subject),
        *database_examinations(subject),
        *process_examinations(subject),
        *machine_examinations(subject),
        *model_examinations(subject),
    )
