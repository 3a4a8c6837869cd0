"""The limits that strategies solve for are those of the host tilings and of the vendor's tables."""

from __future__ import annotations

import pytest

from cases.operators._slot_sum_limits import CHIPS, VENDOR_COLUMNS, vendor_pass
from conformance.devices.messages import DTYPES
from conformance.record.chips import USABLE_UB_BYTES
from conformance.record.operator import Operator
from conformance.suite import records as suite
from tests.kernels.host_tilings import host_tiling

OPERATORS = suite.operators([])


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_the_limits_of_a_record_are_what_its_host_tiling_exports(operator: Operator) -> None:
    tiling = host_tiling(operator.name, operator.title)
    differing = [
        (str(one), one.value, said)
        for one in operator.limits
        if one.value
        != (
            said := tiling.limit(
                one.axis,
                one.top_k,
                DTYPES[one.dtype][0],
                cores=one.cores,
                ub=one.ub_bytes,
                hidden=one.hidden,
            )
        )
    ]
    assert differing == []
    assert len(operator.limits) > 100


def test_the_vendor_s_buffers_are_those_of_its_formula() -> None:
    """unit(b) = size (b + 1), and 8 bytes more for 16 bits, in what is left of UB by 5120 bytes."""
    for size, columns in VENDOR_COLUMNS.items():
        for buffers, most in columns.items():
            unit = size * (buffers + 1) + (0 if size == 4 else 8)
            for ub_bytes in USABLE_UB_BYTES.values():
                assert (ub_bytes - 5120) // unit // 512 * 512 == most


def test_the_vendor_s_passes_over_tokens_are_those_of_its_document() -> None:
    by_ub = {machine.ub_bytes: machine for machine in CHIPS}
    a2 = by_ub[USABLE_UB_BYTES["Ascend910B"]]
    assert vendor_pass(a2, 512, 9216, 4) == 5
    assert vendor_pass(a2, 512, 15872, 4) == 2
    assert vendor_pass(a2, 8, 512, 4) == 5808
