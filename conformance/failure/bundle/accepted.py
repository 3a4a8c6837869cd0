"""What a bundle stores of an output: every pattern that the judge accepts of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.failure.bundle.accepted_computed import of_computed
from conformance.judge.copies import expected_of
from conformance.judge.effects import specified_elements
from conformance.judge.examples import printed_bits
from conformance.judge.question import Question
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.output import summed_output
from conformance.numerics.patterns import accepted_ranges
from conformance.record.contract import Bounded, Computing, Quantised, Sum, Unspecified
from conformance.record.operator import Example, Operator

BYTES_OF_AN_ELEMENT = 16
"""What the ranges of a summed element take where there is one range, the usual number."""


@dataclass(frozen=True)
class Accepted:
    """The accepted patterns of an output; ``arrays`` by the name of their file.

    ``ranges`` has ``starts`` int64 [elements + 1], ``low`` and ``high`` int32 as in
    `conformance.numerics.patterns.Ranges`; ``exact`` has ``bits``, unsigned, of the output's shape,
    and ``specified``, uint8 of that shape, where the contract leaves elements open.
    """

    kind: Literal["ranges", "exact", "anything"]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    storage_bits: int = 0
    infinity_bits: int = 0


def accepted_of(
    operator: Operator,
    case: Case,
    name: str,
    arithmetic: Arithmetic,
    example: Example | None = None,
) -> Accepted:
    """What is accepted of output ``name`` on a device of that arithmetic.

    Values that a document prints are the only ones accepted where ``example`` has some. Raises
    ValueError where the record's contracts do not fit the case.
    """
    tensor = case.outputs[name]
    dtype = numpy_dtype(tensor.dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    if example is not None and name in (example.expected or {}):
        assert example.expected is not None
        bits = printed_bits(example, name, example.expected[name])
        return Accepted("exact", {"bits": bits.view(unsigned).reshape(tensor.shape)})
    contract = operator.contract(name, case)
    if isinstance(contract, Unspecified):
        return Accepted("anything")
    empty = np.zeros(tensor.shape, dtype)
    specified = specified_elements(contract, case, empty)
    if isinstance(contract, Sum):
        output = summed_output(name, contract, case, empty, arithmetic)
        ranges = accepted_ranges(output, specified)
        return Accepted(
            "ranges",
            {
                "starts": ranges.starts,
                "low": ranges.low.astype(np.int32),
                "high": ranges.high.astype(np.int32),
            },
            output.storage.storage_bits,
            output.storage.infinity_bits,
        )
    if isinstance(contract, Computing):
        silent, ends, kind = of_computed(operator, case, name, arithmetic)
        if kind is None:
            bits = ends[0].astype(dtype).view(unsigned).reshape(tensor.shape)
            held = {"bits": bits, "specified": (~silent).astype(np.uint8)}
            return Accepted("exact", held)
        of_each: dict[str, NDArray[Any]] = {
            "starts": np.arange(tensor.size + 1, dtype=np.int64),
            "low": ends[0].reshape(-1).astype(np.int32),
            "high": ends[1].reshape(-1).astype(np.int32),
        }
        return Accepted("ranges", of_each, *kind)
    asked = Question(name, contract, case, empty, operator.formula, arithmetic=arithmetic)
    expected = np.ascontiguousarray(expected_of(asked)).view(unsigned).reshape(tensor.shape)
    arrays = {"bits": expected}
    if specified is not None:
        arrays["specified"] = np.ascontiguousarray(specified).astype(np.uint8)
    return Accepted("exact", arrays)


def estimated_bytes(operator: Operator, case: Case, name: str) -> int:
    """About how many bytes the accepted patterns of an output take, before they are worked out."""
    tensor = case.outputs[name]
    ranges = isinstance(operator.contract(name, case), Sum | Bounded | Quantised)
    return tensor.size * (BYTES_OF_AN_ELEMENT if ranges else numpy_dtype(tensor.dtype).itemsize + 1)


def same(one: Accepted, other: Accepted) -> bool:
    """Whether two accept the same patterns, written in the same way."""
    return (
        (one.kind, one.infinity_bits) == (other.kind, other.infinity_bits)
        and one.arrays.keys() == other.arrays.keys()
        and all(np.array_equal(array, other.arrays[name]) for name, array in one.arrays.items())
    )
