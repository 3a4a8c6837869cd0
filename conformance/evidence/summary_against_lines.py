"""Whether a summary tells of the run that its request and its lines tell of.

A field of a summary is what a gate decides by: which device, profile and cells, and whether all of
the run was judged. Each is told a second time elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conformance.catalogue import corrupted as say
from conformance.evidence.lines import AnyLine, DeviceLine
from conformance.evidence.summary import (
    REJECTIONS,
    RELATIONS,
    SEQUENCES,
    Evidence,
    showing,
    withheld_cells,
)
from conformance.record.operator import RELATIONS as RELATIONS_ALONE

OTHERS = ("libraries", "checkout", "package")
"""Origins of libraries that may ask for machines on which no discrete cells are declared."""


def told_otherwise(evidence: Evidence, lines: tuple[AnyLine, ...]) -> Iterator[str]:
    """Where the summary says something else than its request, or than the lines."""
    yield from _of_request(evidence)
    yield from _of_devices(evidence, lines)
    yield from _of_cells(evidence, lines)
    yield from _of_coverage(evidence, lines)


def _of_request(evidence: Evidence) -> Iterator[str]:
    told = {
        "profile": evidence.profile,
        "seed": ", ".join(map(str, evidence.seeds or [evidence.seed])),
        "route": evidence.route,
        "device": re.sub(r"^npu:.*", "npu", evidence.device),
        "operator": ", ".join(evidence.operators),
    }
    for name, value in told.items():
        asked = evidence.request.get(name, value)
        if asked != value:
            yield say.OTHER_REQUEST(name=name, told=repr(value), asked=repr(asked))
    if evidence.parts < 1:
        yield say.NO_PARTS(count=evidence.parts)


def _of_devices(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    opened = [(one.description, one.profile) for one in lines if isinstance(one, DeviceLine)]
    for one in evidence.devices:
        if (one.description, one.profile) not in opened:
            yield say.UNKNOWN_DEVICE(device=one.description)


def _of_cells(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    groups = (REJECTIONS, RELATIONS, SEQUENCES)
    declared = [one for one in evidence.cells if one.mode not in groups]
    if evidence.request.get("oracle") != RELATIONS_ALONE:
        known = len(declared) + len(withheld_cells(lines))
        if known < evidence.declared:
            yield say.FEWER_DECLARED(known=known, declared=evidence.declared)
    if evidence.selected > evidence.declared:
        yield say.MORE_SELECTED(selected=evidence.selected, declared=evidence.declared)


def _of_coverage(evidence: Evidence, lines: Iterable[AnyLine]) -> Iterator[str]:
    """A cell of which cases show levels has a coverage, where the run declares discrete cells."""
    origins = [one.profile.get("origin") for one in evidence.devices]
    sources = [one.get("source") for one in origins if isinstance(one, dict)]
    if evidence.request.get("standard") or any(one in OTHERS for one in sources):
        return
    known = {(one.operator, one.mode, dtype) for one in evidence.coverage for dtype in one.dtypes}
    shown = dict.fromkeys((line.operator, line.mode, line.dtype) for line in showing(lines))
    for key in shown:
        if key not in known and key[0] in evidence.operators:
            yield say.NO_COVERAGE(cell="-".join(key))
