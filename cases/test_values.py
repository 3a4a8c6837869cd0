"""Drawn cases: whatever the sizes, the routing and the values, the outputs are the contract's."""

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.record.operator import Operator
from conformance.session.template import conformance_test, judge


@conformance_test
def test_values(operator: Operator, mode: str, dtype: str, device: Device, case: Case) -> None:
    """Every output lies in the set that the operator's contract allows."""
    verdict = judge(operator, case, device.run(operator, case))
    assert verdict.ok, verdict
