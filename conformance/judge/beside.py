"""Two implementations, one verdict: what the second answers is judged beside the first.

Both are judged by the contract. So it is known which of them is wrong; and if both are accepted,
whether they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.catalogue import against as say
from conformance.catalogue.message import Said
from conformance.catalogue.verdict import OF_CALL, SENTENCE
from conformance.devices.device import Device
from conformance.devices.pair import Pair
from conformance.errors import OperatorUnavailable
from conformance.judge import calls
from conformance.judge.effects import specified_elements
from conformance.judge.examples import judge_example
from conformance.judge.headline import parted, unended
from conformance.judge.rejections import judge_rejection
from conformance.judge.relate import related
from conformance.judge.sequences import judged, rejection_of
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.judge.worst import show
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.record.contract import Unspecified
from conformance.record.operator import Example, Operator, Rejection
from conformance.record.relation import Relation
from reference.floats import format_of

SAME, OTHER_BITS, FIRST, SECOND, BOTH = "same", "other bits", "first", "second", "both"
"""What came of a case: both accepted, with the same bits or others; or which of them is wrong."""


Answer = tuple[Observation, Verdict]
"""A verdict, and the observation that it is about."""

Second = Callable[[Operator, Case, Observation, Arithmetic], Verdict | None]
"""How the second is judged, by its record; None: it says nothing of the case."""


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
    judge: Second = calls.judge,
) -> Answer:
    """The verdict on both, and the observation that it is about: that of the wrong one.

    As it is, if there is no second answer, or nothing was judged of the first.
    """
    other = observation.beside
    if beside is None or other is None or not verdict.judged:
        return observation, verdict
    second = judge(beside.records[case.operator], case, other, beside.arithmetic)
    if second is None or not second.judged:
        return observation, verdict
    if verdict.ok and second.ok and Outcome.REJECTED in (observation.outcome, other.outcome):
        # Of a forbidden call that one of them carries out and may, that is what is on record.
        return (other if observation.outcome is Outcome.REJECTED else observation), verdict
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
            outputs=dict(_less_bounded(verdict, second)),
            findings=findings,
            beside=OTHER_BITS if differing else SAME,
        )
    seen, wrong = _wrong(beside, (observation, verdict), (other, second))
    return seen, replace(wrong, findings=(*wrong.findings, *differing))


def _less_bounded(first: Verdict, second: Verdict) -> Iterator[tuple[str, OutputVerdict]]:
    """The outputs of the first; not bounded is as much as of the one of which less is known."""
    for name, one in first.outputs.items():
        other = second.outputs.get(name, one)
        yield name, replace(one, unbounded=max(one.unbounded, other.unbounded))


def related_beside(
    beside: Beside | None,
    relation: Relation,
    records: Mapping[str, Operator],
    drawn: Case,
    device: Device,
) -> Answer:
    """The verdict on a relation of a device, or of a `Pair` of them, and the observation that it is
    about. That of the first as it is, if the relation says nothing of the second."""
    if not isinstance(device, Pair):
        return related(relation, records, drawn, device.run)
    first = related(relation, records, drawn, device.first.run)
    if beside is None or not first[1].judged:
        return first
    try:
        second = related(relation, beside.records, drawn, device.second.run)
    except OperatorUnavailable:  # the relation calls an operator that the second has not
        return first
    if not second[1].judged or (first[1].ok and second[1].ok):
        return first
    return _wrong(beside, first, second)


def as_example(example: Example) -> Second:
    """The second answers a documented call."""
    return lambda record, _, seen, arithmetic: judge_example(example, record, seen, arithmetic)


def as_rejection(rejection: Rejection, *, lenient: bool = False) -> Second:
    """The second must reject a call, if its record says so, too; ``lenient`` as for the first."""

    def judge(record: Operator, case: Case, seen: Observation, _: Arithmetic) -> Verdict | None:
        of_second = (one for one in record.rejections if one.name == rejection.name)
        there = next(of_second, None)
        return None if there is None else judge_rejection(there, seen, lenient=lenient)

    return judge


def in_sequence(operator: Operator) -> Second:
    """The second answers a call among others, which ``operator`` may have to reject."""

    def judge(record: Operator, case: Case, seen: Observation, by: Arithmetic) -> Verdict | None:
        if rejection_of(operator, case) is not None and rejection_of(record, case) is None:
            return None
        return judged(record, case, seen, by)

    return judge


def _wrong(beside: Beside, one: Answer, other: Answer) -> Answer:
    """The answer of the wrong one of two, and which that is; of the first if both are."""
    which = BOTH if not (one[1].ok or other[1].ok) else SECOND if one[1].ok else FIRST
    seen, wrong = other if which == SECOND else one
    words = {FIRST: say.FIRST_WRONG, SECOND: say.SECOND_WRONG, BOTH: say.BOTH_WRONG}[which]
    what = unended(parted(wrong.headline)[1])
    told = words(first=beside.first, second=beside.second, what=what)
    return seen, replace(wrong, headline=_told(wrong, told), beside=which)


def _told(verdict: Verdict, what: str) -> str:
    """A headline that says something else of the same call."""
    headline = verdict.headline
    assert isinstance(headline, Said)
    return OF_CALL(call=headline.arguments["call"], what=SENTENCE(what=what))


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
