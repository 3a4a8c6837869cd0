"""Ladders: one size grows past each power of two, and the outputs stay the contract's."""

from conformance.call.case import Case
from conformance.devices.device import Device
from conformance.record.operator import Operator
from conformance.record.size_ladders import Ladder
from conformance.session.template import conformance_test, judge


@conformance_test
def test_ladders(
    operator: Operator, ladder: Ladder, mode: str, dtype: str, device: Device, case: Case
) -> None:
    """Every output lies in the set that the operator's contract allows, up to the largest size."""
    verdict = judge(operator, case, device.run(operator, case))
    assert verdict.ok, verdict
