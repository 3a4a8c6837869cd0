"""Two implementations, one verdict: what the second answers is judged beside the first.

Both are judged by the contract. So it is known which of them is wrong; and if both are accepted,
whether they are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import against as say
from conformance.catalogue.verdict import OF_CALL, SENTENCE
from conformance.judge import calls
from conformance.judge.effects import specified_elements
from conformance.judge.headline import parted, unended
from conformance.judge.verdict import Verdict
from conformance.judge.worst import show
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.operator import Operator, Unspecified
from reference.floats import format_of

SAME, OTHER_BITS, FIRST, SECOND, BOTH = "same", "other bits", "first", "second", "both"
"""What came of a case: both accepted, with the same bits or others; or which of them is wrong."""


@dataclass(frozen=True)
class Beside:
    """The second implementation: the ``records`` on its route, its arithmetic, and what both are
    called in a sentence. ``same_bits``: other bits fail a case, though both are accepted."""

    records: Mapping[str, Operator] = field(default_factory=dict)
    arithmetic: Arithmetic = IEEE
    first: str = ""
    second: str = ""
    same_bits: bool = False


def judged_beside(
    beside: Beside | None,
    operator: Operator,
    case: Case,
    observation: Observation,
    verdict: Verdict,
) -> tuple[Observation, Verdict]:
    """The verdict on both, and the observation that it is about: that of the wrong one.

    As it is, if there is no second answer, or nothing was judged of the first.
    """
    other = observation.beside
    if beside is None or other is None or not verdict.judged:
        return observation, verdict
    second = calls.judge(beside.records[case.operator], case, other, beside.arithmetic)
    if not second.judged:
        return observation, verdict
    differing = tuple(_differences(operator, case, observation, other))
    names = {"first": beside.first, "second": beside.second}
    if verdict.ok and second.ok:
        ok = not (differing and beside.same_bits)
        told = say.OTHER_BITS(**names) if differing else say.SAME_BITS(**names)
        findings = (*verdict.findings, *differing)
        return observation, replace(
            verdict,
            ok=ok,
            headline=_told(verdict, told),
            findings=findings,
            beside=OTHER_BITS if differing else SAME,
        )
    which = BOTH if not (verdict.ok or second.ok) else SECOND if verdict.ok else FIRST
    wrong, seen = (second, other) if which == SECOND else (verdict, observation)
    words = {FIRST: say.FIRST_WRONG, SECOND: say.SECOND_WRONG, BOTH: say.BOTH_WRONG}[which]
    told = words(**names, what=unended(parted(wrong.headline)[1]))
    findings = (*wrong.findings, *differing)
    return seen, replace(wrong, headline=_told(wrong, told), findings=findings, beside=which)


def _told(verdict: Verdict, what: str) -> str:
    """A headline that says something else of the same call."""
    call = verdict.subject
    about = (call.operator, call.mode, call.dtype) if isinstance(call, Case) else ()
    return OF_CALL(call=about, what=SENTENCE(what=what))


def _differences(
    operator: Operator, case: Case, one: Observation, other: Observation
) -> Iterator[str]:
    """A sentence for each output whose bits differ where its contract speaks: how many, and the
    first of them."""
    if one.outcome is not Outcome.COMPLETED or other.outcome is not Outcome.COMPLETED:
        return
    for name in case.outputs:
        here, there = one.outputs.get(name), other.outputs.get(name)
        if here is None or there is None or here.shape != there.shape or here.dtype != there.dtype:
            continue
        contract = operator.contract(name, case)
        if isinstance(contract, Unspecified):
            continue
        bits = np.dtype(f"u{here.dtype.itemsize}")
        differ = here.view(bits) != there.view(bits)
        specified = specified_elements(contract, case, here)
        places = np.flatnonzero(differ if specified is None else differ & specified)
        if places.size:
            at = int(places[0])
            where = ", ".join(str(int(i)) for i in np.unravel_index(at, here.shape))
            shown = [_shown(array.reshape(-1)[at : at + 1]) for array in (here, there)]
            counts = {"count": int(places.size), "size": int(here.size)}
            yield say.DIFFERS(output=name, where=where, one=shown[0], other=shown[1], **counts)


def _shown(element: NDArray[np.generic]) -> str:
    """An element as a person reads it, with its bits if it is no integer."""
    if element.dtype.kind in "iub":
        return str(element[0])
    return show(int(element.view(f"u{element.itemsize}")[0]), format_of(element.dtype))
