"""What the gate says of a run: what rejects it, and what it lets pass."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from conformance.catalogue import gate as say

ACCEPTED, REJECTED, CANNOT_JUDGE = 0, 1, 3
KINDS = {
    "device": say.DEVICE,
    "stale kernel": say.STALE_KERNEL,
    "not judged": say.NOT_JUDGED,
    "failure": say.FAILURE,
    "error": say.ERROR,
    "wrong waiver": say.WRONG_WAIVER,
    "expired waiver": say.EXPIRED_WAIVER,
    "unmatched waiver": say.UNMATCHED_WAIVER,
    "over-broad waiver": say.BROAD_WAIVER,
    "newly failing": say.NEWLY_FAILING,
    "order drift": say.ORDER_DRIFT,
    "tiling key": say.TILING_KEY,
    "bit-exact share": say.BIT_EXACT_SHARE,
    "more work": say.MORE_WORK,
    "slower": say.SLOWER,
    "missing case": say.MISSING_CASE,
    "missing cell": say.MISSING_CELL,
}
"""Kinds of findings in the order in which they are told, each with its words: what is missing may
be missing because something failed."""
WORDS = {ACCEPTED: "accepted", REJECTED: "rejected", CANNOT_JUDGE: "cannot judge"}


class Finding(msgspec.Struct, kw_only=True, frozen=True):
    """A reason to reject.

    ``kind`` is one word or two that stay the same between versions; ``subject`` the item, cell,
    call or waiver that it is about; ``message`` a sentence; ``file`` what to open, empty if
    nothing. ``items`` are all those of a failure, if several failed in the same way. ``source`` and
    ``line`` are the place in a kernel that a diagnostic names, if one does.
    """

    kind: str
    subject: str
    message: str
    file: str = ""
    items: tuple[str, ...] = ()
    source: str = ""
    line: int = 0


class Judgement(msgspec.Struct, kw_only=True):
    """The gate's answer; the line of ``--json``.

    ``status`` is the exit status. ``reasons`` tell why a run cannot be judged; ``findings`` why it
    is rejected. ``waived`` and ``unconfirmed`` are failures that do not reject, each a sentence;
    ``notes`` what else is worth knowing. ``figures`` are shown, and nothing follows from them.
    """

    status: int
    verdict: str
    run: str
    device: str = ""
    baseline: str = ""
    cases: int = 0
    reasons: list[str] = []
    findings: list[Finding] = []
    waived: list[str] = []
    unconfirmed: list[str] = []
    notes: list[str] = []
    figures: list[str] = []


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, causes before consequences."""
    places = {kind: place for place, kind in enumerate(KINDS)}
    return sorted(findings, key=lambda finding: places.get(finding.kind, len(places)))


def cannot(run: str, reasons: tuple[str, ...]) -> Judgement:
    """The answer where nothing can be said."""
    return Judgement(
        status=CANNOT_JUDGE, verdict=WORDS[CANNOT_JUDGE], run=run, reasons=list(reasons)
    )
