"""The engine's only facade: what a host starts, feeds, asks and stops."""

from engine.models.probe import Probed, probe_model
from engine.permissions import LivePolicy
from engine.permissions.audit import Entry as AuditEntry
from engine.permissions.audit import decisions
from engine.permissions.grants import Grant, account_holders, person_holder, take_back
from engine.permissions.grants import listed as grants_given
from engine.runs.admission import Overload
from engine.runs.archive import Archive
from engine.runs.busy import Spoken
from engine.runs.controls import Heard
from engine.runs.conversations import Conversations, Question, Standing
from engine.runs.dossier import Dossier, WaitView
from engine.runs.held import HeldMessage, Kept
from engine.runs.inbox import Submitted
from engine.runs.records import DeliveryView, Recorded, RunFilter
from engine.runs.resending import Resent, Retried
from engine.runs.story import Beat
from engine.runs.totals import Tally, Totals
from engine.runs.view import RunView
from engine.runtime.agent import build_runtime
from engine.runtime.agents import Agents, AgentView, agents_of
from engine.runtime.models import Models
from engine.runtime.readiness import Check
from engine.runtime.runtime import Runtime, check_environment
from engine.runtime.tools import ToolBench, ToolLine, mistakes_of, watched_folder
from engine.storage.config import Choice
from engine.storage.database import FILE_NAME as DATABASE_FILE
from engine.storage.database import Database
from engine.storage.lock import FolderLock
from engine.tools.redaction import redact as without_secrets
from engine.tools.sandbox import Trial, try_sandbox

__all__ = [
    "DATABASE_FILE",
    "AgentView",
    "Agents",
    "Archive",
    "AuditEntry",
    "Beat",
    "Check",
    "Choice",
    "Conversations",
    "Database",
    "DeliveryView",
    "Dossier",
    "FolderLock",
    "Grant",
    "Heard",
    "HeldMessage",
    "Kept",
    "LivePolicy",
    "Models",
    "Overload",
    "Probed",
    "Question",
    "Recorded",
    "Resent",
    "Retried",
    "RunFilter",
    "RunView",
    "Runtime",
    "Spoken",
    "Standing",
    "Submitted",
    "Tally",
    "ToolBench",
    "ToolLine",
    "Totals",
    "Trial",
    "WaitView",
    "account_holders",
    "agents_of",
    "build_runtime",
    "check_environment",
    "decisions",
    "grants_given",
    "mistakes_of",
    "person_holder",
    "probe_model",
    "take_back",
    "try_sandbox",
    "watched_folder",
    "without_secrets",
]
