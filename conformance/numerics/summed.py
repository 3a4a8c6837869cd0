"""Judging one summed output: declared order, then certificate, then interval (numerics N.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.case import Case
from conformance.diagnosis.guesses import Diagnosis, diagnose
from conformance.diagnosis.pattern import pattern
from conformance.diagnosis.subject import Subject
from conformance.fill import address_code_of
from conformance.numerics.accepted import Mask
from conformance.numerics.gather import Window, blocks, gather, gather_elements
from conformance.numerics.interval import Judged, judge_elements
from conformance.numerics.order import Merges, emulate, validate
from conformance.numerics.worst import describe
from conformance.operator import Sum
from conformance.verdict import OutputVerdict
from reference.floats import (
    FP32,
    Format,
    bits_of,
    format_of,
    ordered,
    round_fp32_to_bits,
)
from reference.terms import Terms


@dataclass(frozen=True)
class SummedOutput:
    """A summed output ready to be judged: its terms, its formats, its declared order.

    ``source`` and the observed ``bits`` are 2-D, [source_rows, hidden] and [output_rows, hidden].
    """

    name: str
    contract: Sum
    terms: Terms
    source: NDArray[Any]
    bits: NDArray[Any]
    shape: tuple[int, ...]
    storage: Format

    @cached_property
    def accumulate(self) -> Format:
        """The format that every addition rounds to."""
        return format_of(self.contract.accumulate)

    @cached_property
    def merges(self) -> Merges | None:
        """The declared order, checked to be a tree over the slots; None: any order."""
        slots = self.terms.rows.shape[1]
        if self.contract.merges is None:
            return None
        merges = self.contract.merges(slots)
        validate(merges, slots)
        return merges

    def declared(self, values: NDArray[np.float32]) -> NDArray[Any]:
        """Storage patterns that the declared order gives for float32 [slots, ...], used up."""
        assert self.merges is not None
        total = emulate(self.merges, values, self.accumulate)
        return bits_of(total) if self.storage == FP32 else round_fp32_to_bits(total, self.storage)

    def suspects(self, window: Window) -> Mask:
        """Where in a window the declared order, if any, does not give the observed bits."""
        seen = self.bits[window]
        if self.merges is None:
            return np.ones(seen.shape, np.bool_)
        differs = seen != self.declared(gather(self.source, self.terms, *window))
        if differs.any():  # zeros of the other sign and other NaNs are the same value
            where = np.nonzero(differs)
            expected = self.declared(gather(self.source, self.terms, *window))[where]
            differs[where] = ~same_value(seen[where], expected, self.storage)
        return np.asarray(differs)

    def windows(self) -> Iterator[tuple[Window, Mask]]:
        """Every block of the output with its suspects."""
        for window in blocks(self.terms, self.source):
            yield window, self.suspects(window)

    def judge(self, window: Window, suspects: Mask) -> Judged:
        """Judge the suspects of a window by certificate and interval, in C order."""
        gathered = gather(self.source, self.terms, *window)
        values = (
            gathered[np.broadcast_to(suspects, gathered.shape)]
            .reshape(len(gathered), -1)
            .astype(np.float64)
        )
        return judge_elements(values, self.bits[window][suspects], self.accumulate, self.storage)


def summed_output(name: str, contract: Sum, case: Case, observed: NDArray[Any]) -> SummedOutput:
    """Prepare output ``name`` of a case; ``observed`` has the case's shape and dtype.

    Raises ValueError where terms, source and output do not fit together.
    """
    terms = contract.terms(case.arrays, case.attributes)
    shape = case.outputs[name].shape
    hidden = shape[-1] if shape else 1
    rows = int(np.prod(shape[:-1], dtype=np.int64))
    source = case.arrays[terms.source]
    if terms.rows.shape[0] != rows or source.shape[-1] != hidden:
        raise ValueError(
            f"terms of {name}: {terms.rows.shape[0]} output rows over a source of shape"
            f" {source.shape} do not make an output of shape {shape}"
        )
    return SummedOutput(
        name=name,
        contract=contract,
        terms=terms,
        source=source.reshape(int(np.prod(source.shape[:-1], dtype=np.int64)), hidden),
        bits=bits_of(np.ascontiguousarray(observed)).reshape(rows, hidden),
        shape=shape,
        storage=format_of(observed.dtype),
    )


def same_value(one: NDArray[Any], other: NDArray[Any], storage: Format) -> Mask:
    """Whether patterns are equal as the results of sums: both zeros are one value, so are NaNs."""
    places, others = ordered(one, storage), ordered(other, storage)
    infinity = storage.infinity_bits
    both_nan = (np.abs(places) > infinity) & (np.abs(others) > infinity)
    return np.asarray((places == others) | both_nan)


def judge_sum(
    name: str, contract: Sum, case: Case, observed: NDArray[Any], unwritten: int = 0
) -> OutputVerdict:
    """Judge a summed output. ``unwritten`` is what the device counted as untouched elements."""
    output = summed_output(name, contract, case, observed)
    wrong = np.zeros(output.bits.shape, np.bool_)
    drifted = np.zeros(output.bits.shape, np.bool_)
    exact, headroom, steps = output.bits.size, [], {"declared order"} if output.merges else set()
    worst, farthest = (0, 0), -1
    for window, suspects in output.windows():
        if not suspects.any():
            continue
        judged = output.judge(window, suspects)
        exact -= np.count_nonzero(~(judged.ok & judged.exact))
        headroom += [judged.headroom] if judged.headroom is not None else []
        steps |= {"certificate"} if judged.sums.order_free.all() else {"certificate", "interval"}
        wrong[window][suspects] = ~judged.ok
        if output.merges is not None:
            drifted[window][suspects] = judged.ok
        element = int(judged.distance.argmax())
        if judged.distance[element] > farthest:
            farthest = int(judged.distance[element])
            row, column = np.argwhere(suspects)[element].tolist()
            worst = (window[0].start + row, window[1].start + column)
    mismatches, drift = int(np.count_nonzero(wrong)), int(np.count_nonzero(drifted))
    promised = contract.order_clause if drift else None
    diagnosis = Diagnosis(pattern(drifted, output.storage.storage_bits // 8), ()) if drift else None
    if mismatches:
        diagnosis = diagnose(_subject(output, case, wrong, unwritten))
    if drift and not mismatches:
        row, column = np.argwhere(drifted)[0].tolist()
        worst = (row, column)
    return OutputVerdict(
        output=name,
        ok=not mismatches and promised is None,
        clause=promised if promised and not mismatches else contract.clause,
        step=_last(steps, drift),
        elements=output.bits.size,
        exact=exact,
        mismatches=mismatches,
        order_drift=drift,
        headroom=min(headroom, default=None),
        worst=_worst(output, worst) if mismatches or drift else "",
        pattern=diagnosis.pattern if diagnosis else "",
        guesses=diagnosis.guesses if diagnosis else (),
    )


def _last(steps: set[str], drift: int) -> str:
    """The last step that was needed, by name."""
    order = ("order-drift",) if drift else ("interval", "certificate", "declared order")
    return next((step for step in order if drift or step in steps), "certificate")


def _worst(output: SummedOutput, element: tuple[int, int]) -> str:
    """The sentences about one element."""
    row, column = element
    at = np.array([row]), np.array([column])
    values = gather_elements(output.source, output.terms, *at)
    declared = None
    if output.merges is not None:
        declared = int(output.declared(values.copy()).item())
    position = np.unravel_index(row * output.bits.shape[1] + column, output.shape)
    return describe(
        name=f"{output.name}[{', '.join(str(int(index)) for index in position)}]",
        observed=int(output.bits[row, column]),
        terms=values[:, 0].astype(np.float64),
        source_rows=output.terms.rows[row],
        source=output.terms.source,
        accumulate=output.accumulate,
        storage=output.storage,
        declared=declared,
    )


def _subject(output: SummedOutput, case: Case, wrong: Mask, unwritten: int) -> Subject:
    """The output as a diagnosis sees it."""
    tensor = case.inputs[output.terms.source]
    code, coded = None, None
    if tensor.fill is not None:
        code, coded = address_code_of(tensor.fill, output.source.shape[1], output.source.dtype)
    return Subject(
        name=output.name,
        wrong=wrong,
        bits=output.bits,
        terms=output.terms,
        source=output.source,
        storage=output.storage,
        accumulate=output.accumulate,
        merges=output.merges,
        segment=tensor.shape[-2] if len(tensor.shape) > 2 else 0,
        cores=case.machine.cores if case.machine else 0,
        unwritten=unwritten,
        code=code,
        coded=coded,
    )
