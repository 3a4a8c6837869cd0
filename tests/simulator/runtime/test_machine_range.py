"""What a stored case may ask of the simulated machine is what the machine takes."""

from __future__ import annotations

from ctypes import c_uint32, c_uint64

import pytest

from conformance.call.case import Case, Machine
from conformance.draw.machines import CORES
from conformance.draw.machines import UB_BYTES as DRAWN_UB_BYTES
from conformance.judge.legality import MOST_CORES, UB_BYTES, IllegalCase, check_shape_and_data
from tests.simulator.runtime.driver import Acl

EDGES = [
    *((cores, 4096) for cores in (1, MOST_CORES, MOST_CORES + 1, *CORES)),
    *((1, UB_BYTES.start + step) for step in (-32, -1, 0, 1, 16, 32)),
    *((1, UB_BYTES[-1] + step) for step in (-32, -1, 0, 1, 32)),
    *((1, ub_bytes) for ub_bytes in DRAWN_UB_BYTES),
]


@pytest.mark.parametrize(("cores", "ub_bytes"), EDGES)
def test_a_legal_machine_is_one_that_the_simulator_takes(
    acl: Acl, cores: int, ub_bytes: int
) -> None:
    case = Case("any", "any", "float32", {}, {}, {}, Machine(cores, ub_bytes))
    try:
        check_shape_and_data(case)
    except IllegalCase:
        legal = False
    else:
        legal = True
    status = acl.ascendsimConfigure(None, c_uint32(cores), c_uint64(ub_bytes))
    assert (status == 0) == legal
    assert bool(acl.text()) != legal


def test_an_unknown_soc_is_told_with_those_that_are_known(acl: Acl) -> None:
    assert acl.ascendsimConfigure(b"Ascend9", 0, 0) == 107000
    told = acl.text()
    assert told is not None
    assert "unknown SoC 'Ascend9'; known SoCs: Ascend910B1, Ascend910B2, " in told
