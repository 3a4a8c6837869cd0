"""The race of a padded map's sort is a read of whole 32-byte blocks, into the next block's list."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cases.operators import moe_token_permute_with_routing_map as record
from cases.operators._moe_token_permute_with_routing_map_call import NAME, call
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
Observed = Callable[[int, int], Observation]


@pytest.fixture(scope="module")
def observed() -> Iterator[Observed]:
    """Calls the checkout's operator for so many tokens of two experts, on so many cores."""
    built = checkout_libraries(HOME, [record.OPERATOR])
    device = open_device("sim", libraries=built.libraries)

    def run(tokens: int, cores: int) -> Observation:
        routes = np.zeros((tokens, 2), bool)
        routes[:2] = True
        case = call(
            "drop_pad",
            "float32",
            tokens=(tokens, 8),
            routing_map=routes,
            num_out_tokens=4,
            fill=Fill(("address",), seed=4),
            machine=Machine(cores, USABLE_UB_BYTES),
        )
        return device.run(record.OPERATOR, case)

    try:
        yield run
    finally:
        device.close()


@pytest.mark.parametrize(("tokens", "races"), [(4, 0), (5, 1), (6, 1), (7, 1), (8, 0), (34, 1)])
def test_lists_race_where_they_end_inside_a_block_of_32_bytes(
    observed: Observed, tokens: int, races: int
) -> None:
    told = [one for one in observed(tokens, 2).diagnostics if one.code == "race"]
    assert len(told) == races
    assert {(Path(one.file).name, one.line) for one in told} <= {("moe_common.h", 87)}
    earlier = {Path(one.earlier.file).name for one in told if one.earlier is not None}
    assert earlier <= {"moe_mrgsort_out.h"}


def test_one_block_has_nobody_to_race_with(observed: Observed) -> None:
    assert [one.code for one in observed(5, 1).diagnostics if one.severity == "error"] == []
