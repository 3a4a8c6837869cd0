"""The public MoeTokenPermute keeps four-byte ranks in a buffer of a byte for each of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cases.operators import moe_token_permute as record
from cases.operators._moe_token_permute_call import NAME, call
from conformance.call.case import Machine
from conformance.call.observation import Observation
from conformance.devices.foreign import USABLE_UB_BYTES, checkout_libraries
from conformance.devices.open import open_device
from conformance.values.fill import Fill

HOME = Path(os.environ.get("OPS_TRANSFORMER_HOME", ""))
pytestmark = pytest.mark.skipif(
    not (HOME / "moe" / NAME).is_dir() or not HOME.is_absolute(),
    reason="OPS_TRANSFORMER_HOME names no checkout of the public operators",
)
Observed = Callable[[int, int, int], Observation]


@pytest.fixture(scope="module")
def observed() -> Iterator[Observed]:
    """Calls the checkout's operator for so many tokens of so many slots and columns, on a core."""
    built = checkout_libraries(HOME, [record.OPERATOR])
    device = open_device("sim", libraries=built.libraries)

    def run(tokens: int, top_k: int, columns: int) -> Observation:
        case = call(
            "whole",
            "float16",
            tokens=(tokens, columns),
            top_k=top_k,
            indices=tuple(range(tokens * top_k, 0, -1)),
            fill=Fill(("address",), seed=4),
            machine=Machine(1, USABLE_UB_BYTES),
        )
        return device.run(record.OPERATOR, case)

    try:
        yield run
    finally:
        device.close()


@pytest.mark.parametrize(
    ("tokens", "top_k", "columns", "beyond"),
    [(1368, 1, 1, False), (1369, 1, 1, True), (189, 8, 7168, False), (190, 8, 7168, True)],
)
def test_a_core_has_room_for_the_ranks_of_a_quarter_of_a_pass(
    observed: Observed, tokens: int, top_k: int, columns: int, beyond: bool
) -> None:
    """5,472 bytes for 5,454 ranks of one column; 6,048 for those of 756 tokens of model width."""
    told = observed(tokens, top_k, columns).diagnostics
    found = {(one.code, Path(one.file).name, one.line) for one in told if one.severity == "error"}
    assert found == ({("ub-out-of-bounds", "moe_index_copy.h", 110)} if beyond else set())
