"""What the public MoeFinalizeRoutingV2 adds of rows that it takes in parts, and of dropped slots.

Lines are those of ops-transformer, commit c29bc1069d; docs/how-to/foreign-kernels.md says what
each means.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from cases.operators import moe_finalize_routing_v2 as record
from cases.operators._finalize_call import Parts, with_parts
from cases.operators._values import bits
from conformance.call.case import Machine
from conformance.devices.foreign import USABLE_UB_BYTES, checkout_libraries
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import Arithmetic

NAME, call = record.OPERATOR.name, record.ONE.call
HOME = Path(os.environ.get("OPS_TRANSFORMER_HOME", ""))
pytestmark = pytest.mark.skipif(
    not (HOME / "moe" / NAME).is_dir() or not HOME.is_absolute(),
    reason="OPS_TRANSFORMER_HOME names no checkout of the public operators",
)
Summed = Callable[..., tuple[float, bool]]
WHOLE, PARTS = 9760, 9761
"""Columns of four rows of which a core still takes all, and of which it takes parts: of float32
and of bfloat16, without a bias, x1 and x2."""


@pytest.fixture(scope="module")
def summed() -> Iterator[Summed]:
    """Sums four rows of 1, 2, 3 and 4, each scaled by 2, with biases of 16, 32, 48 and 64."""
    built = checkout_libraries(HOME, [record.OPERATOR])
    device = open_device("sim", libraries=built.libraries)

    def run(
        dtype: str,
        columns: int,
        dropped: int | None = None,
        *,
        top_k: int = 4,
        x1: bool = False,
        bias: bool = False,
    ) -> tuple[float, bool]:
        def every(*values: float) -> tuple[int, ...]:
            return bits(dtype, *(value for value in values for _ in range(columns)))

        slots = range(top_k)
        case = call(
            "dropless_rows" if dropped is None else "drop_pad_rows",
            dtype,
            source=(top_k, columns),
            indices=tuple(top_k if slot == dropped else slot for slot in slots),
            top_k=top_k,
            values=every(*(slot + 1.0 for slot in slots)),
            machine=Machine(1, USABLE_UB_BYTES),
        )
        parts = Parts(
            experts=top_k,
            scales=bits(dtype, *([2.0] * top_k)),
            skips=(every(1.0),) if x1 else (),
            bias=every(*(16.0 * (slot + 1) for slot in slots)) if bias else None,
            expert_idx=tuple(slots) if bias else None,
        )
        case = with_parts(case, parts)
        seen = device.run(record.OPERATOR, case)
        out = np.asarray(seen.outputs["out"])
        of = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
        [value] = set((out if out.dtype == of else out.view(of)).astype(np.float64).ravel())
        verdict = judge(record.OPERATOR, case, seen, Arithmetic.of(device.profile))
        return float(value), verdict.ok

    try:
        yield run
    finally:
        device.close()


@pytest.mark.parametrize(
    ("columns", "x1", "value"), [(WHOLE, False, 20), (PARTS, False, 16), (PARTS, True, 21)]
)
def test_the_second_of_four_bfloat16_rows_in_parts_is_lost_without_x1(
    summed: Summed, columns: int, x1: bool, value: float
) -> None:
    """moe_finalize_routing_v2_bf16_cuth_k4.h 523-532: scaled there, and added only in its else."""
    assert summed("bfloat16", columns, x1=x1) == (value, value != 16)


@pytest.mark.parametrize(
    ("columns", "x1", "value"),
    [(WHOLE, False, 18), (PARTS, False, 14), (WHOLE, True, 19), (PARTS, True, 17)],
)
def test_beside_a_first_slot_that_is_dropped_the_second_of_four_rows_is_lost_or_not_scaled(
    summed: Summed, columns: int, x1: bool, value: float
) -> None:
    """moe_finalize_routing_v2_fp_cuth_k4.h 456-479: one branch on the first slot is for both."""
    assert summed("float32", columns, 0, x1=x1) == (value, columns == WHOLE)


@pytest.mark.parametrize(
    ("dtype", "top_k", "columns", "counts"),
    [
        ("float32", 4, 64, False),
        ("float32", 2, 30000, False),
        ("float32", 3, 30000, True),
        ("bfloat16", 3, 30000, False),
        ("bfloat16", 4, 64, False),
    ],
)
def test_whether_the_bias_of_a_dropped_slot_counts_depends_on_the_path(
    summed: Summed, dtype: str, top_k: int, columns: int, counts: bool
) -> None:
    """The record follows the vendor's expected values, in which it counts."""
    value, accepted = summed(dtype, columns, 1, top_k=top_k, bias=True)
    live = sum(2 * (1 + 16) * (slot + 1) for slot in range(top_k) if slot != 1)
    assert (value, accepted) == (live + 64 * counts, counts)
