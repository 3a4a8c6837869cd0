"""What is written down as accepted is what the judge accepts, of any pattern of any element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case, numpy_dtype
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.elements import judge_elements
from conformance.numerics.output import SummedOutput, summed_output
from conformance.numerics.patterns import accepted_ranges
from conformance.record.contract import Sum
from conformance.record.operator import Operator
from conformance.suite import records as suite
from reference.floats import from_bits
from tests.cases.drawing import drawn_once
from tests.conformance.segment_sum import case as segment_case
from tests.conformance.segment_sum import operator as segment_sum

ANYTHING = Arithmetic(
    casts=frozenset({"nearest", "truncate"}),
    overflows=frozenset({"infinity", "saturate"}),
    flushes=frozenset({False, True}),
)
OPERATORS = [o for o in suite.operators() if any(isinstance(c, Sum) for c in o.contracts.values())]


def judged(output: SummedOutput, bits: NDArray[Any]) -> NDArray[np.bool_]:
    """What the judge says of every element, one by one: the same steps, without the quick look."""
    seen = SummedOutput(**{**vars_of(output), "bits": bits.reshape(output.bits.shape)})
    operands = seen.at(np.arange(bits.size))
    declared = seen.as_declared(operands)
    if output.contract.order_clause is not None and output.merges is not None:
        return declared
    found = judge_elements(
        seen.addends(operands),
        bits.reshape(-1),
        seen.accumulate,
        seen.storage,
        arithmetic=seen.arithmetic,
    )
    return np.asarray(declared | found.ok)


def vars_of(output: SummedOutput) -> dict[str, Any]:
    return {name: getattr(output, name) for name in output.__dataclass_fields__}


def tried(output: SummedOutput, ends: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Patterns to ask of every element: specials, the ends of what is accepted, their neighbours,
    and any pattern at all."""
    storage, size = output.storage, output.bits.size
    dtype = storage.storage_dtype
    generator = np.random.default_rng(0)
    limit = storage.sign_bit - 1
    asked = []
    for at in (0, 1, storage.infinity_bits, storage.infinity_bits - 1, storage.nan_bits):
        asked += [np.full(size, at, dtype), np.full(size, at | storage.sign_bit, dtype)]
    for step in (-1, 0, 1):
        moved = np.clip(ends + step, -limit, limit)
        asked.append((np.abs(moved) | np.where(moved < 0, storage.sign_bit, 0)).astype(dtype))
    asked.append(generator.integers(0, 2 * storage.sign_bit, size, np.int64).astype(dtype))
    return asked


def check(operator: Operator, case: Case, arithmetic: Arithmetic) -> int:
    """Compare stored patterns with verdicts; returns how many elements were refused."""
    refused = 0
    for name, tensor in case.outputs.items():
        contract = operator.contract(name, case)
        if not isinstance(contract, Sum):
            continue
        empty = np.zeros(tensor.shape, numpy_dtype(tensor.dtype))
        output = summed_output(name, contract, case, empty, arithmetic)
        if output.bits.size == 0:
            continue
        ranges = accepted_ranges(output)
        first, last = ranges.starts[:-1], ranges.starts[1:] - 1
        for ends in (ranges.low[first], ranges.high[last]):
            for bits in tried(output, ends):
                held = ranges.hold(bits, output.storage)
                ok = judged(output, bits)
                wrong = np.flatnonzero(held != ok)[:3]
                told = [(bits[e], from_bits(bits[e : e + 1], output.storage)) for e in wrong]
                assert not wrong.size, (case, name, wrong, told, arithmetic)
                refused += int(np.count_nonzero(~ok))
    return refused


@pytest.mark.parametrize("operator", OPERATORS, ids=[o.name for o in OPERATORS])
def test_stored_patterns_accept_what_the_judge_accepts(operator: Operator) -> None:
    assert operator.small_cases is not None
    refused = 0
    for number, mode in enumerate(operator.modes):
        dtypes = operator.dtypes_in(mode.name)
        dtype = dtypes[number % len(dtypes)]
        case = drawn_once(operator.small_cases(mode.name, dtype), number + 1)
        for arithmetic in (IEEE, ANYTHING):
            refused += check(operator, case, arithmetic)
    assert refused > 0


@pytest.mark.parametrize("arithmetic", [IEEE, ANYTHING], ids=["ieee", "anything"])
def test_sums_of_any_order_are_ranges_and_those_of_few_terms_are_lists(
    arithmetic: Arithmetic,
) -> None:
    values = np.random.default_rng(3).standard_normal((9, 8)).astype(np.float32)
    values[0, :4] = [np.inf, np.nan, -np.inf, 3e38]
    values[1, 3] = 3e38
    rows = np.array([[0, 1, 2, 3, 4, 5, 6], [1, 2, 3, -1, -1, -1, -1], [-1] * 7], np.int32)
    made = segment_case(values, rows, "float32")
    record = segment_sum(merges=None)
    assert check(record, made, arithmetic) > 0
    empty = np.zeros((3, 8), made.arrays["x"].dtype)
    output = summed_output("y", record.contracts["y"], made, empty, arithmetic)
    ranges = accepted_ranges(output)
    wide = ranges.high > ranges.low
    owner = np.repeat(np.arange(24), np.diff(ranges.starts))
    assert wide[owner < 8].any()
    if arithmetic.is_ieee:
        assert not wide[owner >= 8].any()


def test_where_the_contract_is_silent_every_pattern_is_accepted() -> None:
    made = segment_case(np.ones((2, 4)), np.array([[0, 1]], np.int32))
    empty = np.zeros((1, 4), made.arrays["x"].dtype)
    output = summed_output("y", segment_sum(merges=None).contracts["y"], made, empty)
    specified = np.array([[True, False, True, False]])
    ranges = accepted_ranges(output, specified)
    for bits in (0, 0xFFFF, 0x7C00):
        held = ranges.hold(np.full(4, bits, np.uint16), output.storage)
        assert held[[1, 3]].all()
        assert not held[[0, 2]].any()
