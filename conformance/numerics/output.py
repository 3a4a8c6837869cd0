"""A summed output ready to be judged: its terms, its rule, its declared order, what was seen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.numerics.accepted import Floats, Mask
from conformance.numerics.addends import Addends, Rule, addends, delivered
from conformance.numerics.arithmetic import IEEE, Arithmetic, Behaviour
from conformance.numerics.bulk import Bulk
from conformance.numerics.every_order import MOST_TERMS
from conformance.numerics.gather import (
    BLOCK_BYTES,
    Window,
    blocks,
    factors,
    gather,
    gather_elements,
)
from conformance.numerics.interval_look import MOST_SLOTS, IntervalLook, Settled
from conformance.numerics.order import Merges, emulate, validate
from conformance.numerics.rounding import IEEE_BEHAVIOUR, cast_result
from conformance.numerics.sources import Sources
from conformance.record.contract import Sum
from reference.floats import FP32, Format, bits_of, format_of, ordered, to_bits
from reference.terms import Terms

BATCH = 1 << 13
"""Single elements judged together: their terms and figures stay in the second-level cache."""


@dataclass(frozen=True)
class Operands:
    """Elements of an output and what they add.

    ``places`` are their numbers in C order, int64 [elements]; ``values`` the source values, float64
    [slots, elements]; ``factors`` the coefficients, float64 [slots, elements], None: all 1.
    ``added`` and ``declared`` keep what `SummedOutput` has made of them, by arithmetic.
    """

    places: NDArray[np.int64]
    values: Floats
    factors: Floats | None
    added: dict[Arithmetic, Addends] = field(default_factory=dict, repr=False)
    declared: dict[Arithmetic, tuple[NDArray[Any], ...]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class SummedOutput:
    """A summed output with its contract.

    ``source`` and the observed ``bits`` are 2-D, [source_rows, hidden] and [output_rows, hidden];
    ``shape`` is the output's own.
    """

    name: str
    contract: Sum
    terms: Terms
    source: NDArray[Any]
    bits: NDArray[Any]
    shape: tuple[int, ...]
    sources: Sources
    storage: Format
    arithmetic: Arithmetic = IEEE

    @cached_property
    def accumulate(self) -> Format:
        """The format that every addition rounds to."""
        return format_of(self.contract.accumulate)

    @cached_property
    def rule(self) -> Rule:
        """How the contract adds, in formats; ValueError where they do not fit together."""
        weights, cast = self.terms.coefficients, self.terms.cast
        return Rule(
            accumulate=self.accumulate,
            storage=self.storage,
            source=format_of(self.source.dtype),
            coefficient=None if weights is None else format_of(weights.dtype),
            cast=None if cast is None else format_of(cast),
            fused=self.contract.fused,
        )

    @cached_property
    def merges(self) -> Merges | None:
        """The declared order, checked to be a tree over the slots; None: any order."""
        slots = self.terms.rows.shape[1]
        if self.contract.merges is None:
            return None
        merges = self.contract.merges(slots)
        validate(merges, slots)
        return merges

    @cached_property
    def factors(self) -> Floats | None:
        """Coefficients, float64 [output_rows, slots]."""
        return factors(self.terms)

    def showing(self, observed: NDArray[Any], arithmetic: Arithmetic) -> SummedOutput:
        """The same output with what a device of some arithmetic has made of it.

        What was worked out is kept: no property that is depends on either.
        """
        shown = object.__new__(SummedOutput)
        bits = _patterns(observed, self.bits.shape)
        shown.__dict__.update(self.__dict__, bits=bits, arithmetic=arithmetic)
        return shown

    @cached_property
    def whole(self) -> Operands:
        """The operands of every element."""
        return self._within((slice(0, self.bits.shape[0]), slice(0, self.bits.shape[1])))

    def at(self, places: NDArray[np.int64]) -> Operands:
        """The operands of single elements."""
        rows, columns = np.divmod(places, self.bits.shape[1])
        values = gather_elements(self.source, self.terms, rows, columns).astype(np.float64)
        return Operands(places, values, None if self.factors is None else self.factors[rows].T)

    def _within(self, window: Window) -> Operands:
        """The operands of a whole window."""
        values = gather(self.source, self.terms, *window)
        hidden = self.bits.shape[1]
        rows, columns = (np.arange(*part.indices(part.stop)) for part in window)
        weights = None
        if self.factors is not None:
            weights = np.repeat(self.factors[window[0]].T, columns.size, axis=1)
        return Operands(
            places=(rows[:, None] * hidden + columns).reshape(-1),
            values=values.reshape(len(values), rows.size * columns.size).astype(np.float64),
            factors=weights,
        )

    def undecided(
        self, asked: Mask | None = None, settled: Settled | None = None
    ) -> Iterator[Operands]:
        """The elements that the quick look at the whole output leaves, in batches.

        There is no such look where a declared order has been worked out for every element.
        ``asked``, bool [elements] in C order, are those that count, None: all. ``settled`` is told
        of elements that are decided although they have several legal values; None: none may be.
        """
        looked_up = self.merges is not None and "whole" in self.__dict__
        small = 4 * self.terms.rows.shape[1] * self.bits.size <= BLOCK_BYTES
        quick: Bulk | IntervalLook | None = None if looked_up else self._bulk()
        if quick is None and settled is not None and not small:
            quick = self._interval_look(asked, settled)
        if quick is None:
            if looked_up or small:
                yield self.whole
                return
            for window in blocks(self.terms, self.source):
                yield self._within(window)
            return
        waiting: list[NDArray[np.int64]] = []
        count, hidden = 0, self.bits.shape[1]
        for rows, suspects in quick.suspects():
            found = np.flatnonzero(suspects)
            if found.size:
                waiting.append(found + rows.start * hidden)
                count += found.size
            if count >= BATCH:
                yield from self._batches(waiting)
                waiting, count = [], 0
        yield from self._batches(waiting)

    def _batches(self, waiting: list[NDArray[np.int64]]) -> Iterator[Operands]:
        if not waiting:
            return
        places = np.concatenate(waiting)
        for start in range(0, places.size, BATCH):
            yield self.at(places[start : start + BATCH])

    @property
    def _plain(self) -> bool:
        """Whether rows are added as they are, in fp32, to outputs of their own dtype."""
        rule = self.rule
        weighted = rule.coefficient is not None
        as_they_are = rule.cast is None or (rule.cast == rule.source and not weighted)
        in_fp32 = rule.accumulate == FP32 and rule.source == self.storage
        somewhat = self.bits.size and self.terms.rows.size and self.source.size
        return bool(as_they_are and in_fp32 and somewhat)

    def _bulk(self) -> Bulk | None:
        """The quick look, where the contract and the device's arithmetic admit one."""
        weighted = self.rule.coefficient is not None
        if self.merges is None:
            offered = not weighted and self.arithmetic.is_ieee and self.storage != FP32
        else:
            offered = IEEE_BEHAVIOUR in self.arithmetic.behaviours()
        rounded = not weighted or self.rule.fused != "always"
        if not (offered and rounded and self._plain):
            return None
        weights = None if self.factors is None else self.factors.astype(np.float32)
        observed = self.bits.view(self.source.dtype)
        return Bulk(self.source, self.terms.rows, observed, self.merges, weights)

    def _interval_look(self, asked: Mask | None, settled: Settled) -> IntervalLook | None:
        """The quick look at fp32 sums in any order, where there may be one."""
        slots = self.terms.rows.shape[1]
        free = self.merges is None and self.rule.coefficient is None and self.storage == FP32
        if not (free and self.arithmetic.is_ieee and self._plain):
            return None
        if not MOST_TERMS < slots <= MOST_SLOTS:
            return None
        observed = self.bits.view(np.float32)
        mask = None if asked is None else asked.reshape(observed.shape)
        return IntervalLook(self.source, self.terms.rows, observed, settled, mask)

    def addends(self, operands: Operands) -> Addends:
        """What elements add, as far as contract and arithmetic say."""
        if self.arithmetic not in operands.added:
            operands.added[self.arithmetic] = addends(
                operands.values, operands.factors, self.rule, self.arithmetic
            )
        return operands.added[self.arithmetic]

    def declared(self, operands: Operands) -> tuple[NDArray[Any], ...]:
        """Storage patterns that the declared order gives, one array for each permitted way."""
        if self.arithmetic not in operands.declared:
            operands.declared[self.arithmetic] = tuple(self._declared(operands))
        return operands.declared[self.arithmetic]

    def _declared(self, operands: Operands) -> Iterator[NDArray[Any]]:
        assert self.merges is not None
        fusing = [False]
        if self.rule.bare:
            fusing = [True] if self.rule.fused == "always" else [False, True]
        for behaviour, bare in itertools.product(self.arithmetic.behaviours(), fusing):
            terms = delivered(operands.values, operands.factors, self.rule, behaviour, bare=bare)
            terms = terms.astype(np.float64 if bare or self.accumulate != FP32 else np.float32)
            total = emulate(self.merges, terms, self.accumulate, behaviour, bare)
            yield self._stored(total, behaviour)

    def _stored(self, total: NDArray[Any], behaviour: Behaviour) -> NDArray[Any]:
        if self.storage != self.accumulate:
            total = cast_result(total.astype(np.float64), self.storage, behaviour)
        return to_bits(total, self.storage)

    def as_declared(self, operands: Operands) -> Mask:
        """Where the observed value is the declared order's; zeros and NaNs are one value each."""
        seen = self.bits.reshape(-1)[operands.places]
        found = np.zeros(seen.shape, np.bool_)
        if self.merges is not None:
            for patterns in self.declared(operands):
                found |= same_value(seen, patterns, self.storage)
        return found


