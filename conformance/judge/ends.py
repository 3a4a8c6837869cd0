"""What is accepted of outputs that are computed: the two ends of each element, as integers.

Of an output of floats they are ordered patterns, of an output of integers the integers themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.catalogue import worst_element as say
from conformance.judge.worst import show
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.boxes import cast_ends
from conformance.numerics.patterns import as_one_nan
from conformance.numerics.quantisation import integer_ends
from conformance.record.computed import Box, Computed
from conformance.record.contract import Bounded, Computing, Quantised
from reference.floats import (
    Format,
    bits_of,
    format_of,
    from_ordered,
    numpy_dtype,
    ordered,
    to_bits,
)

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Ends:
    """The least and the greatest accepted place of each element, and which nothing bounds.

    ``storage`` is the format of the output, None for integers. Every NaN is the place behind
    +infinity. ``box`` is what each element may be before it is stored.
    """

    low: Places
    high: Places
    unbounded: NDArray[np.bool_]
    storage: Format | None
    box: Box

    def places(self, values: NDArray[Any]) -> Places:
        """Values of the output as such places."""
        if self.storage is None:
            return values.astype(np.int64)
        return _places(bits_of(values), self.storage)

    def patterns(self, values: NDArray[Any]) -> NDArray[Any]:
        """What a verdict has of values of the output: storage patterns, or the integers."""
        return values if self.storage is None else bits_of(values)

    def pattern(self, place: int) -> int:
        """The same of a place."""
        if self.storage is None:
            return place
        if place > self.storage.infinity_bits:
            return self.storage.nan_bits
        return int(from_ordered([place], self.storage)[0])

    def values(self, places: Places) -> NDArray[Any]:
        """Values of the output, of its dtype, in place of places; any NaN is the canonical one."""
        assert self.storage is not None
        finite = np.clip(places, -self.storage.infinity_bits, self.storage.infinity_bits)
        bits = from_ordered(finite, self.storage)
        bits = np.where(places > self.storage.infinity_bits, self.storage.nan_bits, bits)
        return bits.astype(self.storage.storage_dtype).view(numpy_dtype(self.storage))

    def shown(self, pattern: int) -> str:
        """The words for such a pattern or integer that was observed."""
        return str(pattern) if self.storage is None else show(pattern, self.storage)

    def shown_place(self, place: int) -> str:
        """The words for a place that is accepted."""
        if self.storage is not None and place > self.storage.infinity_bits:
            return say.ANY_NAN()
        return self.shown(self.pattern(place))


def computed_of(
    contract: Computing,
    case: Case,
    outputs: Mapping[str, NDArray[Any]],
    arithmetic: Arithmetic,
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> Computed:
    """A call as the contract sees it: of the outputs it is shown those that it is given.

    ``arrays`` are inputs in the place of the case's own.
    """
    given = {name: outputs[name] for name in contract.given if name in outputs}
    inputs = case.arrays if arrays is None else arrays
    return Computed(inputs, case.attributes, arithmetic.functions, given)


def ends_of(
    contract: Bounded | Quantised,
    seen: Computed,
    like: NDArray[Any],
    arithmetic: Arithmetic,
) -> Ends:
    """What is accepted of each element of an output of the shape and dtype of ``like``.

    Raises ValueError if the contract's box has another shape, or does not go with the dtype.
    """
    with np.errstate(all="ignore"):
        box = contract.box(seen)
        if box.low.shape != like.shape or box.high.shape != like.shape:
            raise ValueError(f"box: its shape {box.low.shape} must be {like.shape}, the output's")
        if isinstance(contract, Quantised):
            if like.dtype.kind not in "iu":
                raise ValueError(f"contract Quantised: {like.dtype.name} must be of integers")
            low, high = integer_ends(box, like.dtype, contract.ties)
            return Ends(low, high, box.unbounded | np.isnan(box.low), None, box)
        storage = format_of(like.dtype)
        ends = cast_ends(box, storage, arithmetic, contract.ties_away)
        low, high = (_places(to_bits(end, storage), storage) for end in ends)
        return Ends(low, high, box.unbounded, storage, box)


def _places(bits: NDArray[Any], storage: Format) -> Places:
    return as_one_nan(ordered(bits, storage), storage)
