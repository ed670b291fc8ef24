"""What a card says around tool calls, plans and questions, in English. Same keys and placeholders as `panels_zh`."""

from __future__ import annotations

TEXTS = {
    "panel.todos": "Plan: {done} of {total} done",
    "panel.read_file": "Read {subject}",
    "panel.edit_file": "Edit {subject}",
    "panel.write_file": "Write {subject}",
    "panel.create_file": "Create {subject}",
    "panel.delete_file": "Delete {subject}",
    "panel.bash": "Command {subject}",
    "panel.search": "Search {subject}",
    "panel.outputs": "Output files: {count}",
    "panel.lines": "lines {first}-{last}",
    "panel.results": "results: {count}",
    "panel.exit_code": "exit code {code}",
    "panel.part": "@@ change {number} of {count} @@",
    "panel.part_everywhere": "@@ change {number} of {count}, at every such place of the file @@",
    "panel.no_line_end": "\\ without a line end",
    "panel.call_cut": "[{chars} more characters of this call are not shown; deny it if you need to see them.]",
    "label.cut": "[{chars} characters left out]",
    "notice.criteria_not_met": "Still missing: {missing}",
    "error.permission_denied": "A rule does not allow this.",
    "error.denied": "Not run: it was denied.",
    "error.approval_expired": "Not run: nobody answered in time.",
    "error.approval_void": "Not run: what it would run was changed since it was asked.",
    "error.approvals_full": "Not run: too many questions wait for an answer already.",
    "error.stopped": "Stopped.",
    "error.held_back": "Not run: another step of the plan did not work.",
}
