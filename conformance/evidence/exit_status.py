"""Who decides the exit status of a run: what its evidence says, for the session and for merging."""

from __future__ import annotations

from conformance.errors import ACCEPTED, ENVIRONMENT, INTERRUPTED, NOTHING_TO_DO, REFUSED
from conformance.evidence.summary import Evidence
from conformance.judge.broken import is_broken


def exit_status(evidence: Evidence, *, interrupted: bool = False) -> int:
    """The front door's status of a run that has ended."""
    if interrupted:
        return INTERRUPTED
    if evidence.failures or any(cell.failed for cell in evidence.cells):
        return REFUSED
    if evidence.environment:
        return ENVIRONMENT
    if any(map(is_broken, evidence.errors.values())):
        return ENVIRONMENT
    missing = any(one.missing or one.unmet for one in evidence.coverage)
    incomplete = evidence.unjudged or evidence.unreached or evidence.left_out
    if evidence.errors or incomplete or missing:
        return REFUSED
    return ACCEPTED if evidence.cases else NOTHING_TO_DO
