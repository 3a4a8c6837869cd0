"""Every operator computes its document's formula on small machines and large, without a diagnostic.

Calls are those of the operator's record, results those of the plain loops in tests/definitions. No
loop gives all bits of what a device computes through functions: test_moe_gating_top_k.py and
test_moe_gating_top_k_softmax.py hold these values to float64.
"""

from __future__ import annotations

import pytest

from conformance.devices.device import Device
from conformance.suite.records import operators
from tests.kernels.value_calls import difference, differences, far, values
from tests.slow import OF_EACH_KIND, slow_but

RECORDS = {one.name: one for one in operators([]) if not one.computes}
LEAST = 100
FAR = RECORDS.keys() - {"moe_token_permute_with_routing_map_grad"}
"""Those whose record has a row beyond 2^32 elements."""

Devices = dict[str, Device]


@pytest.mark.parametrize("name", slow_but(OF_EACH_KIND, RECORDS))
def test_each_output_is_what_the_definition_gives_on_each_machine_and_in_any_order_of_blocks(
    name: str, devices: Devices
) -> None:
    turn = 0
    for turn, value in enumerate(values(RECORDS[name])):
        for told in differences(RECORDS[name], value, devices, turn):
            assert told == "", (value.name, value.case)
    assert turn >= LEAST


@pytest.mark.parametrize("name", sorted(FAR))
def test_a_row_beyond_2_to_the_32_elements_is_found(name: str, devices: Devices) -> None:
    for value in far(RECORDS[name]):
        assert difference(value, devices["kernel"].run(RECORDS[name], value.case)) == ""