def summed_output(
    name: str,
    contract: Sum,
    case: Case,
    observed: NDArray[Any],
    arithmetic: Arithmetic = IEEE,
) -> SummedOutput:
    """Prepare output ``name`` of a case; ``observed`` has the case's shape and dtype.

    Raises ValueError where terms, source and output do not fit together.
    """
    terms = contract.terms(case.arrays, case.attributes)
    shape = case.outputs[name].shape
    sources = Sources.of(terms, case.arrays)
    seen, columns = terms.view(shape), sources.view[1]
    if seen != (terms.rows.shape[0], columns):
        raise ValueError(
            f"terms of {name}: {terms.rows.shape[0]} output rows over a source of shape"
            f" {sources.shapes[0]} do not make an output of shape {shape}"
        )
    source, numbered = sources.gathered(case.arrays)
    return SummedOutput(
        name=name,
        contract=contract,
        terms=numbered,
        source=source,
        bits=_patterns(observed, seen),
        shape=shape,
        sources=sources,
        storage=format_of(observed.dtype),
        arithmetic=arithmetic,
    )


def _patterns(observed: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """The patterns of an output, seen as [output_rows, hidden]."""
    return bits_of(np.ascontiguousarray(observed)).reshape(shape)


def same_value(one: NDArray[Any], other: NDArray[Any], storage: Format) -> Mask:
    """Whether patterns are equal as the results of sums: both zeros are one value, so are NaNs."""
    places, others = ordered(one, storage), ordered(other, storage)
    infinity = storage.infinity_bits
    both_nan = (np.abs(places) > infinity) & (np.abs(others) > infinity)
    return np.asarray((places == others) | both_nan)
