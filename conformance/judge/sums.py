"""Judging one summed output: declared order, certificate, every order, interval (numerics N.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import verdict as say
from conformance.diagnosis.guess import Guesses
from conformance.diagnosis.guesses import Diagnosis, diagnose
from conformance.diagnosis.origins import origins
from conformance.diagnosis.pattern import pattern
from conformance.diagnosis.subject import Subject
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict, WorstElement
from conformance.judge.worst import Element, worst_element
from conformance.numerics.accepted import Mask
from conformance.numerics.elements import Judged, judge_elements
from conformance.numerics.interval_look import Settled
from conformance.numerics.output import Operands, SummedOutput, summed_output
from conformance.record.contract import Sum
from conformance.values.fill import address_code_of

DECLARED_ORDER, CERTIFICATE = say.DECLARED_ORDER(), say.CERTIFICATE()
EVERY_ORDER, INTERVAL = say.EVERY_ORDER(), say.INTERVAL()
ORDER_DRIFT = say.ORDER_DRIFT()
"""The steps of which the last one that was needed decides (conformance/judge/verdict.py)."""


@dataclass
class _Tally:
    """What is known of an output so far; masks are flat, in C order."""

    wrong: Mask
    elements: int
    exact: int
    drifted: Mask | None = None  # made at the first that has drifted
    steps: set[str] = field(default_factory=set)
    headroom: list[float] = field(default_factory=list)
    worst: int = 0
    farthest: int = -1

    def add(self, places: NDArray[np.int64], judged: Judged, declared: bool) -> None:
        """Count elements that were judged by certificate and interval."""
        self.exact -= int(np.count_nonzero(~(judged.ok & judged.exact)))
        self.headroom += [judged.headroom] if judged.headroom is not None else []
        self.steps |= {CERTIFICATE}
        if judged.few.any():
            self.steps |= {EVERY_ORDER}
        if not (judged.sums.order_free | judged.few).all():
            self.steps |= {INTERVAL}
        self.wrong[places] = ~judged.ok
        if declared:
            if self.drifted is None:
                self.drifted = np.zeros(self.wrong.shape, np.bool_)
            self.drifted[places] = judged.ok
        element = int(judged.distance.argmax())
        if judged.distance[element] > self.farthest:
            self.farthest, self.worst = int(judged.distance[element]), int(places[element])


def judge_sum(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Sum`."""
    contract = asked.contract
    assert isinstance(contract, Sum)
    output = _prepared(asked, contract)
    declared = output.merges is not None
    found = _tally(output, declared, asked.specified)
    shape = output.bits.shape
    mismatches = int(np.count_nonzero(found.wrong))
    drifted = np.zeros(0, np.bool_) if found.drifted is None else found.drifted
    drift = int(np.count_nonzero(drifted))
    promised = contract.order_clause if drift else None
    worst = int(drifted.argmax()) if drift and not mismatches else found.worst
    itemsize = output.storage.storage_bits // 8
    diagnosis = Diagnosis("", Guesses(tuple))
    if mismatches:
        known = diagnose(_subject(output, asked, found.wrong.reshape(shape)))
        read = partial(origins, asked.observed, found.wrong, asked.unwritten_at)
        guessed = Guesses(lambda: tuple(read()) or known.guesses.every)
        diagnosis = Diagnosis(known.pattern, guessed)
    elif drift:
        diagnosis = Diagnosis(pattern(drifted.reshape(shape), itemsize), Guesses(tuple))
    return OutputVerdict(
        output=asked.name,
        ok=not mismatches and promised is None,
        clause=promised if promised and not mismatches else contract.clause,
        step=_last(found.steps, drift),
        elements=found.elements,
        exact=found.exact,
        mismatches=mismatches,
        order_drift=drift,
        headroom=min(found.headroom, default=None),
        worst=_worst(output, worst) if mismatches or drift else None,
        pattern=diagnosis.pattern,
        guesses=diagnosis.guesses,
    )


def _prepared(asked: Question, contract: Sum) -> SummedOutput:
    """The output with its terms and what was observed."""
    if asked.prepared is not None:
        return asked.prepared.showing(asked.observed, asked.arithmetic)
    return summed_output(asked.name, contract, asked.case, asked.observed, asked.arithmetic)


def _tally(output: SummedOutput, declared: bool, specified: Mask | None) -> _Tally:
    """Look at every element of an output of which the contract speaks."""
    size = output.bits.size
    promised = None if specified is None else specified.reshape(-1)
    elements = size if promised is None else int(np.count_nonzero(promised))
    found = _Tally(np.zeros(size, np.bool_), elements, elements)
    found.steps |= {DECLARED_ORDER} if declared else set()
    seen = output.bits.reshape(-1)
    settled = Settled()
    for operands in output.undecided(promised, settled):
        left = ~output.as_declared(operands)
        if promised is not None:
            left &= promised[operands.places]
        if not left.all():
            operands = _some(operands, left)
        if operands.places.size:
            judged = judge_elements(
                output.addends(operands),
                seen[operands.places],
                output.accumulate,
                output.storage,
                arithmetic=output.arithmetic,
                wider=output.contract.wider,
            )
            found.add(operands.places, judged, declared)
    found.exact -= settled.several
    return found


def _some(operands: Operands, chosen: Mask) -> Operands:
    weights = None if operands.factors is None else operands.factors[:, chosen]
    return Operands(operands.places[chosen], operands.values[:, chosen], weights)


def _last(steps: set[str], drift: int) -> str:
    """The last step that was needed, by name."""
    if drift:
        return ORDER_DRIFT
    order = (INTERVAL, EVERY_ORDER, CERTIFICATE, DECLARED_ORDER)
    return next((step for step in order if step in steps), CERTIFICATE)


def _worst(output: SummedOutput, place: int) -> WorstElement:
    """One element, looked at closely."""
    operands = output.at(np.array([place]))
    declared = None
    if output.merges is not None and not output.contract.wider:
        declared = int(output.declared(operands)[0].item())
    position = np.unravel_index(place, output.shape) if output.shape else ()
    element = Element(
        name=output.name,
        position=tuple(int(index) for index in position),
        observed=int(output.bits.reshape(-1)[place]),
        operands=operands,
        addends=output.addends(operands),
        source_rows=output.terms.rows[place // output.bits.shape[1]],
        named=output.sources.named,
        declared=declared,
        wider=output.contract.wider,
    )
    return worst_element(element, output.accumulate, output.storage, output.arithmetic)


def _subject(output: SummedOutput, asked: Question, wrong: Mask) -> Subject:
    """The output as a diagnosis sees it."""
    machine, tensor = asked.case.machine, asked.case.inputs[output.terms.source]
    code, coded = None, None
    alone = output.terms.columns is None and not output.terms.under
    if tensor.fill is not None and alone:
        code, coded = address_code_of(tensor.fill, output.source.shape[1], output.source.dtype)
    return Subject(
        name=output.name,
        wrong=wrong,
        bits=output.bits,
        terms=output.terms,
        source=output.source,
        rule=output.rule,
        merges=output.merges,
        segment=tensor.shape[-2] if len(tensor.shape) > 2 and alone else 0,
        cores=machine.cores if machine else 0,
        unwritten=asked.unwritten,
        code=code,
        coded=coded,
        held=tensor.rows if alone else None,
        sources=output.sources,
        arithmetic=output.arithmetic,
    )
